"""Where a queue is."""

from __future__ import annotations

from typing import NamedTuple


class QueueAddress(NamedTuple):
    """A queue of a hosted instance."""

    instance: str
    database: str
    queue: str
