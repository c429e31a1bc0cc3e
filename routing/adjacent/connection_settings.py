"""Settings of one side of a connection, and the reasons for which a connection closes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from routing.adjacent.errors import LocalProtocolError
from routing.adjacent.fragment import MAX_FRAGMENT_BYTES
from routing.adjacent.frames import Hello
from routing.adjacent.limits import MAX_FRAME_BYTES, MIN_FRAME_BYTES
from routing.common.sentence import Sentence, say

CLOSE_SHUTDOWN: Final = 1
CLOSE_IDLE: Final = 2
CLOSE_DUPLICATE: Final = 3
CLOSE_PROTOCOL_ERROR: Final = 4
CLOSE_LATE: Final = 5
CLOSE_NO_ANSWER: Final = 6
CLOSE_TRANSPORT_LOST: Final = 7
CLOSE_REASONS: Final = {
    CLOSE_SHUTDOWN: "shut down",
    CLOSE_IDLE: "idle",
    CLOSE_DUPLICATE: "another connection to the same peer is used",
    CLOSE_PROTOCOL_ERROR: "protocol error",
    CLOSE_LATE: "not ready in time",
    CLOSE_NO_ANSWER: "no answer",
    CLOSE_TRANSPORT_LOST: "the transport has ended",
}
"""Close reasons by number in a CLOSE frame. CLOSE_TRANSPORT_LOST is never sent; a peer may send others."""

NOT_PERMITTED: Final = 28034
"""SQL Server error: the peer has no permission to connect."""
PeerPermission = Callable[[Hello], Sentence | None]
"""Called with a peer's HELLO: returns why it may not connect, or None."""


@dataclass(frozen=True, slots=True)
class ConnectionSettings:
    """Settings that each side chooses for itself."""

    max_frame_bytes: int = 256 << 10
    """Largest frame to accept: twice the minimum makes a write worthwhile without delaying other conversations."""
    max_outgoing_bytes: int = 4 << 20
    """Maximum bytes of fragments queued per connection. More are refused until half of them are sent."""
    login_timeout_ms: int = 15_000
    """Maximum time from dialling or accepting until ONLINE. About SQL Server's own login timeout."""
    idle_timeout_ms: int = 30_000
    """Time without traffic before closing (ADJ-2). Shorter than the longest retry delay (64 s), so that an unreachable
    peer costs no socket."""
    closing_timeout_ms: int = 10_000
    """Maximum time from our CLOSE until the peer's CLOSE."""
    ping_after_ms: int = 20_000
    """Time without data from the peer, after a send, before a PING."""
    pong_timeout_ms: int = 20_000

    def __post_init__(self) -> None:
        if not MIN_FRAME_BYTES <= self.max_frame_bytes <= MAX_FRAME_BYTES:
            raise LocalProtocolError(
                "max_frame_bytes", say("must be {least} to {most}", least=MIN_FRAME_BYTES, most=MAX_FRAME_BYTES)
            )
        if self.max_outgoing_bytes < MAX_FRAGMENT_BYTES:
            raise LocalProtocolError(
                "max_outgoing_bytes", say("must hold a fragment of {size} bytes", size=MAX_FRAGMENT_BYTES)
            )
        for name in ("login_timeout_ms", "idle_timeout_ms", "closing_timeout_ms", "ping_after_ms", "pong_timeout_ms"):
            if not getattr(self, name) > 0:
                raise LocalProtocolError(name, say("must be more than 0"))
