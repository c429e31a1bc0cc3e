"""`brokerui send`, `brokerui receive` and `brokerui conversation`, in this process."""

from __future__ import annotations

import base64
import json
import sys
from argparse import ArgumentTypeError
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from django.db import connection

from brokerui.cli.commands.send import MOST_BODY
from brokerui.cli.main import main
from brokerui.cli.messaging import HOST_DB, HOST_DB_QUEUE, place
from brokerui.estate.models import AuditEntry, Version
from brokerui.estate.numbering import FIRST
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit
from brokerui.messaging import queue_rows
from brokerui.messaging.keys.models import DatabaseKey
from brokerui.messaging.leases.models import Lease
from brokerui.messaging.models import ConversationEndpoint, HostedInstance, OutgoingMessage, QueueMessage
from routing.model.catalog_objects import Contract, ContractMessage, MessageType, Service
from routing.model.edits import PutDatabase
from routing.model.estate import Database
from tests.brokerui.cli.command_line import call_with, refused
from tests.brokerui.messaging.hosted import Wire

pytestmark = pytest.mark.django_db(transaction=True)
COLUMNS = [
    "status",
    "priority",
    "queuing_order",
    "conversation_group_id",
    "conversation_handle",
    "message_sequence_number",
    "service_name",
    "service_id",
    "service_contract_name",
    "service_contract_id",
    "message_type_name",
    "message_type_id",
    "validation",
    "message_body",
    "message_enqueue_time",
]


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    return call_with(capsys, monkeypatch)


def put(instance: str, database: str, service: Service) -> None:
    """With a contract of their own: the second of two."""
    live = estate_current()
    before = live.estate.instances[instance].databases[database]
    contracts = (Contract("Other"), Contract("C", (ContractMessage("Ask", "ANY"),)))
    types = (MessageType("No", "EMPTY"), MessageType("Ask", "WELL_FORMED_XML"))
    after = Database(
        database,
        before.broker_instance,
        services=(Service("Another"), service),
        contracts=contracts,
        message_types=types,
        table=before.table,
    )
    estate_edit(edits=[PutDatabase(instance, after)], base_version=live.version, author="test")


def test_all_columns_of_the_queue_come_out_in_their_order(wire: Wire, call: Callable[..., Any]) -> None:
    put("A", "one", Service("From", "FromQ"))
    put("B", "two", Service("To", "ToQ", ("C", "DEFAULT")))
    words = ("send", "--from", "A/one", "--service", "From", "--to", "To")
    arguments = ("--contract", "C", "--message-type", "Ask", "-")
    handle = json.loads(call(*words, *arguments, stdin="<a/>").out)["conversation_handle"]
    wire.carry()
    (line,) = call("receive", "B/two/ToQ").out.splitlines()
    row = json.loads(line)
    assert list(row) == COLUMNS
    assert row["conversation_handle"] != handle
    assert {name: row[name] for name in COLUMNS if name.endswith(("_name", "_id"))} == {
        "conversation_group_id": row["conversation_group_id"],
        "service_name": "To",
        "service_id": FIRST + 1,
        "service_contract_name": "C",
        "service_contract_id": FIRST + 1,
        "message_type_name": "Ask",
        "message_type_id": FIRST + 1,
    }
    assert (row["status"], row["priority"], row["message_sequence_number"], row["validation"]) == (1, 5, 0, "X")
    assert base64.b64decode(row["message_body"]) == b"<a/>"
    assert datetime.fromisoformat(row["message_enqueue_time"]).tzinfo is not None


def test_what_every_database_has_of_itself_has_the_product_s_number(wire: Wire, call: Callable[..., Any]) -> None:
    call("send", "--from", "A/one", "--service", "From", "--to", "To", "--size", "0", "--count", "2")
    wire.carry()
    rows = [json.loads(line) for line in call("receive", "B/two/ToQ", "--top", "1").out.splitlines()]
    assert [(row["service_contract_id"], row["message_type_id"], row["message_body"]) for row in rows] == [
        (6, 14, None)
    ]
    assert call("receive", "B/two/ToQ").out.count("\n") == 1
    assert call("receive", "B/two/ToQ", "--wait", "1").out == ""


def test_a_body_that_is_too_large_is_told_with_the_limit(wire: Wire, call: Callable[..., Any], tmp_path: Path) -> None:
    words = ("send", "--from", "A/one", "--service", "From", "--to", "To")
    with (tmp_path / "body").open("wb") as file:
        file.truncate(MOST_BODY + 1)  # a hole: it takes no place
    result = call(*words, tmp_path / "body")
    assert (result.status, result.err) == (4, f"error: {tmp_path / 'body'}: is larger than {MOST_BODY} bytes\n")
    result = call(*words, "--size", MOST_BODY + 1)
    assert (result.status, f": 8459: The message is too long: {MOST_BODY + 1} bytes" in result.err) == (4, True)
    assert ConversationEndpoint.objects.count() == 0


def test_a_command_that_cannot_be_done_says_why(wire: Wire, call: Callable[..., Any]) -> None:
    for words, expected in (
        (("send", "--from", "A/one", "--service", "Nobody", "--to", "To", "--size", "1"), "8423"),
        (("send", "--from", "A/none", "--service", "From", "--to", "To", "--size", "1"), 'no database "none"'),
        (("send", "--from", "Z/one", "--service", "From", "--to", "To", "--size", "1"), "not hosted"),
        (("receive", "A/one/dbo.None"), 'no queue "dbo.None"'),
    ):
        assert expected in refused(call(*words))


def test_the_name_of_a_queue_may_hold_slashes_and_others_not() -> None:
    assert place(HOST_DB_QUEUE)("SERVER1\\INST/Orders/dbo.in/out") == ("SERVER1\\INST", "Orders", "dbo.in/out")
    for form, text in ((HOST_DB_QUEUE, "A/one"), (HOST_DB_QUEUE, "A//q"), (HOST_DB, "A/one/more"), (HOST_DB, "A")):
        with pytest.raises(ArgumentTypeError):
            place(form)(text)


@pytest.mark.both_databases
def test_a_receive_keeps_its_lease_for_as_long_as_its_reader_takes(
    wire: Wire, call: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("of PostgreSQL: SQLite in memory is of one thread")
    call("send", "--from", "A/one", "--service", "From", "--to", "To", "--size", "0")
    wire.carry()
    monkeypatch.setattr("brokerui.cli.commands.receive.EXTENDED_EVERY_S", 0.01)
    rows, extended = queue_rows.queue_rows, []

    def slowly(*given: Any) -> Any:
        until = Lease.objects.get().until
        end = monotonic() + 60
        while not extended and monotonic() < end:
            extended.extend(Lease.objects.filter(until__gt=until))
        return rows(*given)

    monkeypatch.setattr("brokerui.messaging.queue_rows.queue_rows", slowly)
    assert call("receive", "B/two/ToQ").out.count("\n") == 1
    assert (len(extended), QueueMessage.objects.count()) == (1, 0)


def test_a_receive_whose_lease_is_over_says_so_and_takes_nothing(
    wire: Wire, call: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after a long sleep of the machine."""
    call("send", "--from", "A/one", "--service", "From", "--to", "To", "--size", "0")
    wire.carry()
    monkeypatch.setattr("brokerui.cli.commands.receive.LEASE_MS", -1)
    result = call("receive", "B/two/ToQ")
    assert (result.status, "The lease has expired" in result.err, QueueMessage.objects.count()) == (4, True, 1)


# ---------------------------------------------------------------- one conversation


def begun(call: Callable[..., Any], *words: str) -> str:
    """The handle of a conversation on which something was sent."""
    result = call("send", "--from", "A/one", "--service", "From", "--to", "To", "-", *words, stdin="1")
    return str(json.loads(result.out)["conversation_handle"])


def state_of(handle: str) -> str:
    return ConversationEndpoint.objects.get(conversation_handle=handle).state


def test_a_conversation_is_ended_each_way(wire: Wire, call: Callable[..., Any]) -> None:
    plain, failed, gone = begun(call), begun(call), begun(call)
    wire.carry()
    assert json.loads(call("conversation", "end", plain).out) == {"conversation_handle": plain}
    assert call("conversation", "end", failed, "--error", "7", "--description", "out of stock").status == 0
    assert call("conversation", "end", gone, "--cleanup").status == 0
    wire.carry()
    bodies = {json.loads(line)["message_type_name"].rsplit("/")[-1] for line in received(call)}
    assert bodies == {"DEFAULT", "EndDialog", "Error"}
    assert not ConversationEndpoint.objects.filter(conversation_handle=gone).exists()
    assert AuditEntry.objects.get(action="dialog.cleanup").note == f"A: {gone}"


def received(call: Callable[..., Any]) -> list[str]:
    """Lines of all messages of B."""
    lines: list[str] = []
    while found := call("receive", "B/two/ToQ").out.splitlines():
        lines += found
    return lines


def test_an_end_that_is_half_said_is_bad_usage(wire: Wire, call: Callable[..., Any]) -> None:
    handle = begun(call)
    for words in (("--error", "7"), ("--description", "x"), ("--error", "7", "--description", "x", "--cleanup")):
        assert call("conversation", "end", handle, *words).status == 2
    refused = call("conversation", "end", handle, "--error", "0", "--description", "x")
    assert (refused.status, "8419: " in refused.err, state_of(handle)) == (4, True, "CO")


def test_a_conversation_is_moved_and_its_timer_started(wire: Wire, call: Callable[..., Any]) -> None:
    one, other = begun(call), begun(call)
    group = ConversationEndpoint.objects.get(conversation_handle=other).conversation_group_id
    assert json.loads(call("conversation", "move", one, group).out)["conversation_group_id"] == group
    assert call("conversation", "timer", one, "60").status == 0
    endpoint = ConversationEndpoint.objects.get(conversation_handle=one)
    assert (endpoint.conversation_group_id, endpoint.dialog_timer is None) == (group, False)
    nowhere = "00000000-0000-4000-8000-000000000009"
    for words, number in ((("end", nowhere), "8426"), (("move", one, nowhere), "8439")):
        refused = call("conversation", *words)
        assert (refused.status, f": {number}: " in refused.err) == (4, True)
    assert call("conversation", "timer", one, "0").status == 2


def test_the_next_group_is_named_and_received_from(wire: Wire, call: Callable[..., Any]) -> None:
    assert json.loads(call("conversation", "group", "B/two/ToQ").out) == {"conversation_group_id": None}
    assert json.loads(call("conversation", "group", "B/two/ToQ", "--wait", "1").out) == {"conversation_group_id": None}
    begun(call)
    begun(call)
    wire.carry()
    group = json.loads(call("conversation", "group", "B/two/ToQ").out)["conversation_group_id"]
    assert QueueMessage.objects.count() == 2, "nothing was received"
    (line,) = call("receive", "B/two/ToQ", "--group", group).out.splitlines()
    assert json.loads(line)["conversation_group_id"] == group
    assert call("receive", "B/two/ToQ", "--group", group).out == ""
    left = QueueMessage.objects.get()
    assert call("receive", "B/two/ToQ", "--conversation", left.conversation_handle).out.count("\n") == 1


def test_a_message_is_sent_on_several_conversations(wire: Wire, call: Callable[..., Any]) -> None:
    one, other = begun(call), begun(call)
    wire.carry()
    both = ("--conversation", one, "--conversation", other)
    lines = call("send", "--from", "A/one", *both, "-", stdin="2").out.splitlines()
    assert [json.loads(line)["conversation_handle"] for line in lines] == [one, other]
    assert OutgoingMessage.objects.count() == 2
    twice = call("send", "--from", "A/one", "--conversation", one, "--conversation", one, "-", stdin="2")
    assert (twice.status, ": 8451: " in twice.err) == (4, True)


def test_the_broker_of_a_database_is_switched_and_renewed(wire: Wire, call: Callable[..., Any]) -> None:
    begun(call)
    before = estate_current().estate.instances["A"].databases["one"].broker_instance
    disabled = json.loads(call("broker", "disable", "A/one").out)
    assert disabled == {"database": "one", "broker_instance": before, "broker_enabled": False}
    erred = json.loads(call("broker", "error-conversations", "A/one").out)
    assert erred == {"database": "one", "broker_instance": before, "broker_enabled": True, "conversations": 1}
    assert json.loads(call("broker", "enable", "A/one").out)["broker_enabled"] is True
    assert json.loads(call("broker", "new", "A/one").out)["broker_instance"] != before
    assert not ConversationEndpoint.objects.filter(is_initiator=True).exists()
    refused = call("broker", "new", "A/none")
    assert (refused.status, ": 911: " in refused.err) == (4, True)


# ---------------------------------------------------------------- an output that takes nothing


def test_nothing_is_done_where_the_answer_cannot_be_written(
    wire: Wire, call: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    one, other = begun(call), begun(call)
    group = ConversationEndpoint.objects.get(conversation_handle=other).conversation_group_id
    before = rows()
    for words in (
        ("send", "--from", "A/one", "--service", "From", "--to", "To", "--size", "1"),
        ("send", "--from", "A/one", "--conversation", one, "--size", "1"),
        ("conversation", "end", one),
        ("conversation", "end", one, "--cleanup"),
        ("conversation", "move", one, group),
        ("conversation", "timer", one, "60"),
        ("broker", "new", "A/one"),
        ("broker", "disable", "A/one"),
        ("host", "N", "--listen", "tcp://127.0.0.1:7001", "--database", "db"),
        ("keys", "make", "A/one"),
    ):
        with monkeypatch.context() as patch, Path("/dev/full").open("w", encoding="utf-8") as full:
            patch.setattr(sys, "stdout", full)
            assert main([str(word) for word in words]) == 4
        assert rows() == before, words
    assert call("conversation", "end", one).status == 0


def rows() -> list[list[dict[str, Any]]]:
    """Everything that one of these commands would change."""
    models = (ConversationEndpoint, OutgoingMessage, HostedInstance, DatabaseKey, Version, AuditEntry)
    return [list(model.objects.order_by("pk").values()) for model in models]
