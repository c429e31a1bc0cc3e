"""Kinds of input that strangers bring and that were answered wrongly once, each with other cases of its kind."""
