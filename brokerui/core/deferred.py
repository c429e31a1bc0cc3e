"""What takes longer than a request may: a thread of this process does it, and who asked is told to ask again.

Outside of requests (workers, commands, the thread that has things ready) nobody is told so: there it is done at once.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from http import HTTPStatus

from django.db import connections

logger = logging.getLogger(__name__)

RETRY_AFTER_S = 2
"""After so many one may ask again."""
DEFERRED_MAX = 16
"""Things that are under way at a time; who asks for more is told the same, and they are begun later."""


def is_not_deferral(record: logging.LogRecord) -> bool:
    """For the log: who is told to ask again meets no fault of ours."""
    return getattr(record, "status_code", None) != HTTPStatus.SERVICE_UNAVAILABLE


class NotReadyError(Exception):
    """It is being made ready: ask again in a moment."""


_may_defer: ContextVar[bool] = ContextVar("may_defer", default=False)
_guard = threading.Lock()
_one_at_a_time = threading.Lock()
_running: set[Hashable] = set()
_failed: dict[Hashable, Exception] = {}


@contextmanager
def deferral_allowed() -> Iterator[None]:
    """As long as this lasts, who asks can be told to ask again."""
    token = _may_defer.set(True)
    try:
        yield
    finally:
        _may_defer.reset(token)


def may_defer() -> bool:
    """Whether `later` would tell somebody so."""
    return _may_defer.get()


def is_deferred_work_running() -> bool:
    """Whether anything is being made ready."""
    return bool(_running)


def defer(key: Hashable, work: Callable[[], object]) -> None:
    """Have the work done beside the request, once for each key, and raise `LaterError`; not in a request: nothing.

    The work leaves what it makes where the next request finds it. If it failed, the next request is told why.
    """
    if not may_defer():
        return
    with _guard:
        error = _failed.pop(key, None)
        if error is None:
            _begin(key, work)
    raise error or NotReadyError


def _begin(key: Hashable, work: Callable[[], object]) -> None:
    if key in _running or len(_running) >= DEFERRED_MAX:
        return
    _running.add(key)
    threading.Thread(target=_run, args=(key, work), name="defer", daemon=True).start()


def _run(key: Hashable, work: Callable[[], object]) -> None:
    error = None
    try:
        # One after the other: together they would take as long, and the requests would stand further back.
        with _one_at_a_time:
            work()
    except Exception as problem:  # noqa: BLE001 - who asks next is told
        logger.info("what was to be made ready could not be: %s", problem)
        error = problem
    finally:
        connections.close_all()
        with _guard:
            _running.discard(key)
            if error is not None and len(_failed) < DEFERRED_MAX:
                _failed[key] = error
