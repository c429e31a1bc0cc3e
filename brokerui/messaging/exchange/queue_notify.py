"""Bells of queues: who waits for messages hears that some have come.

A ring that is lost, or Redis, costs a look later and nothing else: what there is stands in the database.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Final

from redis import RedisError

from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.queue_address import QueueAddress

LOOK_SECONDS: Final = 0.25
"""So often who waits looks without a ring: a group that another had locked is free again without one."""
MOST: Final = 16
"""Rings that wait to be heard; each is heard by one who waits."""
KEPT_MS: Final = 10_000


def notify_queues(places: Iterable[QueueAddress]) -> None:
    """Messages have come into these queues, and are committed."""
    try:
        with redis().pipeline(transaction=False) as pipe:
            for place in places:
                bell = _bell(place)
                pipe.rpush(bell, 1)
                pipe.ltrim(bell, -MOST, -1)
                pipe.pexpire(bell, KEPT_MS)
            pipe.execute()
    except (RedisError, OSError):
        return


def wait_for_notification(place: QueueAddress, seconds: float) -> None:
    """Until something may have come since somebody heard the bell last; no longer than so, nor than a look may wait."""
    longest = max(min(seconds, LOOK_SECONDS), 0.001)  # 0 would be for ever
    try:
        redis().blpop([_bell(place)], timeout=longest)
    except (RedisError, OSError):
        time.sleep(longest)  # nobody rings: who looks at once would do nothing else


def _bell(place: QueueAddress) -> str:
    return f"brokerui:bell:{'/'.join(place)}"
