"""How many connections are let in, and from where."""

from __future__ import annotations

from collections import Counter


class ConnectionLimiter:
    """Counted over all instances of the endpoint."""

    def __init__(self, most: int, most_of_one: int) -> None:
        self.most = most
        self.most_of_one = most_of_one
        self._open: Counter[str] = Counter()
        self._refused: Counter[tuple[str, str]] = Counter()

    def __len__(self) -> int:
        return self._open.total()

    def enter(self, instance: str, host: str) -> bool:
        """Return whether there is room; a connection that enters must leave."""
        if self._open[host] >= self.most_of_one or len(self) >= self.most:
            # Strangers must not fill the memory with the addresses from which they come.
            who = (instance, host) if len(self._refused) < self.most else (instance, "")
            self._refused[who] += 1
            return False
        self._open[host] += 1
        return True

    def leave(self, host: str) -> None:
        self._open[host] -= 1
        if not self._open[host]:
            del self._open[host]

    def refused(self) -> Counter[tuple[str, str]]:
        """How many were refused since the last call, by instance and where they came from."""
        refused, self._refused = self._refused, Counter()
        return refused
