"""An entry of the catalogue of transmission statuses: number, cause and next step of one text."""

from __future__ import annotations

from dataclasses import dataclass

from routing.common.sentence import Sentence

NO_ROUTE_STATUS = "no-route"
TARGET_NOT_FOUND = "target-not-found"
BROKER_OFF = "broker-disabled"
NO_ENDPOINT = "no-endpoint"
ENDPOINT_STOPPED = "endpoint-stopped"
CONNECTION_FAILED = "connection-failed"
TRANSPORT_SECURITY = "transport-security"
DIALOG_SECURITY = "dialog-security"
QUEUE_OFF = "queue-off"
NOT_ENQUEUED = "not-enqueued"
FORWARDING_OFF = "forwarding-off"
CONVERSATION_OVER = "conversation-over"
NOT_ACKNOWLEDGED = "not-acknowledged"
MESSAGES_WAIT = "messages-wait"


@dataclass(frozen=True, slots=True)
class StatusKind:
    """One entry of the catalogue of transmission statuses."""

    number: int
    """In sys.messages, or the system's number of a failed connection."""
    code: str
    """The kind of cause, which is the code of the finding about messages that have this status."""
    cause: Sentence
    next_step: Sentence
    signs: tuple[str, ...] = ()
    """Pieces of its English text in lower case, in the order in which they stand; values stand between them."""
    passes: bool = False
    """True if the server retries automatically."""
