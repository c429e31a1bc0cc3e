"""Moves work that takes too long for a request to a thread of this process; the request is answered "ask again".

Outside of requests (workers, commands, the preloading thread) the work is done at once, in the thread that needs it.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from http import HTTPStatus

from django.db import connections

from brokerui.core.lasting import passes

logger = logging.getLogger(__name__)

RETRY_AFTER_S = 2
"""Seconds after which a client may ask again."""
DEFERRED_MAX = 16
"""Maximum number of deferred jobs; further requests are answered the same way, and have to ask again."""


def is_not_deferral(record: logging.LogRecord) -> bool:
    """Filter of the log: an answer "ask again" is no error."""
    return getattr(record, "status_code", None) != HTTPStatus.SERVICE_UNAVAILABLE


class NotReadyError(Exception):
    """The answer is being prepared: ask again in a moment."""


_may_defer: ContextVar[bool] = ContextVar("may_defer", default=False)
_guard = threading.Lock()
_one_at_a_time = threading.Lock()
_running: set[Hashable] = set()
_failed: dict[Hashable, Exception] = {}


@contextmanager
def deferral_allowed() -> Iterator[None]:
    """Allow `defer` in this context: the caller answers `NotReadyError`."""
    token = _may_defer.set(True)
    try:
        yield
    finally:
        _may_defer.reset(token)


def may_defer() -> bool:
    """Return whether `defer` would raise `NotReadyError` here."""
    return _may_defer.get()


def is_deferred_work_running() -> bool:
    """Return whether any deferred job is running or waiting."""
    return bool(_running)


def defer(key: Hashable, work: Callable[[], object]) -> None:
    """Start the work in a thread, once for each key, and raise `NotReadyError`. Does nothing where that is not allowed.

    The work stores its result where the next request finds it. If it failed, the next request raises its error.
    """
    if not may_defer():
        return
    with _guard:
        error = _failed.pop(key, None)
        if error is None:
            _begin(key, work)
    passes()
    raise error or NotReadyError


def do_beside(key: Hashable, work: Callable[[], object]) -> None:
    """Start the work in a thread, once for each key, unless `DEFERRED_MAX` works run or wait. No request waits for it:
    the work must not raise."""
    with _guard:
        _begin(key, work)


def _begin(key: Hashable, work: Callable[[], object]) -> None:
    if key in _running or len(_running) >= DEFERRED_MAX:
        return
    _running.add(key)
    threading.Thread(target=_run, args=(key, work), name="defer", daemon=True).start()


def _run(key: Hashable, work: Callable[[], object]) -> None:
    error = None
    try:
        # One job at a time: together they would take as long, and leave less time for requests.
        with _one_at_a_time:
            work()
    except Exception as problem:  # noqa: BLE001 - the next request raises it
        logger.info("an answer that was being prepared failed: %s", problem)
        error = problem
    finally:
        connections.close_all()
        with _guard:
            _running.discard(key)
            if error is not None and len(_failed) < DEFERRED_MAX:
                _failed[key] = error
