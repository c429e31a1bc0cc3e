"""Dialog settings of an instance, and the limits on what peers can store in it."""

from __future__ import annotations

from dataclasses import dataclass

from routing.adjacent.limits import MAX_BODY_BYTES
from routing.common.errors import Invalid
from routing.common.sentence import say
from routing.dialog.batch import MAX_OUTGOING_PER_CLAIM
from routing.dialog.fragmentation import DEFAULT_FRAGMENT_BYTES, MAX_FRAGMENTS_PER_MESSAGE


@dataclass(frozen=True, slots=True)
class DialogSettings:
    """Dialog settings. Raises `Invalid` for values outside their range."""

    fragment_bytes: int = DEFAULT_FRAGMENT_BYTES
    """Body bytes per fragment."""
    window: int = MAX_OUTGOING_PER_CLAIM
    """Maximum unacknowledged fragments of a conversation in one direction."""
    batch_bytes: int = 1 << 20
    """Maximum body bytes that one batch sends; the rest goes with the next batch."""
    message_bytes: int = 256 << 20
    """Maximum body bytes of a message, sent or reassembled: it is in memory completely when delivered."""
    held_bytes: int = 64 << 20
    """Maximum bytes of out-of-order fragments buffered per endpoint. The next expected message may use
    `message_bytes`."""
    postponed_bytes: int = 4 << 20
    """Maximum bytes of fragments kept while others have claimed their conversations; more are dropped and resent."""
    transmission_bytes: int = 64 << 20
    """Maximum bytes of transmission objects in memory (TOB-2)."""
    room: int = 16 << 20
    """Maximum bytes of forwarded fragments handed out at once for one next hop."""

    @property
    def longest(self) -> int:
        """Maximum body bytes that can be sent, limited by `message_bytes` and by the wire format's fragment numbers."""
        return min(self.message_bytes, self.fragment_bytes * MAX_FRAGMENTS_PER_MESSAGE)

    def __post_init__(self) -> None:
        _check("fragment_bytes", self.fragment_bytes, 1, MAX_BODY_BYTES)
        _check("window", self.window, 1, MAX_OUTGOING_PER_CLAIM)
        _check("batch_bytes", self.batch_bytes, 1, 1 << 40)
        _check("message_bytes", self.message_bytes, 1, MAX_BODY_BYTES * MAX_FRAGMENTS_PER_MESSAGE)
        for name in ("held_bytes", "postponed_bytes", "transmission_bytes", "room"):
            _check(name, getattr(self, name), 0, 1 << 40)


def _check(name: str, given: int, least: int, most: int) -> None:
    if not least <= given <= most:
        raise Invalid(name, say("must be from {least} to {most}", least=least, most=most))
