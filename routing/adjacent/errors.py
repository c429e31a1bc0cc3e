"""What breaks the protocol, and whose fault it is.

- `LocalProtocolError`: our own side asked for what the protocol does not allow. Raised to the caller; nothing was done.
- `RemoteProtocolError`: the peer, or the way from it, sent what the protocol does not allow. It ends a connection where
  it breaks the stream, and costs one fragment where it breaks only that.
"""

from __future__ import annotations

from routing.common.sentence import Sentence, Translate


class ProtocolError(Exception):
    """Never raised itself: one of the two below says who is at fault."""

    def __init__(self, field: str, problem: Sentence, number: int | None = None) -> None:
        super().__init__(field, problem)
        self.field = field
        """Which part of the frame, the fragment or the call, as docs/reference/wire.md names it."""
        self.problem = problem
        self.number = number
        """The product's error of the same meaning, where there is one."""

    def render(self, translate: Translate = str) -> str:
        """`FIELD: what is wrong`."""
        return f"{self.field}: {self.problem.render(translate)}"

    def __str__(self) -> str:
        return self.render()


class LocalProtocolError(ProtocolError):
    """The caller's fault."""


class RemoteProtocolError(ProtocolError):
    """The fault of the peer, or of the network between."""


class Corrupted(RemoteProtocolError):
    """A fragment that is not what its sender sent: discarded, not acknowledged, event 161 (INT-1)."""
