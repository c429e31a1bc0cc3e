"""Rows that were collected from a server's transmission queues and conversation endpoints, summed.

These rows are observations of a moment. They take no part in routing.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from routing.common.errors import Invalid, must_be
from routing.common.identifier import parse_identifier
from routing.common.names import SERVICE_NAME_CHARS, check_name
from routing.common.sentence import say

MAX_COLLECTED_ROWS = 1_000
"""Limit of sums that an estate keeps of one view of one database."""
MAX_STATUS_CHARS = 4_000
"""Characters of sys.transmission_queue.transmission_status."""
MAX_COUNT = 10**15
STARTED_OUTBOUND, STARTED_INBOUND, CONVERSING = "SO", "SI", "CO"
DISCONNECTED_INBOUND, DISCONNECTED_OUTBOUND = "DI", "DO"
ERRONEOUS, CLOSED = "ER", "CD"
MAX_STATE_CHARS = 2
"""Characters of sys.conversation_endpoints.state."""


@dataclass(frozen=True, slots=True)
class TransmissionSum:
    """Messages of a transmission queue between the same services and with the same status."""

    messages: int
    status: str = ""
    """`transmission_status`; empty: blank, as for messages that were sent and not acknowledged."""
    from_service: str | None = None
    """None: not collected."""
    to_service: str | None = None
    to_broker_instance: str | None = None
    oldest: datetime | None = None
    """The first `enqueue_time` of them (UTC); None: not collected."""

    def __post_init__(self) -> None:
        check_count(self.messages, "messages")
        for field in ("from_service", "to_service"):
            _check_service(getattr(self, field), field)
        if self.to_broker_instance is not None:
            parse_identifier(self.to_broker_instance)
        if self.status:
            check_name(self.status, "status", MAX_STATUS_CHARS)


@dataclass(frozen=True, slots=True)
class EndpointSum:
    """Conversation endpoints of one service with the same far service and state."""

    endpoints: int
    state: str
    """`state` of sys.conversation_endpoints, such as DI."""
    service: str | None = None
    """None: not collected."""
    far_service: str | None = None

    def __post_init__(self) -> None:
        check_count(self.endpoints, "endpoints")
        check_name(self.state, "state", MAX_STATE_CHARS)
        for field in ("service", "far_service"):
            _check_service(getattr(self, field), field)


@dataclass(frozen=True, slots=True)
class CollectedTransmissions:
    """The transmission queue of a database as it was at a moment."""

    collected_at: datetime | None = None
    """When the server was asked; None: not known."""
    rows: tuple[TransmissionSum, ...] = ()
    """The largest first."""
    left_out: int = 0
    """Messages that are in none of the rows, because there were too many of them; an estimate."""

    def __post_init__(self) -> None:
        _check_rows(len(self.rows), self.left_out)

    @property
    def messages(self) -> int:
        return sum(row.messages for row in self.rows)


@dataclass(frozen=True, slots=True)
class CollectedEndpoints:
    """The conversation endpoints of a database as they were at a moment."""

    collected_at: datetime | None = None
    """When the server was asked; None: not known."""
    rows: tuple[EndpointSum, ...] = ()
    """The largest first."""
    left_out: int = 0
    """Endpoints that are in none of the rows, because there were too many of them; an estimate."""

    def __post_init__(self) -> None:
        _check_rows(len(self.rows), self.left_out)

    @property
    def endpoints(self) -> int:
        return sum(row.endpoints for row in self.rows)


def check_count(count: int, field: str) -> None:
    """Raise `Invalid` for a number of rows that no view can have."""
    if not 0 <= count <= MAX_COUNT:
        raise Invalid(field, must_be(say("0 to {limit}", limit=MAX_COUNT), count))


def _check_service(name: str | None, field: str) -> None:
    if name is not None:
        check_name(name, field, SERVICE_NAME_CHARS)


def _check_rows(count: int, left_out: int) -> None:
    if count > MAX_COLLECTED_ROWS:
        raise Invalid("rows", say("has more than {limit} rows", limit=MAX_COLLECTED_ROWS))
    check_count(left_out, "left_out")
