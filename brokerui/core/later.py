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

SECONDS = 2
"""After so many one may ask again."""
MOST = 16
"""Things that are under way at a time; who asks for more is told the same, and they are begun later."""


def is_worth_a_line(record: logging.LogRecord) -> bool:
    """For the log: who is told to ask again meets no fault of ours."""
    return getattr(record, "status_code", None) != HTTPStatus.SERVICE_UNAVAILABLE


class LaterError(Exception):
    """It is being made ready: ask again in a moment."""


_may_be_told: ContextVar[bool] = ContextVar("may_be_told", default=False)
_guard = threading.Lock()
_one_at_a_time = threading.Lock()
_under_way: set[Hashable] = set()
_failed: dict[Hashable, Exception] = {}


@contextmanager
def told_later() -> Iterator[None]:
    """As long as this lasts, who asks can be told to ask again."""
    token = _may_be_told.set(True)
    try:
        yield
    finally:
        _may_be_told.reset(token)


def may_be_told() -> bool:
    """Whether `later` would tell somebody so."""
    return _may_be_told.get()


def is_under_way() -> bool:
    """Whether anything is being made ready."""
    return bool(_under_way)


def later(key: Hashable, work: Callable[[], object]) -> None:
    """Have the work done beside the request, once for each key, and raise `LaterError`; not in a request: nothing.

    The work leaves what it makes where the next request finds it. If it failed, the next request is told why.
    """
    if not may_be_told():
        return
    with _guard:
        error = _failed.pop(key, None)
        if error is None:
            _begin(key, work)
    raise error or LaterError


def _begin(key: Hashable, work: Callable[[], object]) -> None:
    if key in _under_way or len(_under_way) >= MOST:
        return
    _under_way.add(key)
    threading.Thread(target=_do, args=(key, work), name="later", daemon=True).start()


def _do(key: Hashable, work: Callable[[], object]) -> None:
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
            _under_way.discard(key)
            if error is not None and len(_failed) < MOST:
                _failed[key] = error
