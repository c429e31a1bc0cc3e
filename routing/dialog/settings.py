"""What an instance may set for its dialogs, and the limits that keep strangers from filling it."""

from __future__ import annotations

from dataclasses import dataclass

from routing.adjacent.limits import MAX_BODY_BYTES
from routing.common.errors import Invalid
from routing.common.sentence import say
from routing.dialog.batch import MAX_OUTGOING_PER_CLAIM
from routing.dialog.fragmentation import DEFAULT_FRAGMENT_BYTES, MAX_FRAGMENTS_PER_MESSAGE


@dataclass(frozen=True, slots=True)
class DialogSettings:
    """Raises `Invalid` for what cannot work."""

    fragment_bytes: int = DEFAULT_FRAGMENT_BYTES
    """Of a body in one fragment."""
    window: int = MAX_OUTGOING_PER_CLAIM
    """Fragments of a conversation, in one direction, that may be on their way without an acknowledgement."""
    batch_bytes: int = 1 << 20
    """Of bodies that one batch sends; what else is ready goes with the next one."""
    message_bytes: int = 256 << 20
    """The longest body, sent or put together: it is in memory as a whole when it is delivered."""
    held_bytes: int = 64 << 20
    """Of fragments that an endpoint holds before their turn. The message whose turn it is may have `message_bytes`."""
    postponed_bytes: int = 4 << 20
    """Of fragments that came while others had claimed their conversations; more are left to their senders."""
    transmission_bytes: int = 64 << 20
    """Of transmission objects in memory (TOB-2)."""
    room: int = 16 << 20
    """Of forwarded fragments for one next hop that leave at once."""

    @property
    def longest(self) -> int:
        """The longest body that can be sent: as long as allowed, and in no more fragments than the wire can number."""
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
