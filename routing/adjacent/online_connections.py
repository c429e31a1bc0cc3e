"""The online connections of one instance, and the arbitration between two connections to the same peer."""

from __future__ import annotations

from typing import Protocol

from routing.adjacent.frames import Hello


class RegisteredConnection(Protocol):
    """The parts of a connection that the arbitration needs."""

    own: Hello
    is_accept: bool
    login_at_ms: int | None
    """When it came online."""
    decision: int
    """Number of the arbitration decision that put it online."""

    def close(self, now_ms: int, reason: int) -> None:
        """Close after sending everything queued."""

    def __hash__(self) -> int:
        """Return a value by identity: two connections are never equal."""


class OnlineConnections:
    """The online connections of one instance, one per peer."""

    def __init__(self) -> None:
        self._online: dict[tuple[str, bytes], RegisteredConnection] = {}
        self._decisions = 0

    def decide(self) -> int:
        """Return the next arbitration number: the peer may see a later decision first, over another connection."""
        self._decisions += 1
        return self._decisions

    def get(self, peer: Hello) -> RegisteredConnection | None:
        return self._online.get(peer[:2])

    def put(self, peer: Hello, connection: RegisteredConnection) -> RegisteredConnection | None:
        """Set the connection of a peer and return the one that it replaces."""
        before = self._online.get(peer[:2])
        self._online[peer[:2]] = connection
        return before

    def drop(self, peer: Hello, connection: RegisteredConnection) -> None:
        if self._online.get(peer[:2]) is connection:
            del self._online[peer[:2]]

    def is_duplicate(self, peer: Hello, claimed: bytes, began_at_ms: int) -> bool:
        """Arbitrate: return True if the connection in use stays, and another one that the peer opened is closed.

        `claimed` is the connection that the peer considers in use; `began_at_ms` is when the other one was opened.
        """
        used = self.get(peer)
        if used is None:
            return False
        if claimed == used.own.connection_id:
            return True
        assert used.login_at_ms is not None
        both_at_once = used.login_at_ms >= began_at_ms
        return both_at_once and not used.is_accept

    def __len__(self) -> int:
        return len(self._online)
