"""Waking workers once for many reasons: who is at work already does what comes meanwhile too, without being woken.

Of each task Redis knows whether a wake-up is on its way, or somebody is at work, or was asked for more since he began.
Losing that, or a wake-up, loses nothing: beat wakes what is due.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from redis import RedisError

from brokerui.core.wake import wake
from brokerui.messaging.outgoing import redis

LEASE_MS: Final = 2_000
"""A wake-up that has not come by then was lost, and who has not said by then that he is still at work has died, or is
so busy that another may help."""
TURN_SECONDS: Final = 2.0
"""For which one works without letting others have their turn."""
LINGER_SECONDS: Final = 0.1
"""For which one who has nothing more to do waits for more: what comes soon after need not go through Celery."""

_ASK = """
local state = redis.call('GET', KEYS[1])
if state == 'working' then
  redis.call('SET', KEYS[1], 'asked', 'KEEPTTL')
  redis.call('RPUSH', KEYS[2], 1)
  redis.call('PEXPIRE', KEYS[2], ARGV[1])
end
if state then return 0 end
redis.call('SET', KEYS[1], 'woken', 'PX', ARGV[1])
return 1
"""
_END = """
redis.call('DEL', KEYS[2])
if redis.call('GET', KEYS[1]) == 'asked' then
  redis.call('SET', KEYS[1], 'working', 'PX', ARGV[1])
  return 1
end
redis.call('DEL', KEYS[1])
return 0
"""


def _key(task: Any) -> str:
    return f"brokerui:pending:{task.name}"


def _bell(task: Any) -> str:
    """A list that begins to hold something when who waits for more is asked."""
    return f"{_key(task)}:bell"


def wake_once(task: Any) -> bool:
    """Have it done, unless somebody will anyhow. False where nobody can be reached, which is no error."""
    try:
        if not redis().eval(_ASK, 2, _key(task), _bell(task), LEASE_MS):
            return True
    except (RedisError, OSError):
        return False
    return wake(task)


def awake(task: Any) -> None:
    """The wake-up has come: what happens from now on needs another."""
    try:
        redis().delete(_key(task))
    except (RedisError, OSError):
        return


def work_off(task: Any, work: Callable[[], bool]) -> None:
    """The wake-up has come: work, which says whether there is more, until there is nothing and nobody asks for more."""
    end = time.monotonic() + TURN_SECONDS
    _say(task, b"working")
    while True:
        if work():
            _say(task, b"working")
        elif not _goes_on(task):
            return
        if time.monotonic() >= end:
            _say(task, b"woken")
            wake(task)
            return


def _say(task: Any, state: bytes) -> None:
    try:
        redis().set(_key(task), state, px=LEASE_MS)
    except (RedisError, OSError):
        return


def _goes_on(task: Any) -> bool:
    """More was asked for since the work was begun, or is soon: then he is at work again."""
    try:
        redis().blpop([_bell(task)], timeout=LINGER_SECONDS)
        return bool(redis().eval(_END, 2, _key(task), _bell(task), LEASE_MS))
    except (RedisError, OSError):
        return False
