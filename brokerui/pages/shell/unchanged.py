"""Polls that find nothing new: answered before anything is read for them but the mark of commits.

An answer depends on the database, on the clock, for some pages on Redis, and on what the browser sends. A browser that
sends the same while nothing was committed since, and before any age in the answer is another one, has it already. The
session and the rights of its user stand in the database, too.

Where nothing but an age is another one by now, the browser need not wait for the words either: the piece with the new
ages is made beside the requests, and the next poll takes it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from functools import partial
from typing import Final

from django.http import HttpRequest, HttpResponse, HttpResponseNotModified
from redis import RedisError

from brokerui.core.cache import LruCache
from brokerui.core.commit_mark import commit_mark
from brokerui.core.deferred import do_beside
from brokerui.messaging.exchange.outbox import redis

MOST_KEPT: Final = 1_000
GRACE_S: Final = 10.0
"""Longest time in seconds for which a browser keeps a piece with former ages, while one with new ages is made."""
SHAPE: Final = "Shape"
"""The header with the parts that the page in the browser has: `shape` of its context."""
Stamp = Callable[[], object]
"""Reads what an answer has of Redis, as a value that can be compared. May raise `RedisError`."""


def of_nothing() -> object:
    """The stamp of an answer that has nothing of Redis but whether it answers."""
    return bool(redis().ping())


@dataclass(frozen=True, slots=True)
class State:
    """The state that an answer is made from, as it was before."""

    commits: str | None
    """None: nobody can tell whether something is committed."""
    of_redis: object
    """None: Redis does not answer."""

    @property
    def redis_is_away(self) -> bool:
        return self.of_redis is None


@dataclass(frozen=True, slots=True)
class _Answer:
    """The latest piece that a browser has taken."""

    etag: str
    state: State
    stamp: Stamp
    until: float
    """On the monotonic clock."""


_answers: LruCache[_Answer] = LruCache(MOST_KEPT)


def state_now(stamp: Stamp, *, is_kept: bool) -> State:
    """Return the state; to be called before an answer is made. Only of an answer that is kept, all has to be read."""
    return State(commit_mark(), _read(stamp)) if is_kept else State(None, _read(of_nothing))


def note_answer(request: HttpRequest, etag: str, state: State, stamp: Stamp, until: float) -> None:
    """Keep that the answer to this request has this ETag, until a moment on the monotonic clock."""
    if state.commits is not None and time.monotonic() < until:
        _answers.put(_key(request), _Answer(etag, state, stamp, until))


class UnchangedMiddleware:
    """Answers 304 where a browser shows the answer that it would get."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        seen = request.headers.get("If-None-Match", "")
        last = _last_answer(request, seen) if seen and request.method == "GET" else None
        if last is None:
            return self._get_response(request)
        if time.monotonic() > last.until:
            do_beside(("piece", _key(request)), partial(self._get_response, request))
        return HttpResponseNotModified()


def _last_answer(request: HttpRequest, seen: str) -> _Answer | None:
    """Return the answer that the browser shows, if it would get the same one now but for ages in it."""
    last = _answers.get(_key(request))
    if last is None or last.etag != seen or time.monotonic() > last.until + GRACE_S:
        return None
    return last if commit_mark() == last.state.commits and _read(last.stamp) == last.state.of_redis else None


def _key(request: HttpRequest) -> Hashable:
    """Everything that a browser sends and an answer depends on: session, theme and language are in cookies."""
    headers = request.headers
    return request.get_full_path(), headers.get("Cookie"), headers.get("Accept-Language"), headers.get(SHAPE)


def _read(stamp: Stamp) -> object:
    try:
        return stamp()
    except (RedisError, OSError):
        return None
