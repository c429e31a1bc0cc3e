"""How many errors were found last: what the navigation of every page tells. Read from memory, never found for it."""

from __future__ import annotations

from datetime import datetime

from brokerui.changes.estate_view import EstateView
from brokerui.core.cache import LruCache

CACHE_SIZE = 64
"""Estates."""
Key = tuple[str, bool, datetime | None]

_errors: LruCache[int] = LruCache(CACHE_SIZE)
"""By estate; under None that of the live one as it was last."""


def errors_note(viewed: EstateView, errors: int) -> None:
    """Remember what a look at an estate has found."""
    for key in (_key(viewed), *([None] if viewed.is_editable else [])):
        _errors.put(key, errors)


def errors_latest(viewed: EstateView | None) -> int | None:
    """In the estate that a page is about, in the live one where it is about none; None: nobody has looked yet."""
    return _errors.get(_key(viewed) if viewed else None)


def _key(viewed: EstateView) -> Key:
    """Findings of the live estate may be suppressed; the same estate as a scenario has them all."""
    return viewed.key, viewed.is_live, viewed.moment
