"""Records of the applications: the calls of their verbs, and the results."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple


class BodyDigest(NamedTuple):
    """Size and digest that identify a message body."""

    size: int
    digest: str


def body_of(body: bytes | None) -> BodyDigest:
    raw = body or b""
    return BodyDigest(len(raw), blake2b(raw, digest_size=8).hexdigest())


class DialogBegan(NamedTuple):
    """BEGIN DIALOG, committed."""

    at: int
    broker: str
    conversation: int
    """Number of its plan."""
    conversation_id: str
    handle: str
    database: str
    from_service: str
    to_service: str
    identifier: str | None
    encryption: bool
    lifetime: int
    """Expiry time by the broker's clock."""


class ApplicationSent(NamedTuple):
    """SEND, committed."""

    at: int
    broker: str
    handle: str
    message_type: str
    body: BodyDigest


class ApplicationReceived(NamedTuple):
    """A message of a RECEIVE that was committed."""

    at: int
    broker: str
    handle: str
    sequence: int
    message_type: str
    body: BodyDigest
    code: int
    """Error code; 0 if it is not an Error message."""


class ApplicationEnded(NamedTuple):
    """END CONVERSATION, committed."""

    at: int
    broker: str
    handle: str
    how: str
    """`end`, `error` or `cleanup`."""


class ReceiveFinished(NamedTuple):
    """The end of a transaction that received from a queue with poison message handling was counted."""

    at: int
    broker: str
    database: str
    queue: str
    is_rolled_back: bool


class VerbRefused(NamedTuple):
    """A verb that the engine refused with an error number."""

    at: int
    broker: str
    verb: str
    handle: str
    number: int
