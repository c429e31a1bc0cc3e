"""Wakes a worker once for many requests: a worker that is already running takes new work without a further task.

For each task Redis knows whether a wake-up is pending, a worker is running, or more was requested since it began.
If that state or a wake-up is lost, nothing else is: beat wakes workers for everything that is due.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from redis import RedisError

from brokerui.core.celery_wake import wake
from brokerui.core.redis_keys import PENDING, QUICK_QUEUES, REQUESTED
from brokerui.core.worker_stop import is_stopping
from brokerui.messaging.exchange.lists import Bell
from brokerui.messaging.exchange.outbox import redis

LEASE_MS: Final = 2_000
"""Lease of the pending or running flag, in milliseconds. When it expires, the wake-up counts as lost or its worker as
dead, and another worker may be woken."""
TURN_S: Final = 2.0
"""Longest time that one task runs where other tasks wait for the worker, in seconds."""
LONGEST_S: Final = 30.0
"""Longest time that one task runs where none waits: with each further task, what arrives waits for a trip through
Celery. A worker that is to stop ends the turn at once."""
REFRESH_S: Final = 0.5
"""Interval at which a running worker renews its lease, in seconds."""
LINGER_S: Final = 0.25
"""Seconds that an idle worker waits for more work before it returns: it saves a trip through Celery. Acknowledgements
are delayed for less (`workers.delayed_acks`): where messages come one after the other, a sender's worker lingers on."""

_STATE = """
-- A state without an end is none that a worker has set: it is put aside.
local state = redis.call('GET', KEYS[1])
if state and redis.call('PTTL', KEYS[1]) == -1 then return redis.error_reply('WRONGTYPE a state without an end') end
redis.call('LLEN', KEYS[2])
"""
_REQUEST = f"""
{_STATE}
if state == 'working' then
  if redis.call('LLEN', KEYS[2]) == 0 then redis.call('RPUSH', KEYS[2], 1) end
  redis.call('PEXPIRE', KEYS[2], ARGV[1])
end
if state then return 0 end
redis.call('SET', KEYS[1], 'woken', 'PX', ARGV[1])
return 1
"""
_BEGIN = f"""
{_STATE}
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
    return f"{PENDING}{task.name}"


def _bell(task: Any) -> str:
    """Key of a list that is not empty while more was requested of the running worker and it has not begun with it."""
    return f"{REQUESTED}{task.name}"


def wake_request(task: Any) -> tuple[Any, ...]:
    """Arguments of EVAL for a request. The script returns whether the caller has to send the task."""
    return _REQUEST, 2, _key(task), _bell(task), LEASE_MS


def bell_of(task: Any) -> Bell:
    """Return where the running worker of a task hears of more work."""
    return Bell(_key(task), _bell(task), LEASE_MS)


def wake_once(task: Any) -> bool:
    """Send the task unless it is pending or running. False where Redis cannot be reached, which is no error."""
    try:
        if not redis().eval(*wake_request(task)):
            return True
    except (RedisError, OSError):
        return False
    return wake(task)


def clear_pending(task: Any) -> None:
    """Clear the pending flag: a request from now on sends a task again."""
    try:
        redis().delete(_key(task))
    except (RedisError, OSError):
        return


def run_until_idle(
    task: Any,
    work: Callable[[], bool],
    on_idle: Callable[[], float] = lambda: LINGER_S,
    on_turn: Callable[[], None] | None = None,
    listen: Callable[[float], bool] | None = None,
) -> None:
    """Call `work`, which returns whether there is more, until there is none and no request has come meanwhile.

    `on_idle` is called whenever there is none, and returns in how many seconds to call it again at the latest.
    `listen` waits some seconds for the bell of the task and returns whether it rang, as `is_rung` does.
    `on_turn` is called about every `TURN_S` seconds of a long turn; a task without it has no long turns. Returns at
    once if another worker holds the flag. Called by beat (no flag set), it does not linger, because it occupies a place
    of the worker.
    """
    began = refreshed_at = turn_at = time.monotonic()
    state = _begin(task)
    if state == b"other":
        return
    linger = LINGER_S if state else 0.0
    listen = listen or partial(is_rung, task)
    while work() or _more_requested(task, on_idle, linger, listen):
        linger = LINGER_S
        at = time.monotonic()
        if at - turn_at >= TURN_S or is_stopping():
            if on_turn is None or at - began >= LONGEST_S or is_stopping() or _do_others_wait():
                _refresh_lease(task, b"woken")
                wake(task)
                return
            on_turn()
            turn_at = at
        if at - refreshed_at >= REFRESH_S:
            _refresh_lease(task, b"working")
            refreshed_at = at


def _begin(task: Any) -> bytes | None:
    """The state that the script found: requested, found by beat (None), or another worker is running."""
    try:
        state: bytes | None = redis().eval(_BEGIN, *wake_request(task)[1:])
    except (RedisError, OSError):
        return None
    return state


def _do_others_wait() -> bool:
    """Whether a task waits for a worker like this one: those of the pipeline may wait for hours, or for ever where no
    worker of theirs runs."""
    try:
        return bool(redis().exists(*QUICK_QUEUES))
    except (RedisError, OSError):
        return True


def _refresh_lease(task: Any, state: bytes) -> None:
    try:
        redis().set(_key(task), state, px=LEASE_MS)
    except (RedisError, OSError):
        return


def is_rung(task: Any, seconds: float) -> bool:
    """Wait for the bell of a task, at most this many seconds. Raises `RedisError`."""
    return bool(redis().blpop([_bell(task)], timeout=seconds))


def _more_requested(task: Any, on_idle: Callable[[], float], linger: float, listen: Callable[[float], bool]) -> bool:
    """Whether more was requested since the work began, or is requested while the worker lingers."""
    until = time.monotonic() + linger
    try:
        while (left := until - time.monotonic()) > 0:
            if listen(max(min(left, on_idle()), 0.001)):  # 0 would be for ever
                return True
        return bool(redis().eval(_END, 2, _key(task), _bell(task)))
    except (RedisError, OSError):
        return False
