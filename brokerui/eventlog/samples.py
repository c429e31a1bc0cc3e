"""Samples taken once a minute: waiting messages, their oldest age, and the principal of each mirror."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, NamedTuple

SAMPLE: Final = 1004
SAMPLE_NAME: Final = "BrokerUI:Sample"


class OfSample(IntEnum):
    """Subclasses of BrokerUI:Sample."""

    QUEUE = 1
    TRANSMISSION_QUEUE = 2
    WAITING_CONVERSATIONS = 3
    MIRRORING_ROLE = 4
    MIRRORED_ROUTE = 5
    ENQUEUED = 6
    """Messages that came into the queue of a service in the minute: counted, not looked at."""
    RECEIVED = 7
    """Messages that were received from a queue in the minute: counted, too."""


LOOKED_AT: Final = (
    OfSample.QUEUE,
    OfSample.TRANSMISSION_QUEUE,
    OfSample.WAITING_CONVERSATIONS,
    OfSample.MIRRORING_ROLE,
    OfSample.MIRRORED_ROUTE,
)
"""Those that are looked at once a minute."""


class Sample(NamedTuple):
    """One figure of an instance at one moment; what does not apply is empty, 0 or None."""

    subclass: OfSample
    database: str = ""
    queue: str = ""
    error: int = 0
    """Why conversations wait; 0: for an acknowledgement, or for the first attempt."""
    depth: int = 0
    oldest_age_ms: int | None = None
    role: str = ""
    address: str = ""
    mirror_address: str = ""
    service: str = ""
    broker_instance: str = ""
    principal: str = ""

    @property
    def number(self) -> int:
        return SAMPLE
