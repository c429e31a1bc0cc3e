"""Waiting for messages, by few at a time: who waits has a thread of the web for himself."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

from brokerui.messaging.api.base import BusyProblem

T = TypeVar("T")

PLACES: Final = 4
"""Who may wait in one process: half of its threads (`brokerui.running.web`), so that others are served."""
PAUSE_SECONDS: Final = 0.01
LONGEST_PAUSE_SECONDS: Final = 0.25
"""Between two looks, each of which is one look into an index: four a second for each who waits long."""
REST: Final = 20
"""Times that a look took: so much longer is the pause, should much be leased that every look has to pass."""

_places = threading.BoundedSemaphore(PLACES)


def waited_for(make: Callable[[], T | None], is_there: Callable[[], bool], seconds: float, full: str) -> T | None:
    """What `make` gives, at once or as soon as something is there; None: nothing came in time.

    Raises a problem, with the sentence `full`, where too many wait already. No transaction may be open.
    """
    end = time.monotonic() + seconds
    if (found := make()) is not None or seconds <= 0:
        return found
    if not _places.acquire(blocking=False):
        raise BusyProblem(503, full, code="too_many_wait")
    try:
        return _look(make, is_there, end)
    finally:
        _places.release()


def _look(make: Callable[[], T | None], is_there: Callable[[], bool], end: float) -> T | None:
    pause = PAUSE_SECONDS
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(pause, left))
        looked = time.monotonic()
        if is_there() and (found := make()) is not None:
            return found
        took = time.monotonic() - looked
        pause = max(min(pause * 1.5, LONGEST_PAUSE_SECONDS), took * REST)
    return None
