"""Waking workers once for many reasons: a wake-up that is on its way serves for all that happens until it comes.

Losing one loses nothing: beat wakes what is due.
"""

from __future__ import annotations

from typing import Any

from redis import RedisError

from brokerui.core.wake import wake
from brokerui.messaging.outgoing import redis

PENDING_MS = 2_000
"""A wake-up that has not come by then was lost."""


def _key(task: Any) -> str:
    return f"brokerui:pending:{task.name}"


def wake_once(task: Any) -> bool:
    """Send a wake-up, unless one is on its way. False where nobody can be reached, which is no error."""
    try:
        if not redis().set(_key(task), b"1", nx=True, px=PENDING_MS):
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
