"""Certificates of changes: every class of conversations with its outcomes before and after, for a second look.

`routing.verification` reads and checks them, with other code.
"""
