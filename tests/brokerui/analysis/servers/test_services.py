"""Collections are kept whole, once, with the latest of each database known; the oldest are deleted."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from brokerui.analysis.monitoring.collected import collected_conversations, collected_waiting
from brokerui.analysis.servers.models import CollectedDatabase, Collection, CollectionSource
from brokerui.analysis.servers.observed import with_collected
from brokerui.analysis.servers.selectors import (
    databases_of,
    latest_collections,
    left_conversations,
    states_over_time,
    sums_in,
)
from brokerui.analysis.servers.services import collection_delete, collection_keep
from brokerui.analysis.servers.sums import DatabaseSums, ServerSums
from brokerui.estate.models import AuditEntry
from brokerui.estate.selectors import estate_current
from routing.common.errors import Invalid
from routing.model.collected import CollectedTransmissions, TransmissionSum
from routing.model.endpoint_groups import EndpointGroup

pytestmark = pytest.mark.django_db


def sums(days: float, left: int | None = None, messages: int | None = None, database: str = "Orders") -> ServerSums:
    """The sums of a server, this number of days ago."""
    at = timezone.now() - timedelta(days=days)
    queue = None
    if messages is not None:
        queue = CollectedTransmissions(at, (TransmissionSum(messages, "", to_service="//shop/Stock"),))
    groups = None
    if left is not None:
        groups = (EndpointGroup(endpoints=left, state="DI", service="//shop/Audit", is_initiator=False, age_days=7),)
    one = DatabaseSums(name=database, transmissions=queue, endpoints=groups)
    return ServerSums(server="sqlprod01", at=at, databases=(one,))


def keep(one: ServerSums) -> Collection:
    return collection_keep(sums=one, author="r.meier", source=CollectionSource.PASTED)


def test_what_is_kept_is_read_back() -> None:
    given = sums(1, left=500, messages=3)
    kept = keep(given)
    assert sums_in("Orders", [kept.pk])[kept.pk] == given.databases[0]
    assert AuditEntry.objects.get().action == "collection.pasted"
    assert latest_collections() == {"sqlprod01": kept}


def test_the_same_collection_is_kept_once() -> None:
    given = sums(1, left=500)
    assert keep(given) == keep(given)
    assert AuditEntry.objects.count() == 1


def test_the_latest_of_messages_and_of_conversations_may_be_two_collections() -> None:
    keep(sums(3, left=400, messages=9))
    messages = keep(sums(1, messages=5))
    later = keep(sums(2, left=500))
    flags = {
        row.collection_id: (row.has_latest_messages, row.has_latest_endpoints) for row in databases_of("sqlprod01")
    }
    assert flags == {messages.pk: (True, False), later.pk: (False, True)}
    [leak] = left_conversations()
    assert (leak.left, leak.before, leak.more, leak.a_day, leak.worst) == (500, 400, 100, 100, "//shop/Audit")
    assert [one.states for one in states_over_time("sqlprod01", "Orders")] == [{"DI": 400}, {"DI": 500}]


def test_the_oldest_are_deleted_but_none_that_is_the_last_of_a_database(settings: Any) -> None:
    settings.COLLECTIONS_KEEP = 2
    other = keep(sums(90, left=1, database="Other"))
    for day in range(9, 0, -1):
        keep(sums(day, left=100 * (10 - day)))
    assert Collection.objects.count() == 3
    assert Collection.objects.filter(pk=other.pk).exists()
    assert CollectedDatabase.objects.filter(name="Orders").count() == 2


def test_deleting_one_makes_the_one_before_the_latest() -> None:
    first = keep(sums(2, left=400))
    collection_delete(collection=keep(sums(1, left=500)), author="r.meier")
    assert [leak.left for leak in left_conversations()] == [400]
    assert latest_collections() == {"sqlprod01": Collection.objects.get(pk=first.pk)}


@pytest.mark.parametrize("change", [{"server": ""}, {"server": "a\0b"}, {"at": timezone.now() + timedelta(days=1)}])
def test_what_cannot_be_is_refused_and_nothing_is_written(change: dict[str, object]) -> None:
    with pytest.raises(Invalid):
        keep(replace(sums(1, left=5), **change))  # type: ignore[arg-type]  # a mapping of its fields
    assert not Collection.objects.exists()
    assert not AuditEntry.objects.exists()


def test_what_was_pasted_is_looked_at_with_the_live_estate() -> None:
    keep(sums(1, left=2_000, messages=7))
    live = with_collected(estate_current())
    assert [(one.instance, one.database, one.row.messages) for one in collected_waiting(live.estate)] == [
        ("sqlprod01", "Orders", 7)
    ]
    assert [one.row.endpoints for one in collected_conversations(live.estate)] == [2_000]
    keep(sums(0.5, messages=0))
    assert with_collected(estate_current()).digest != live.digest
