"""Notifications of queues: a receiver that waits for messages is notified when a transaction has added some.

A notification that is lost (with Redis, say) delays the receiver until its next poll: the messages are in the database.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Final

from redis import RedisError

from brokerui.core.redis_keys import BELL
from brokerui.messaging.exchange.lists import Command, post
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.exchange.scripts import NOTIFY
from brokerui.messaging.queue_address import QueueAddress

LOOK_SECONDS: Final = 0.25
"""Polling interval of a waiting receiver, in seconds: a conversation group that another transaction releases sends no
notification."""
MOST: Final = 16
"""Longest list of notifications that no receiver has taken; each wakes one receiver."""
KEPT_MS: Final = 10_000


def notify_queues(places: Iterable[QueueAddress]) -> None:
    """Notify one receiver of each queue; the caller's transaction with the messages is committed."""
    bells = tuple(map(_bell, places))
    try:
        post(redis(), Command(NOTIFY, bells, (MOST, KEPT_MS), int))
    except (RedisError, OSError):
        return


def wait_for_notification(place: QueueAddress, seconds: float) -> None:
    """Wait for a notification, at most `seconds` and at most the polling interval."""
    longest = max(min(seconds, LOOK_SECONDS), 0.001)  # 0 would be for ever
    try:
        redis().blpop([_bell(place)], timeout=longest)
    except (RedisError, OSError):
        time.sleep(longest)  # without Redis there are no notifications; polling without a pause would use a processor


def _bell(place: QueueAddress) -> str:
    return f"{BELL}{'/'.join(place)}"
