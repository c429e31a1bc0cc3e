"""The rows of a queue, by page: messages that RECEIVE returns, that RETENTION keeps, and that are incomplete."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from brokerui.messaging import keyset_views
from brokerui.messaging.errors import NoSuchQueueError
from brokerui.messaging.keyset_views import Key
from brokerui.messaging.models import QueueMessage
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.queue_view import QueueRow, queue_view
from brokerui.messaging.services import message_receive
from brokerui.messaging.verbs.administration import queue_set_status
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.messaging.test_held_fragments import LONG, arrive, begin, send
from tests.brokerui.messaging.test_retention import set_retention

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]
TO = QueueAddress("B", "two", "ToQ")
COLUMNS = (
    "status priority queuing_order conversation_group_id conversation_handle message_sequence_number service_name "
    "service_id service_contract_name service_contract_id message_type_name message_type_id validation message_body "
    "message_enqueue_time message_bytes fragments all_fragments"
)


def everything(address: QueueAddress = TO, limit: int = 2) -> list[QueueRow]:
    rows: list[QueueRow] = []
    after: Key | None = None
    while True:
        page = queue_view(address, after, limit)
        assert len(page.rows) <= limit
        rows += page.rows
        after = page.after
        if after is None:
            return rows


def facts_of(rows: list[QueueRow]) -> list[tuple[int, int, int, int]]:
    return [(row.message.status, row.message.message_sequence_number, row.fragments, row.all_fragments) for row in rows]


def test_what_is_not_complete_stands_after_what_is_received_next(wire: Wire) -> None:
    handle = begin()
    arrive(send(handle, b"first", b"second"))
    parts, last = send(handle, LONG), send(handle, b"last")
    arrive([*parts[:-1], *last])
    rows = everything()
    assert facts_of(rows) == [(1, 0, 1, 1), (1, 1, 1, 1), (2, 2, len(parts) - 1, len(parts)), (2, 3, 1, 1)]
    assert [row.message_bytes for row in rows[:2]] == [5, 6]
    assert 0 < (rows[2].message_bytes or 0) < len(LONG)
    assert {row.message.message_body for row in rows} == {None}
    queue_set_status(instance="B", database="two", queue="ToQ", is_on=False)
    assert [status for status, *_ in facts_of(everything())] == [1, 1]
    queue_set_status(instance="B", database="two", queue="ToQ", is_on=True)
    arrive(parts[-1:])
    assert facts_of(everything()) == [(1, number, 1, 1) for number in range(4)]


def test_what_retention_keeps_is_in_the_queue(wire: Wire) -> None:
    set_retention(True, "A", "B")
    handle = begin()
    arrive(send(handle, b"first", b"second"))
    assert len(message_receive(instance="B", database="two", queue="ToQ", top=1)) == 1
    assert sorted(facts_of(everything())) == [(0, 0, 1, 1), (1, 1, 1, 1)]
    assert sorted(facts_of(everything(QueueAddress("A", "one", "FromQ")))) == [(3, 0, 1, 1), (3, 1, 1, 1)]


@pytest.mark.thorough("keyset pages are tested on PostgreSQL in test_selectors.py", on="postgresql")
def test_pages_give_every_row_once_whatever_their_length(wire: Wire, monkeypatch: Any) -> None:
    set_retention(True, "A", "B")
    handles = [begin() for _ in range(3)]
    for handle in handles:
        arrive(send(handle, b"a", b"b", b"c"))
        parts = send(handle, LONG)
        arrive(parts[1:])
    for number, one in enumerate(QueueMessage.objects.order_by("queuing_order")):
        QueueMessage.objects.filter(pk=one.pk).update(priority=1 + number % 4)
    message_receive(instance="B", database="two", queue="ToQ", top=2)
    whole = everything(limit=100)
    ready = [(-row.message.priority, row.message.queuing_order) for row in whole if row.message.status == 1]
    assert ready == sorted(ready)
    assert [row.message.status for row in whole] == [1] * 7 + [0] * 2 + [2] * 3
    for window in (2, 5, 10_000):
        monkeypatch.setattr(keyset_views, "WINDOW", window)
        for limit in (1, 2, 3, 7, 12):
            assert everything(limit=limit) == whole


def test_over_rest_with_the_columns_of_the_product(wire: Wire, viewer: Client) -> None:
    arrive(send(begin(), b"first", b"second"))
    address = "/api/v1/queues/B/two/ToQ/messages/"
    page = viewer.get(f"{address}?limit=1").json()
    [row] = page["results"]
    assert (" ".join(row), page["count"]) == (COLUMNS, None)
    assert (row["status"], row["service_contract_id"], row["message_body"], row["message_bytes"]) == (1, 6, None, 5)
    [other] = viewer.get(page["next"]).json()["results"]
    assert other["message_sequence_number"] == 1
    for query in ("cursor=x", "limit=0", "x=1"):
        assert viewer.get(f"{address}?{query}").status_code == 400
    assert viewer.get(address.replace("ToQ", "None")).status_code == 404


def test_a_page_takes_a_few_queries_however_many_rows_there_are(wire: Wire) -> None:
    set_retention(True, "B")
    counts = []
    for number in (1, 12):
        for _ in range(number):
            handle = begin()
            arrive(send(handle, b"a", b"b"))
            arrive(send(handle, LONG)[1:])
        message_receive(instance="B", database="two", queue="ToQ", top=1)
        queue_view(TO, None, 100)
        with CaptureQueriesContext(connection) as captured:
            queue_view(TO, None, 100)
        counts.append(len(captured))
    assert max(counts) <= 14  # 12 where this process knows the estate and the queue already


def test_queues_that_are_not_there(wire: Wire) -> None:
    with pytest.raises(NoSuchQueueError):
        queue_view(TO._replace(queue="None"), None, 10)
