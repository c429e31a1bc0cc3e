"""Service broker identifiers: GUIDs, compared as values (RT-TABLE)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from routing.common.errors import Invalid, must_be
from routing.common.sentence import say

CACHED_IDENTIFIERS: Final = 8192
"""About 2 MB. Cached because every fragment of a conversation carries the same identifiers."""

_HEX = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")


def parse_identifier(text: str) -> str:
    """Lower case without braces, from 8-4-4-4-12 hex digits in any case, with or without braces."""
    bare = text.lower()
    if bare.startswith("{") and bare.endswith("}"):
        bare = bare[1:-1]
    # `lower` turns no letter outside ASCII into a hex digit.
    if not _HEX.fullmatch(bare):
        raise Invalid("", must_be(say("a GUID (8-4-4-4-12 hex digits)"), text))
    return bare


@lru_cache(CACHED_IDENTIFIERS)
def identifier_of(raw: bytes) -> str:
    """A GUID from its 16 bytes, in the order of its digits."""
    digits = raw.hex()
    return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def identifier_bytes(identifier: str) -> bytes:
    """The 16 bytes of a GUID as `parse_identifier` gives it."""
    return bytes.fromhex(identifier.replace("-", ""))
