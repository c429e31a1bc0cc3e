"""Conversations of hosted instances one by one: both sides, what each holds, and what happened."""
