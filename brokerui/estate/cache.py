"""Cache of the estates of the versions that this process read last.

The key is the digest of the content, so a version that was rolled back, or restored from a backup, never meets the
estate of another one. Estates of neighbouring versions share most of their parts.
"""

from __future__ import annotations

from typing import Final

from brokerui.core.cache import LruCache
from routing.model.estate import Estate

CACHE_SIZE = 8
"""Estates."""

estates: Final[LruCache[Estate]] = LruCache(CACHE_SIZE)
