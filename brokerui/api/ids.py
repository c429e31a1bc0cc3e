"""The id of a row: its natural key, as one piece that fits into an address.

Names hold slashes, spaces and what not, and servers and proxies unescape addresses each in its own way. So the id is
the key as a JSON array, in base64 for addresses. It stays the same as long as the names do, in every version.
"""

from __future__ import annotations

import binascii
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

Key = tuple[str, ...]


def id_of(key: Key) -> str:
    """Return the id of the row with this key."""
    return packed(list(key))


def key_of(text: str, length: int) -> Key | None:
    """Return the key of an id; None for a text that is no id."""
    key = unpacked(text)
    is_key = isinstance(key, list) and len(key) == length and all(isinstance(part, str) for part in key)
    return tuple(key) if is_key and id_of(tuple(key)) == text else None


def packed(value: Any) -> str:
    """Return a JSON value as one word for addresses."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return urlsafe_b64encode(text.encode("utf-8", "surrogatepass")).decode().rstrip("=")


def unpacked(word: str) -> Any:
    """Return the value of such a word; None for any other word."""
    try:
        return json.loads(urlsafe_b64decode(word.encode("ascii") + b"=" * (-len(word) % 4)))
    except (ValueError, RecursionError, binascii.Error):
        return None
