"""The real servers of the estate: how long ago each was read, and what it held then."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.utils import timezone

from brokerui.analysis.monitoring.collected import collected_conversations
from brokerui.analysis.servers.models import Collection
from brokerui.analysis.servers.observed import with_collected
from brokerui.analysis.servers.selectors import LeftConversations, latest_collections, left_conversations
from brokerui.core.cache import LruCache
from brokerui.estate.selectors import LiveEstate, estate_current, instance_freshness
from brokerui.messaging.broker_cache import hosted_names
from routing.model.estate import Instance


class _Sums(NamedTuple):
    """The figures of a version about one instance."""

    databases: int
    held: int
    collected_at: datetime | None
    """When it was asked last for its messages and conversations; None: never, or nothing says when."""


_sums: LruCache[Mapping[str, _Sums]] = LruCache(4)
_leaks: LruCache[list[LeftConversations]] = LruCache(4)


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
    """Databases with conversations that will never close by themselves."""
    last: Collection | None = None
    """Its last collection; None: none is kept."""

    @property
    def is_import(self) -> bool:
        """Whether nothing newer than its import is known."""
        return self.last is None or self.at != self.last.collected_at

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


class ServersNow(NamedTuple):
    """The live estate with all that was collected, its real servers, and the conversations that they leave over."""

    live: LiveEstate
    servers: Sequence[RealServer]
    leaks: Sequence[LeftConversations]


def servers_now() -> ServersNow:
    """The number of queries does not depend on how many servers there are."""
    live = with_collected(estate_current())
    leaks = leaks_of(live)
    servers = real_servers(live, instance_freshness(), hosted_names(), timezone.now(), leaks)
    return ServersNow(live, servers, leaks)


def real_servers(
    live: LiveEstate,
    imported: Mapping[str, datetime | None],
    hosted: Iterable[str],
    now: datetime,
    leaks: Iterable[LeftConversations],
) -> list[RealServer]:
    """All of them: those that hold messages and those that were read longest ago first."""
    sums, ours, last = _of_version(live), frozenset(hosted), latest_collections()
    leaking = Counter(one.server for one in leaks)
    found = []
    for name in live.estate.instances:
        if name not in ours:
            one = sums[name]
            at = _read_at(imported.get(name), one.collected_at, last.get(name))
            age = None if at is None else now - at
            found.append(RealServer(name, one.databases, at, age, one.held, leaking[name], last.get(name)))
    return sorted(found, key=lambda one: (-one.held, not one.is_stale, -one.leaks, one.name))


def _read_at(imported: datetime | None, collected: datetime | None, last: Collection | None) -> datetime | None:
    """When a server was read last: an import is as old as the rows that it brought, unless a collection is newer."""
    of_import = min((one for one in (imported, collected) if one is not None), default=None)
    moments = [one for one in (of_import, last.collected_at if last is not None else None) if one is not None]
    return max(moments, default=None)


def leaks_of(live: LiveEstate) -> list[LeftConversations]:
    """Databases with conversations that will never close by themselves, the most first. One query."""
    collected = left_conversations()
    known = {(one.server, one.database) for one in collected}
    earlier = _leaks.get_or_make(live.digest, lambda: _of_estate(live))
    found = [one for one in collected if one.left] + [one for one in earlier if (one.server, one.database) not in known]
    return sorted(found, key=lambda one: -one.left)


def _of_estate(live: LiveEstate) -> list[LeftConversations]:
    """Sums of the estate, which have neither role nor age: of an estate document, or of an earlier release's import."""
    found: dict[tuple[str, str], LeftConversations] = {}
    for one in collected_conversations(live.estate):
        if one.next_step is None:
            continue
        place = one.held.instance.name, one.held.database.name
        known = found.get(place)
        found[place] = LeftConversations(
            server=place[0],
            database=place[1],
            at=one.endpoints.collected_at,
            left=one.row.endpoints + (known.left if known is not None else 0),
            worst=known.worst if known is not None else one.row.service or "",
            before=None,
            before_at=None,
        )
    return list(found.values())


def _of_version(live: LiveEstate) -> Mapping[str, _Sums]:
    return _sums.get_or_make(live.digest, lambda: _summed(live))


def _summed(live: LiveEstate) -> dict[str, _Sums]:
    return {
        name: _Sums(len(instance.databases), _held(instance), _collected_at(instance))
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
