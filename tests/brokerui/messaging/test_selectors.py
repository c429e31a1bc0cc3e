"""Pages of the views of messaging: complete, in order, and by the keys of their tables however many rows there are."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection, models
from django.test.utils import CaptureQueriesContext

from brokerui.core.paging import KeysetPage
from brokerui.messaging import keyset_views
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.exchange.unreachable import _key
from brokerui.messaging.keyset_views import Key
from brokerui.messaging.models import (
    ConversationEndpoint,
    ConversationGroup,
    HeldFragment,
    HostedInstance,
    OutgoingMessage,
    Queue,
)
from brokerui.messaging.selectors import (
    conversation_endpoints,
    conversation_groups,
    transmission_queue,
)
from brokerui.messaging.services import Message, conversation_begin, conversation_send
from tests.brokerui.messaging.hosted import ADDRESSES, Wire

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]
Select = Callable[..., KeysetPage[Any, Key]]
SELECTS: list[Select] = [conversation_endpoints, conversation_groups, transmission_queue]


def begin(to: str = "To") -> str:
    named: dict[str, Any] = {"instance": "A", "database": "one", "from_service": "From", "to_service": to}
    return conversation_begin(**named, encryption=False).conversation_handle


def send(handle: str, count: int = 1) -> None:
    conversation_send(instance="A", handles=[handle], messages=[Message(b"body")] * count)


def everything(select: Select, where: dict[str, Any], limit: int = 3) -> list[Any]:
    """All pages."""
    rows: list[Any] = []
    after: Key | None = None
    while True:
        page = select(where, after, limit)
        assert len(page.rows) <= limit
        rows += page.rows
        after = page.after
        if after is None:
            return rows


# ---------------------------------------------------------------- what they show


def test_endpoints_and_groups_of_both_sides(wire: Wire) -> None:
    handle = begin()
    send(handle)
    wire.carry()
    [here] = everything(conversation_endpoints, {"instance": "A"})
    [there] = everything(conversation_endpoints, {"instance": "B"})
    assert (here.conversation_handle, here.conversation_id) == (handle, there.conversation_id)
    assert (here.is_initiator, here.state, here.far_service, here.send_sequence) == (True, "CO", "To", 1)
    assert (there.is_initiator, there.state, there.service_name, there.receive_sequence) == (False, "CO", "To", 1)
    groups = everything(conversation_groups, {})
    assert {(one.instance, one.queue, one.conversations) for one in groups} == {("A", "FromQ", 1), ("B", "ToQ", 1)}
    assert everything(conversation_endpoints, {"conversation_id": here.conversation_id}) == sorted(
        [here, there], key=lambda row: row.conversation_handle
    )


def test_what_waits_and_why(wire: Wire) -> None:
    lost, waiting = begin("Nobody"), begin()
    send(lost)
    send(waiting)
    wire.is_cut = True
    wire.carry()
    found = {row.conversation_handle: row for row in everything(transmission_queue, {})}
    assert found[lost].transmission_status.startswith("9796: ")
    assert (found[waiting].transmission_status, found[waiting].message_bytes) == ("", 4)
    redis().hset(_key("A"), ADDRESSES["B"], json.dumps([9754, "refused"]))
    statuses = {row.to_service_name: row.transmission_status for row in everything(transmission_queue, {})}
    assert statuses["To"] == "9754: refused"


def test_messages_of_a_conversation_come_in_their_order_page_by_page(wire: Wire) -> None:
    handles = [begin() for _ in range(4)]
    for handle in handles:
        send(handle, 5)
    rows = everything(transmission_queue, {"instance": "A", "database": "one", "to_service_name": "To"})
    assert [(row.conversation_handle, row.message_sequence_number) for row in rows] == [
        (handle, number) for handle in sorted(handles) for number in range(5)
    ]
    assert len(everything(transmission_queue, {"conversation_handle": handles[0]}, limit=2)) == 5


def test_filters_keep_what_they_say_whatever_the_window(wire: Wire, monkeypatch: Any) -> None:
    monkeypatch.setattr(keyset_views, "WINDOW", 2)
    for to in ("To", "Nobody", "To", "Nobody", "To"):
        send(begin(to))
    for select, name in ((conversation_endpoints, "far_service"), (transmission_queue, "to_service_name")):
        for to, count in (("To", 3), ("Nobody", 2), ("None", 0)):
            rows = everything(select, {name: to})
            assert [getattr(row, name) for row in rows] == [to] * count
    assert everything(conversation_groups, {"instance": "None"}) == []
    assert len(everything(conversation_groups, {"database": "one", "service_name": "From"})) == 5


# ---------------------------------------------------------------- large tables

MANY, WINDOW = 8_000, 200
ENDPOINT: dict[str, Any] = {
    "is_initiator": True,
    "database": "one",
    "service_name": "From",
    "queue": "FromQ",
    "far_service": "To",
    "service_contract_name": "DEFAULT",
    "lifetime": 2**40,
    "state": "CO",
    "priority": 5,
    "encryption": False,
    "outgoing": 1,
    "transmission_status": 9793,
    "key_id": b"\0" * 16,
}
NOTHING = "send_sequence transmitted acknowledged_sequence sending_sequence receive_sequence held held_bytes attempts"
ENDPOINT |= dict.fromkeys([*NOTHING.split(), "integrity"], 0)


FIRST = 10**8


def handle_of(number: int) -> str:
    return f"{FIRST + number:036}"


def fill(count: int) -> None:
    """Conversations, each with a message that waits: the first by their models, the others as those have written it."""
    instance = HostedInstance.objects.get_or_create(name="A")[0]
    of = {"instance": instance, "conversation_handle": handle_of(0)}
    ConversationEndpoint.objects.create(
        conversation_id=handle_of(0), conversation_group_id=handle_of(0), **of, **ENDPOINT
    )
    group = {"database": "one", "service_name": "From", "queue": "FromQ", "conversations": 1}
    ConversationGroup.objects.create(instance=instance, conversation_group_id=handle_of(0), **group)
    message = {"message_type_name": "DEFAULT", "enqueue_time": 1, "message_sequence_number": 0}
    message |= {"is_end_of_dialog": False, "is_conversation_error": False}
    OutgoingMessage.objects.create(message_body=b"x", **of, **message)
    HeldFragment.objects.create(body=b"x", fragment=0, fragments=2, **of, **message)
    for model in (ConversationEndpoint, ConversationGroup, OutgoingMessage, HeldFragment):
        repeat(model, count)


KEYS = {"conversation_handle", "conversation_id", "conversation_group_id"}


def repeat(model: type[models.Model], count: int) -> None:
    """Write a table's only row again, under other keys, until the table has this number of rows."""
    columns = [one.column for one in model._meta.local_concrete_fields if not isinstance(one, models.AutoField)]
    other = f"'{handle_of(0)[:-9]}' || CAST({FIRST} + number AS text)"
    values = [other if column in KEYS else column for column in columns]
    with connection.cursor() as cursor:
        cursor.execute(
            "WITH RECURSIVE numbers (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM numbers WHERE number < %s)"
            f" INSERT INTO {model._meta.db_table} ({', '.join(columns)})"
            f" SELECT {', '.join(values)} FROM numbers, {model._meta.db_table}",
            [count - 1],
        )
    assert model._base_manager.count() == count


ONE = handle_of(MANY // 2)
WHERES: list[dict[str, Any]] = [{}, {"instance": "A"}, {"database": "none"}]


def test_no_page_looks_through_a_table(wire: Wire, monkeypatch: Any) -> None:
    """Whether the queue of its conversations is on or off."""
    monkeypatch.setattr(keyset_views, "WINDOW", WINDOW)
    fill(MANY)
    queue = Queue.objects.create(instance_id=1, database="one", name="FromQ", is_receive_enabled=True)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    for is_on in (True, False):
        Queue.objects.filter(pk=queue.pk).update(is_receive_enabled=is_on)
        check_plans_of_pages()


def check_plans_of_pages() -> None:
    for select in SELECTS:
        key = "conversation_group_id" if select is conversation_groups else "conversation_handle"
        for where in (*WHERES, {key: ONE}):
            first = select(where)
            for after in (None, first.after):
                with CaptureQueriesContext(connection) as captured:
                    select(where, after)
                assert len(captured) <= 7, (select, where, after, captured.captured_queries)
                for query in captured.captured_queries:
                    check_plan(query["sql"])


def check_plan(sql: str) -> None:
    if "hosted_instances" in sql or '"estate_live"' in sql:
        return  # tables of one row, or of a few
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute(f"EXPLAIN (ANALYZE, FORMAT JSON) {sql}")
            (plan,) = cursor.fetchone()[0]
            check_node(plan["Plan"], sql)
        else:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            # queue_states (q) has a row for each queue that ever was off.
            steps = [row[3] for row in cursor.fetchall() if row[3] != "SCAN q"]
            assert not [step for step in steps if step.startswith("SCAN") and "INDEX" not in step], (sql, steps)
            assert not [step for step in steps if "TEMP B-TREE" in step], (sql, steps)


def check_node(node: dict[str, Any], sql: str) -> None:
    """Nothing reads more than a window, and all of it by an index."""
    if node.get("Relation Name") == "queue_states":
        return  # as above
    assert node["Node Type"] != "Seq Scan", (sql, node)
    read = node["Actual Rows"] + node.get("Rows Removed by Filter", 0) + node.get("Rows Removed by Join Filter", 0)
    assert read <= keyset_views.WINDOW, (sql, node)
    for part in node.get("Plans", ()):
        check_node(part, sql)
