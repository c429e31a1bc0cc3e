"""Reading the collections of real servers. The number of queries does not depend on how much there is."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, Max, Q

from brokerui.analysis.servers.models import CollectedDatabase, Collection, CollectionSource
from brokerui.analysis.servers.sums import DatabaseSums
from brokerui.analysis.servers.sums_json import database_from_json, events_from_json
from brokerui.estate.packing import Packed
from routing.catalog.broker_log import BrokerEvent

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class CollectionsToken:
    """Stands for everything that is kept: another one, and something else is kept."""

    last: int
    count: int
    kept_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatesAtMoment:
    """The conversations of a database in one collection."""

    collection: int
    at: datetime
    states: dict[str, int]

    @property
    def endpoints(self) -> int:
        return sum(self.states.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftConversations:
    """Conversations of one database that will never close by themselves, in its last collection."""

    server: str
    database: str
    at: datetime | None
    """None: not known."""
    left: int
    worst: str
    """The service that leaves most of them over; empty: not known."""
    before: int | None
    """In the collection before; None: there is none."""
    before_at: datetime | None

    @property
    def more(self) -> int | None:
        """How many more than in the collection before."""
        return None if self.before is None else self.left - self.before

    @property
    def a_day(self) -> int | None:
        """How many more in a day, by the last two collections; None: they are not an hour apart."""
        if self.before is None or self.before_at is None or self.at is None:
            return None
        if self.at - self.before_at < timedelta(hours=1):
            return None
        return round((self.left - self.before) / ((self.at - self.before_at) / DAY))


def collections_token() -> CollectionsToken:
    """One query."""
    found = Collection.objects.aggregate(last=Max("pk"), count=Count("pk"), kept_at=Max("kept_at"))
    return CollectionsToken(found["last"] or 0, found["count"], found["kept_at"])


def latest_collections() -> dict[str, Collection]:
    """By server: its last collection. One query."""
    return {row.server: row for row in Collection.objects.defer("events").filter(is_latest=True)}


def collections_of(server: str, limit: int = 200) -> list[Collection]:
    """The collections of a server, the last first."""
    return list(Collection.objects.defer("events").filter(server=server)[:limit])


def collections_after(pk: int, limit: int) -> list[Collection]:
    """The collections of all servers after this one, in the order in which they were kept."""
    return list(Collection.objects.defer("events").filter(pk__gt=pk).order_by("pk")[:limit])


def collection_get(pk: int) -> Collection | None:
    return Collection.objects.filter(pk=pk).first()


def databases_of(server: str) -> list[CollectedDatabase]:
    """The last row of each database of a server: of its messages, and of its conversations where that is another."""
    rows = CollectedDatabase.objects.select_related("collection").defer("content", "collection__events")
    last = Q(has_latest_messages=True) | Q(has_latest_endpoints=True)
    return list(rows.filter(last, collection__server=server).order_by("name", "-collection__collected_at"))


def pasted_databases() -> list[CollectedDatabase]:
    """The last rows of databases that were pasted: an import has put what it brought into the estate."""
    rows = CollectedDatabase.objects.select_related("collection").defer("collection__events")
    last = Q(has_latest_messages=True) | Q(has_latest_endpoints=True)
    return list(rows.filter(last, collection__source=CollectionSource.PASTED).order_by("collection__collected_at"))


def left_conversations() -> list[LeftConversations]:
    """Every database whose conversations were collected, those with the most that are left over first."""
    rows = CollectedDatabase.objects.filter(has_latest_endpoints=True).order_by("-left", "pk")
    columns = ("collection__server", "name", "collection__collected_at", "left", "worst", "left_before")
    return [
        LeftConversations(
            server=server, database=name, at=at, left=left, worst=worst, before=before, before_at=before_at
        )
        for server, name, at, left, worst, before, before_at in rows.values_list(*columns, "left_before_at")
    ]


def states_over_time(server: str, database: str) -> list[StatesAtMoment]:
    """The conversations of a database in all its collections, the first first."""
    rows = CollectedDatabase.objects.filter(collection__server=server, name=database, states__isnull=False)
    columns = rows.order_by("collection__collected_at", "collection_id").values_list(
        "collection_id", "collection__collected_at", "states"
    )
    return [StatesAtMoment(collection=pk, at=at, states=states or {}) for pk, at, states in columns]


def sums_in(database: str, collections: Iterable[int]) -> dict[int, DatabaseSums]:
    """By collection: the sums of one database."""
    rows = CollectedDatabase.objects.filter(name=database, collection_id__in=list(collections))
    return {pk: database_from_json(unpacked(content)) for pk, content in rows.values_list("collection_id", "content")}


def sums_of(row: CollectedDatabase) -> DatabaseSums:
    """The sums of a row that was read whole."""
    return database_from_json(unpacked(row.content))


def latest_events(server: str) -> tuple[datetime, tuple[BrokerEvent, ...]] | None:
    """The errors of the last log of a server that was given, with its moment."""
    row = Collection.objects.filter(server=server, events__isnull=False).values_list("collected_at", "events").first()
    return None if row is None else (row[0], events_from_json(unpacked(row[1] or b"")))


def unpacked(content: Packed) -> Any:
    return json.loads(zlib.decompress(content))
