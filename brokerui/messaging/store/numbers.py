"""The number of a queue."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

from routing.dialog.endpoint import QueueKey


@lru_cache(maxsize=10_000)
def queue_number(instance: int, queue: QueueKey) -> int:
    """Made of its names, so that nobody has to look it up, or to make it first; two are the same by chance in one case
    of 10**9 where an instance has 100,000 queues."""
    text = "\0".join((str(instance), *queue))
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)
