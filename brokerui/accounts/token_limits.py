"""Limits of tokens, for every place that makes one."""

TOKENS = 20
"""As many as a user may have."""
TOKEN_DAYS = 90
"""How long a token lasts, unless another time is chosen."""
MOST_TOKEN_DAYS = 365
MOST_TOKEN_NAME = 100
"""Characters of a name."""
