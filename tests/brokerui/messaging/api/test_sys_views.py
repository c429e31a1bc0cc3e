"""The product's views over REST: columns and values, page by page."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from django.test import Client

from brokerui.api.messaging import sys_rows
from brokerui.api.messaging.sys_views import VIEWS
from brokerui.estate.numbering import FIRST_DATABASE
from brokerui.messaging.activation.selectors import ActivatedTaskRow, QueueMonitorRow
from brokerui.messaging.broker_cache import broker_of
from brokerui.messaging.exchange import forwarded_messages
from brokerui.messaging.exchange.lists import run, show_connections
from brokerui.messaging.exchange.messages import ConnectionRow
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.services import (
    Message,
    conversation_begin,
    conversation_end,
    conversation_send,
    conversation_timer_start,
    queue_set_status,
)
from routing.common.network_events import ForwardedMessage
from tests.brokerui.api.null_columns import always_null, documented
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.messaging.test_held_fragments import LONG, arrive, send

pytestmark = pytest.mark.django_db(transaction=True)
SYS = "/api/v1/sys"
PRODUCT = {
    "conversation_endpoints": (
        "conversation_handle conversation_id is_initiator service_contract_id conversation_group_id service_id "
        "lifetime state state_desc far_service far_broker_instance principal_id far_principal_id "
        "outbound_session_key_identifier inbound_session_key_identifier security_timestamp dialog_timer "
        "send_sequence last_send_tran_id "
        "end_dialog_sequence receive_sequence receive_sequence_frag system_sequence first_out_of_order_sequence "
        "last_out_of_order_sequence last_out_of_order_frag is_system priority"
    ),
    "transmission_queue": (
        "conversation_handle to_service_name to_broker_instance from_service_name service_contract_name enqueue_time "
        "message_sequence_number message_type_name is_conversation_error is_end_of_dialog message_body "
        "transmission_status priority"
    ),
    "conversation_groups": "conversation_group_id service_id is_system",
    "dm_broker_connections": (
        "connection_id transport_stream_id state state_desc connect_time login_time authentication_method "
        "principal_name remote_user_name last_activity_time is_accept login_state login_state_desc peer_certificate_id "
        "encryption_algorithm encryption_algorithm_desc receives_posted is_receive_flow_controlled sends_posted "
        "is_send_flow_controlled total_bytes_sent total_bytes_received total_fragments_sent total_fragments_received "
        "total_sends total_receives peer_arbitration_id"
    ),
    "dm_broker_forwarded_messages": (
        "conversation_id is_initiator to_service_name to_broker_instance from_service_name from_broker_instance "
        "adjacent_broker_address message_sequence_number message_fragment_number hops_remaining time_to_live "
        "time_consumed message_id"
    ),
}
PRODUCT["dm_broker_queue_monitors"] = (
    "database_id queue_id state last_empty_rowset_time last_activated_time tasks_waiting"
)
PRODUCT["dm_broker_activated_tasks"] = "spid database_id queue_id procedure_name execute_as"
MOMENT = "2026-11-20T18:00:00.000+00:00"
CONNECTION = ConnectionRow(
    **dict.fromkeys(ConnectionRow._fields, 0)
    | {"connection_id": "c", "transport_stream_id": "t", "instance": "A", "address": "tcp://b:1", "peer": "B"}
    | dict.fromkeys(("connect_time", "login_time", "last_activity_time"), MOMENT)
    | dict.fromkeys(("state_desc", "login_state_desc", "encryption_algorithm_desc"), "NONE")
    | {"authentication_method": "", "principal_name": "", "remote_user_name": "", "is_accept": True}
    | {"is_receive_flow_controlled": False, "is_send_flow_controlled": False}
    | {"peer_arbitration_id": None, "peer_certificate_id": None}
)  # fmt: skip
FORWARDED = ForwardedMessage(
    conversation_id="c",
    is_initiator=True,
    to_service_name="To",
    to_broker_instance=None,
    from_service_name="From",
    from_broker_instance=None,
    adjacent_broker_address="tcp://b.example:4022",
    message_sequence_number=0,
    message_fragment_number=0,
    hops_remaining=9,
    time_to_live=1000,
    time_consumed=10,
    message_id="m",
)


def begin(to: str = "To", count: int = 1) -> str:
    named: dict[str, Any] = {"instance": "A", "database": "one", "from_service": "From", "to_service": to}
    handle = conversation_begin(**named, encryption=False).conversation_handle
    conversation_send(instance="A", handles=[handle], messages=[Message(b"body")] * count)
    return handle


def rows(client: Client, name: str, **query: Any) -> list[dict[str, Any]]:
    """Return the rows of all pages."""
    found, address = [], f"{SYS}/{name}/"
    while address:
        response = client.get(address, query)
        assert response.status_code == 200, response.content
        page = response.json()
        assert page["count"] is None
        found += page["results"]
        address, query = page["next"], {}
    return found


@pytest.fixture
def shown(wire: Wire) -> None:
    """Something of everything."""
    begin("Nobody", 3)
    begin()
    wire.is_cut = True
    wire.carry()
    run(redis(), show_connections([CONNECTION], [], anew=True))
    forwarded_messages._write("A\0001\0001", [FORWARDED])


@pytest.mark.usefixtures("shown")
@pytest.mark.parametrize("name", PRODUCT)
def test_the_columns_are_the_products_in_their_order(viewer: Client, name: str) -> None:
    for row in rows(viewer, name):
        columns = [column for column in row if column not in ("instance", "database")]
        expected = PRODUCT[name].split()
        assert columns[: len(expected)] == expected
        assert next(iter(row)) == "instance"


@pytest.mark.usefixtures("shown")
def test_values_of_the_transmission_queue(viewer: Client) -> None:
    found = rows(viewer, "transmission_queue", limit=1)
    assert len(found) == 4
    stuck = [row for row in found if row["to_service_name"] == "Nobody"]
    assert [row["message_sequence_number"] for row in stuck] == [0, 1, 2]
    assert {(row["transmission_status"][:5], row["message_body"], row["message_bytes"]) for row in stuck} == {
        ("9796:", None, 4)
    }
    assert rows(viewer, "transmission_queue", to_service_name="Nobody", database="one", instance="A") == stuck
    assert rows(viewer, "transmission_queue", conversation_handle=stuck[0]["conversation_handle"].upper()) == stuck


@pytest.mark.usefixtures("shown")
def test_values_of_endpoints_groups_connections_and_what_is_forwarded(viewer: Client) -> None:
    endpoints = rows(viewer, "conversation_endpoints", state="CO")
    assert {(row["is_initiator"], row["state_desc"], row["service_id"]) for row in endpoints} == {
        (1, "CONVERSING", 65536)
    }
    groups = rows(viewer, "conversation_groups", instance="A")
    assert {row["conversation_group_id"] for row in groups} == {row["conversation_group_id"] for row in endpoints}
    [connection] = rows(viewer, "dm_broker_connections", instance="A")
    assert (connection["connection_id"], connection["peer"], connection["is_accept"]) == ("c", "B", True)
    [one] = rows(viewer, "dm_broker_forwarded_messages")
    assert (one["instance"], one["adjacent_broker_address"], one["hops_remaining"]) == ("A", "tcp://b.example:4022", 9)
    assert (
        rows(viewer, "dm_broker_connections", instance="B")
        == rows(viewer, "dm_broker_forwarded_messages", instance="B")
        == []
    )


@pytest.mark.parametrize("view", VIEWS, ids=lambda view: view.name)
def test_columns_are_null_in_every_row_as_the_documentation_says(
    wire: Wire, viewer: Client, monkeypatch: Any, view: Any
) -> None:
    """With something in every column that can have a value."""
    at = 1_700_000_000_000
    handle = begin(count=2)
    wire.carry()
    frames = send(handle, LONG, b"later")
    arrive(frames[1:])
    conversation_timer_start(instance="A", handle=handle, timeout_s=60)
    ConversationEndpoint.objects.update(key_id=b"\x01" * 8)
    other = begin()
    wire.carry()
    conversation_end(instance="A", handle=other)
    wire.is_cut = True
    queue_set_status(instance="B", database="two", queue="ToQ", is_on=False)
    connection = CONNECTION._replace(peer_arbitration_id="a")
    run(redis(), show_connections([connection], [], anew=True))
    forwarded_messages._write("A\0001\0001", [FORWARDED._replace(to_broker_instance="x", from_broker_instance="x")])
    monitor = QueueMonitorRow("B", "two", "ToQ", "NOTIFIED", at, at)
    monkeypatch.setattr(sys_rows, "queue_monitors", lambda: [monitor])
    monkeypatch.setattr(sys_rows, "activated_tasks", lambda: [ActivatedTaskRow("B", "two", "ToQ", 7, "p", "h", at)])
    assert always_null(rows(viewer, view.name)) == documented(view.name)


def test_session_keys_have_one_identifier_for_each_direction(wire: Wire, viewer: Client) -> None:
    begin()
    wire.carry()
    names = ("outbound_session_key_identifier", "inbound_session_key_identifier")
    assert {row[name] for row in rows(viewer, "conversation_endpoints") for name in names} == {None}
    ConversationEndpoint.objects.update(key_id=b"\x01" * 8)
    here, there = sorted(rows(viewer, "conversation_endpoints"), key=lambda row: -row["is_initiator"])
    sent, received = (here[name] for name in names)
    assert (sent, received) == (there[names[1]], there[names[0]])
    assert len({sent, received, here["conversation_id"]}) == 3


def test_values_of_queue_monitors_and_activated_tasks(wire: Wire, viewer: Client, monkeypatch: Any) -> None:
    at = 1_700_000_000_000
    monitor = QueueMonitorRow("B", "two", "ToQ", "NOTIFIED", at, None)
    task = ActivatedTaskRow("B", "two", "ToQ", 7, "orders.take", "here", at)
    monkeypatch.setattr(sys_rows, "queue_monitors", lambda: [monitor])
    monkeypatch.setattr(sys_rows, "activated_tasks", lambda: [task])
    [row] = rows(viewer, "dm_broker_queue_monitors", database="two")
    assert list(row)[2:8] == PRODUCT["dm_broker_queue_monitors"].split()
    assert (row["state"], row["last_empty_rowset_time"]) == ("NOTIFIED", "2023-11-14T22:13:20+00:00")
    assert row["database_id"] == FIRST_DATABASE
    [row] = rows(viewer, "dm_broker_activated_tasks", instance="B")
    assert list(row)[2:7] == PRODUCT["dm_broker_activated_tasks"].split()
    assert (row["spid"], row["procedure_name"], row["queue"]) == (7, "orders.take", "ToQ")


def test_what_a_worker_holds_is_shown_and_taken_back(wire: Wire, monkeypatch: Any) -> None:
    broker = broker_of("A")
    held = [FORWARDED]
    monkeypatch.setattr(type(broker.forwarder), "rows", lambda self, now: iter(held))
    monkeypatch.setattr(type(broker.forwarder), "__len__", lambda self: len(held))
    forwarded_messages.publish_forwarded(broker, 0)
    assert forwarded_messages.forwarded_messages(redis()) == [("A", FORWARDED)]
    held.clear()
    forwarded_messages.publish_forwarded(broker, 0)
    assert forwarded_messages.forwarded_messages(redis()) == []
    held.append(FORWARDED)
    forwarded_messages.publish_forwarded(broker, 0)
    later = time.time() + forwarded_messages.KEPT_SECONDS + 1
    monkeypatch.setattr(time, "time", lambda: later)
    assert forwarded_messages.forwarded_messages(redis()) == []
    held.clear()
    forwarded_messages.publish_forwarded(broker, 0)


@pytest.mark.usefixtures("shown")
@pytest.mark.parametrize("live", VIEWS, ids=lambda live: live.name)
def test_what_is_asked_wrongly_is_told_so(viewer: Client, live: Any) -> None:
    for query in ("x=1", "limit=0", "cursor=x", "cursor=WyIxIl0", "instance=A&instance=A"):
        response = viewer.get(f"{SYS}/{live.name}/?{query}")
        assert response.status_code == 400, query
    assert viewer.get(f"{SYS}/{live.name}/?scenario=none").status_code == 404


@pytest.mark.usefixtures("shown")
def test_who_has_a_page_already_is_not_sent_it_again(viewer: Client) -> None:
    first = viewer.get(f"{SYS}/transmission_queue/")
    again = viewer.get(f"{SYS}/transmission_queue/", headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.content) == (304, b"")


@pytest.mark.usefixtures("shown")
def test_nothing_runs_in_the_past(viewer: Client) -> None:
    assert rows(viewer, "transmission_queue", as_of="1") == []


def test_where_valkey_is_away_that_is_said(wire: Wire, viewer: Client, settings: Any) -> None:
    settings.REDIS_URL = "unix:///nowhere"
    for name in ("dm_broker_connections", "dm_broker_forwarded_messages"):
        response = viewer.get(f"{SYS}/{name}/")
        assert (response.status_code, response.json()["code"]) == (503, "away")
    assert rows(viewer, "transmission_queue") == []


def test_a_body_is_in_no_view(wire: Wire, viewer: Client) -> None:
    begin()
    for live in VIEWS[:3]:
        text = json.dumps(rows(viewer, live.name))
        assert "Ym9keQ" not in text
        assert '"body"' not in text
