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
