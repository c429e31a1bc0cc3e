"""How many errors were found last: what the navigation of every page tells. Read from memory, never found for it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from datetime import datetime

from brokerui.estate.viewed import Viewed

KEPT = 64
"""Estates."""
Key = tuple[str, bool, datetime | None]

_lock = threading.Lock()
_errors: OrderedDict[Key | None, int] = OrderedDict()
"""By estate; under None that of the live one as it was last."""


def errors_note(viewed: Viewed, errors: int) -> None:
    """Remember what a look at an estate has found."""
    with _lock:
        for key in (_key(viewed), *([None] if viewed.is_editable else [])):
            _errors[key] = errors
            _errors.move_to_end(key)
        while len(_errors) > KEPT:
            _errors.popitem(last=False)


def errors_latest(viewed: Viewed | None) -> int | None:
    """In the estate that a page is about, in the live one where it is about none; None: nobody has looked yet."""
    with _lock:
        return _errors.get(_key(viewed) if viewed else None)


def _key(viewed: Viewed) -> Key:
    """Findings of the live estate may be suppressed; the same estate as a scenario has them all."""
    return viewed.key, viewed.is_live, viewed.moment
