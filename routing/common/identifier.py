"""Service broker identifiers: GUIDs, compared as values (RT-TABLE)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from routing.common.errors import Invalid, must_be
from routing.common.sentence import say

IDENTIFIERS_KEPT: Final = 8192
"""Some 2 MB: each fragment of a conversation names it anew."""

_HEX = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def parse_identifier(text: str) -> str:
    """Lower case without braces, from 8-4-4-4-12 hex digits in any case, with or without braces."""
    bare = text.lower()
    if bare.startswith("{") and bare.endswith("}"):
        bare = bare[1:-1]
    # `lower` folds a few letters beyond ASCII onto hex digits' neighbours, never onto hex digits.
    if not _HEX.fullmatch(bare):
        raise Invalid("", must_be(say("a GUID (8-4-4-4-12 hex digits)"), text))
    return bare


@lru_cache(IDENTIFIERS_KEPT)
def identifier_of(raw: bytes) -> str:
    """A GUID from its 16 bytes, in the order of its digits."""
    digits = raw.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def identifier_bytes(identifier: str) -> bytes:
    """The 16 bytes of a GUID as `parse_identifier` gives it."""
    return bytes.fromhex(identifier.replace("-", ""))
