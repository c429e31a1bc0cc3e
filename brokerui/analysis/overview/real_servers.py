"""The real servers of the estate: how long ago each was read, and what it held then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings

from brokerui.analysis.monitoring.collected import CollectedConversations, collected_conversations
from brokerui.core.cache import LruCache
from brokerui.estate.selectors import LiveEstate
from routing.model.estate import Instance

_sums: LruCache[Mapping[str, tuple[int, int, int]]] = LruCache(4)
_leaks: LruCache[list[CollectedConversations]] = LruCache(4)


@dataclass(frozen=True, slots=True)
class RealServer:
    """An instance that BrokerUI does not run itself."""

    name: str
    databases: int
    at: datetime | None
    """When it was read last; None: never."""
    age: timedelta | None
    held: int
    """Messages that waited there then."""
    leaks: int
    """Kinds of conversations that nobody ends."""

    @property
    def is_stale(self) -> bool:
        return self.age is None or self.age > _interval()

    @property
    def part(self) -> int:
        """How much of the time between two readings is over, in percent, 100 at most."""
        if self.age is None:
            return 100
        return min(100, round(100 * (self.age / _interval())))


def _interval() -> timedelta:
    return timedelta(days=settings.ESTATE_STALE_DAYS)


def real_servers(
    live: LiveEstate, imported: Mapping[str, datetime | None], hosted: Iterable[str], now: datetime
) -> list[RealServer]:
    """All of them: those that hold messages and those that were read longest ago first."""
    sums, ours = _of_version(live), frozenset(hosted)
    found = []
    for name in live.estate.instances:
        if name not in ours:
            databases, held, leaks = sums[name]
            at = imported.get(name)
            found.append(RealServer(name, databases, at, None if at is None else now - at, held, leaks))
    return sorted(found, key=lambda one: (-one.held, not one.is_stale, -one.leaks, one.name))


def leaks_of(live: LiveEstate) -> list[CollectedConversations]:
    """Kinds of conversations that nobody ends, the largest first; worked out once for a version."""
    return _leaks.get_or_make(
        live.digest, lambda: [one for one in collected_conversations(live.estate) if one.next_step is not None]
    )


def _of_version(live: LiveEstate) -> Mapping[str, tuple[int, int, int]]:
    """Databases, messages held and leaks of each instance."""
    return _sums.get_or_make(live.digest, lambda: _summed(live))


def _summed(live: LiveEstate) -> dict[str, tuple[int, int, int]]:
    leaks: dict[str, int] = {}
    for leak in leaks_of(live):
        leaks[leak.held.instance.name] = leaks.get(leak.held.instance.name, 0) + 1
    return {
        name: (len(instance.databases), _held(instance), leaks.get(name, 0))
        for name, instance in live.estate.instances.items()
    }


def _held(instance: Instance) -> int:
    queues = (database.transmission_queue for database in instance.databases.values())
    return sum(row.messages for queue in queues if queue is not None for row in queue.rows)
