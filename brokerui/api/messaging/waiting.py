"""Waiting for messages: a request that waits occupies a thread of the web server, so only a few may."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final, TypeVar

from brokerui.api.messaging.base import BusyProblem
from brokerui.messaging.exchange.queue_notify import wait_for_notification
from brokerui.messaging.queue_address import QueueAddress

T = TypeVar("T")

MAX_WAITING: Final = 4
"""Requests that may wait in one process: half of its threads (`brokerui.running.web`)."""

_waiting = threading.BoundedSemaphore(MAX_WAITING)


def wait_for(
    make: Callable[[], T | None], is_there: Callable[[], bool], bell: QueueAddress, seconds: float, full: str
) -> T | None:
    """Return what `make` returns, at once or as soon as messages arrive; None: none arrived in time.

    The queue's bell wakes the request. Raises a problem, with the sentence `full`, where too many requests wait
    already. No transaction may be open.
    """
    end = time.monotonic() + seconds
    if (found := make()) is not None or seconds <= 0:
        return found
    if not _waiting.acquire(blocking=False):
        raise BusyProblem(503, full, code="too_many_wait")
    try:
        return _look(make, is_there, bell, end)
    finally:
        _waiting.release()


def _look(make: Callable[[], T | None], is_there: Callable[[], bool], bell: QueueAddress, end: float) -> T | None:
    while (left := end - time.monotonic()) > 0:
        wait_for_notification(bell, left)
        if is_there() and (found := make()) is not None:
            return found
    return None
