"""Events of a connection, which its owner reads after every call."""

from __future__ import annotations

from dataclasses import dataclass

from routing.adjacent.errors import RemoteProtocolError
from routing.adjacent.frames import Hello
from routing.adjacent.online_connections import RegisteredConnection


@dataclass(frozen=True, slots=True)
class ConnectionOnline:
    """The connection is online: fragments may be sent."""

    peer: Hello
    displaced: RegisteredConnection | None = None
    """An older connection to the same peer that closes now; it has its own bytes to send and events."""


@dataclass(frozen=True, slots=True)
class FragmentsArrived:
    """Complete, unparsed fragments arrived, in order."""

    fragments: tuple[bytes, ...]


@dataclass(frozen=True, slots=True)
class RoleFrameArrived:
    """A question or answer about the role of a mirrored database arrived."""

    frame: bytes
    """Complete frame for `read_role`."""


@dataclass(frozen=True, slots=True)
class SendRoomAvailable:
    """`send` accepts fragments again after it refused some."""


@dataclass(frozen=True, slots=True)
class ConnectionClosing:
    """This side closes; data already sent by the peer still arrives."""

    reason: int


@dataclass(frozen=True, slots=True)
class ConnectionOver:
    """Last event: the connection is CLOSED or FAILED."""

    reason: int
    by_peer: bool
    unsent: int
    """Number of queued fragments that were not sent; their senders retransmit them (ACK-3)."""
    error: RemoteProtocolError | None = None
    """The peer's protocol error, if any."""
    text: str = ""
    """The peer's explanation, for people."""


ConnectionEvent = (
    ConnectionOnline | FragmentsArrived | RoleFrameArrived | SendRoomAvailable | ConnectionClosing | ConnectionOver
)
