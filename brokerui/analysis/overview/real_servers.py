"""The real servers of the estate: how long ago each was read, and what it held then."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings

from brokerui.analysis.monitoring.collected import CollectedConversations, collected_conversations
from brokerui.core.cache import LruCache
from brokerui.estate.selectors import LiveEstate
from routing.model.estate import Instance


class _Sums(NamedTuple):
    """The figures of a version about one instance."""

    databases: int
    held: int
    leaks: int
    collected_at: datetime | None
    """When it was asked last for its messages and conversations; None: never, or nothing says when."""


_sums: LruCache[Mapping[str, _Sums]] = LruCache(4)
_leaks: LruCache[list[CollectedConversations]] = LruCache(4)


@dataclass(frozen=True, slots=True)
class RealServer:
    """An instance that BrokerUI does not run itself."""

    name: str
    databases: int
    at: datetime | None
    """When it was read last; None: never. A collection that came late with its import is as old as it is."""
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
            at = min((one for one in (imported.get(name), sums[name].collected_at) if one is not None), default=None)
            age = None if at is None else now - at
            found.append(RealServer(name, sums[name].databases, at, age, sums[name].held, sums[name].leaks))
    return sorted(found, key=lambda one: (-one.held, not one.is_stale, -one.leaks, one.name))


def leaks_of(live: LiveEstate) -> list[CollectedConversations]:
    """Kinds of conversations that nobody ends, the largest first; worked out once for a version."""
    return _leaks.get_or_make(
        live.digest, lambda: [one for one in collected_conversations(live.estate) if one.next_step is not None]
    )


def _of_version(live: LiveEstate) -> Mapping[str, _Sums]:
    return _sums.get_or_make(live.digest, lambda: _summed(live))


def _summed(live: LiveEstate) -> dict[str, _Sums]:
    leaks: dict[str, int] = {}
    for leak in leaks_of(live):
        leaks[leak.held.instance.name] = leaks.get(leak.held.instance.name, 0) + 1
    return {
        name: _Sums(len(instance.databases), _held(instance), leaks.get(name, 0), _collected_at(instance))
        for name, instance in live.estate.instances.items()
    }


def _held(instance: Instance) -> int:
    queues = (database.transmission_queue for database in instance.databases.values())
    return sum(row.messages for queue in queues if queue is not None for row in queue.rows)


def _collected_at(instance: Instance) -> datetime | None:
    """The latest moment at which one of its databases was asked."""
    databases = instance.databases.values()
    collected = [part for one in databases for part in (one.transmission_queue, one.conversation_endpoints)]
    return max((one.collected_at for one in collected if one is not None and one.collected_at), default=None)
