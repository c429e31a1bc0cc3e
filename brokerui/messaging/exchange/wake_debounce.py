"""Waking workers once for many reasons: who is at work already does what comes meanwhile too, without being woken.

Of each task Redis knows whether a wake-up is on its way, or somebody is at work, or was asked for more since he began.
Losing that, or a wake-up, loses nothing: beat wakes what is due.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from redis import RedisError

from brokerui.core.celery_wake import wake
from brokerui.messaging.exchange.outbox import redis

LEASE_MS: Final = 2_000
"""A wake-up that has not come by then was lost, and who has not said by then that he is still at work has died, or is
so busy that another may help."""
TURN_S: Final = 2.0
"""For which one works without letting others have their turn."""
REFRESH_S: Final = 0.5
"""So often one says that he is still at work."""
LINGER_S: Final = 0.1
"""For which one who has nothing more to do waits for more: what comes soon after need not go through Celery."""

_REQUEST = """
local state = redis.call('GET', KEYS[1])
if state == 'working' then
  if redis.call('LLEN', KEYS[2]) == 0 then redis.call('RPUSH', KEYS[2], 1) end
  redis.call('PEXPIRE', KEYS[2], ARGV[1])
end
if state then return 0 end
redis.call('SET', KEYS[1], 'woken', 'PX', ARGV[1])
return 1
"""
_BEGIN = """
local state = redis.call('GET', KEYS[1])
if state == 'working' then
  if redis.call('LLEN', KEYS[2]) == 0 then redis.call('RPUSH', KEYS[2], 1) end
  redis.call('PEXPIRE', KEYS[2], ARGV[1])
  return 'other'
end
redis.call('SET', KEYS[1], 'working', 'PX', ARGV[1])
return state
"""
_END = """
if redis.call('LPOP', KEYS[2]) then return 1 end
redis.call('DEL', KEYS[1])
return 0
"""


def _key(task: Any) -> str:
    return f"brokerui:pending:{task.name}"


def _bell(task: Any) -> str:
    """A list that holds something as long as who is at work is asked for more, and has not begun with it."""
    return f"{_key(task)}:bell"


def wake_request(task: Any) -> tuple[Any, ...]:
    """For EVAL: whether nobody is at work or on the way; then the caller wakes somebody."""
    return _REQUEST, 2, _key(task), _bell(task), LEASE_MS


def wake_once(task: Any) -> bool:
    """Have it done, unless somebody will anyhow. False where nobody can be reached, which is no error."""
    try:
        if not redis().eval(*wake_request(task)):
            return True
    except (RedisError, OSError):
        return False
    return wake(task)


def clear_pending(task: Any) -> None:
    """The wake-up has come: what happens from now on needs another."""
    try:
        redis().delete(_key(task))
    except (RedisError, OSError):
        return


def run_until_idle(task: Any, work: Callable[[], bool], aside: Callable[[], float] = lambda: LINGER_S) -> None:
    """The wake-up has come: work, which says whether there is more, until there is nothing and nobody asks for more.

    `aside` is done whenever there is nothing, and says in how many seconds it is to be done again at the latest. Who
    finds another at work leaves it to him. Who only looks, as beat has him do, waits for nothing: he takes a place.
    """
    began = said = time.monotonic()
    state = _begin(task)
    if state == b"other":
        return
    linger = LINGER_S if state else 0.0
    while work() or _more_requested(task, aside, linger):
        linger = LINGER_S
        at = time.monotonic()
        if at - began >= TURN_S:
            _refresh_lease(task, b"woken")
            wake(task)
            return
        if at - said >= REFRESH_S:
            _refresh_lease(task, b"working")
            said = at


def _begin(task: Any) -> bytes | None:
    """Whether this one was asked for, or looks by himself (None), or another is at work."""
    try:
        state: bytes | None = redis().eval(_BEGIN, *wake_request(task)[1:])
    except (RedisError, OSError):
        return None
    return state


def _refresh_lease(task: Any, state: bytes) -> None:
    try:
        redis().set(_key(task), state, px=LEASE_MS)
    except (RedisError, OSError):
        return


def _more_requested(task: Any, aside: Callable[[], float], linger: float) -> bool:
    """More was asked for since the work was begun, or is soon."""
    until = time.monotonic() + linger
    try:
        while (left := until - time.monotonic()) > 0:
            if redis().blpop([_bell(task)], timeout=max(min(left, aside()), 0.001)):  # 0 would be for ever
                return True
        return bool(redis().eval(_END, 2, _key(task), _bell(task)))
    except (RedisError, OSError):
        return False
