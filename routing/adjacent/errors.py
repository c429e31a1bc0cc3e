"""Protocol errors, by which side is at fault.

- `LocalProtocolError`: the caller asked for something the protocol forbids. Raised to the caller; nothing was done.
- `RemoteProtocolError`: the peer or the network sent something the protocol forbids. It ends the connection if the
  stream is broken, and drops one fragment if only that is broken.
"""

from __future__ import annotations

from routing.common.sentence import Sentence, Translate


class ProtocolError(Exception):
    """Base class; only its subclasses are raised."""

    def __init__(self, field: str, problem: Sentence, number: int | None = None) -> None:
        super().__init__(field, problem)
        self.field = field
        """Field of the frame, fragment or call, as named in docs/reference/wire.md; empty where none is at fault."""
        self.problem = problem
        self.number = number
        """SQL Server's error number of the same meaning, if any."""

    def render(self, translate: Translate = str) -> str:
        """Return `FIELD: problem`, translated; the problem alone where no field is at fault."""
        problem = self.problem.render(translate)
        return f"{self.field}: {problem}" if self.field else problem

    def __str__(self) -> str:
        return self.render()


class LocalProtocolError(ProtocolError):
    """Error of the caller."""


class RemoteProtocolError(ProtocolError):
    """Error of the peer or of the network."""


class Corrupted(RemoteProtocolError):
    """A fragment was changed in transit: discarded, not acknowledged, event 161 (INT-1)."""
