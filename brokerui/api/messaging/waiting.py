"""Waiting for messages, by few at a time: who waits has a thread of the web for himself."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

from brokerui.api.messaging.base import BusyProblem
from brokerui.messaging.exchange.queue_notify import wait_for_notification
from brokerui.messaging.queue_address import QueueAddress

T = TypeVar("T")

PLACES: Final = 4
"""Who may wait in one process: half of its threads (`brokerui.running.web`), so that others are served."""

_places = threading.BoundedSemaphore(PLACES)


def waited_for(
    make: Callable[[], T | None], is_there: Callable[[], bool], bell: QueueAddress, seconds: float, full: str
) -> T | None:
    """What `make` gives, at once or as soon as something is there; None: nothing came in time. The bell of a queue is
    heard meanwhile.

    Raises a problem, with the sentence `full`, where too many wait already. No transaction may be open.
    """
    end = time.monotonic() + seconds
    if (found := make()) is not None or seconds <= 0:
        return found
    if not _places.acquire(blocking=False):
        raise BusyProblem(503, full, code="too_many_wait")
    try:
        return _look(make, is_there, bell, end)
    finally:
        _places.release()


def _look(make: Callable[[], T | None], is_there: Callable[[], bool], bell: QueueAddress, end: float) -> T | None:
    while (left := end - time.monotonic()) > 0:
        wait_for_notification(bell, left)
        if is_there() and (found := make()) is not None:
            return found
    return None
