"""The number of a queue."""

from __future__ import annotations

from functools import lru_cache
from hashlib import blake2b

from routing.dialog.endpoint import QueueKey


@lru_cache(maxsize=10_000)
def queue_number(instance: int, queue: QueueKey) -> int:
    """Return the number of a queue, a hash of its names, which needs no look-up; two are the same by chance in one
    case of 10**9 if an instance has 100,000 queues."""
    text = "\0".join((str(instance), *queue))
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)
