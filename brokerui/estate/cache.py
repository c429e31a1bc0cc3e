"""The estates of the versions that were asked for last, in the memory of this process.

Their key is the digest, which stands for the content: what was rolled back or restored can never be mistaken for
something else. Estates of neighbouring versions share most of their parts.
"""

from __future__ import annotations

from typing import Final

from brokerui.core.cache import LruCache
from routing.model.estate import Estate

CACHE_SIZE = 8
"""Estates."""

estates: Final[LruCache[Estate]] = LruCache(CACHE_SIZE)
