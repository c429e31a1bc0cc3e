"""Names of queues as users write them: without a schema they are of `dbo`."""

from __future__ import annotations

from contextlib import nullcontext

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit
from brokerui.messaging.queue_names import queue_named
from brokerui.messaging.services import Message, conversation_begin, conversation_send, message_receive
from routing.model.catalog_objects import Service
from routing.model.edits import DropService, PutService, SetQueue
from tests.brokerui.messaging.hosted import Wire

pytestmark = pytest.mark.django_db(transaction=True)


def edit(*edits: DropService | PutService | SetQueue) -> None:
    estate_edit(edits=list(edits), base_version=estate_current().version, author="test")


@pytest.mark.parametrize("name", ["ShipQ", "dbo.ShipQ", "[ShipQ]", "[dbo].[ShipQ]", "[two].[dbo].[ShipQ]"])
def test_a_name_without_a_schema_is_of_dbo(wire: Wire, name: str) -> None:
    edit(PutService("B", "two", Service("Ship", "dbo.ShipQ", ("DEFAULT",))))
    assert queue_named("B", "two", name) == ("B", "two", "dbo.ShipQ")
    begun = conversation_begin(instance="B", database="two", from_service="To", to_service="Ship", encryption=False)
    conversation_send(instance="B", handles=[begun.conversation_handle], messages=[Message(b"1")])
    wire.carry()
    assert [one.message_body for one in message_receive(instance="B", database="two", queue=name)] == [b"1"]


def test_a_queue_of_exactly_this_name_comes_first(wire: Wire) -> None:
    edit(SetQueue("B", "two", "ShipQ", True), SetQueue("B", "two", "dbo.ShipQ", True))
    assert queue_named("B", "two", "ShipQ").queue == "ShipQ"


def come(wire: Wire, service: str, text: bytes) -> None:
    begun = conversation_begin(instance="B", database="two", from_service="To", to_service=service, encryption=False)
    conversation_send(instance="B", handles=[begun.conversation_handle], messages=[Message(text)])
    wire.carry()


def received() -> list[bytes | None]:
    return [one.message_body for one in message_receive(instance="B", database="two", queue="ShipQ")]


@pytest.mark.both_databases
@pytest.mark.parametrize("in_transaction", [False, True])
def test_a_receive_by_a_name_without_a_schema_follows_an_edited_estate(wire: Wire, in_transaction: bool) -> None:
    """The queue of exactly this name comes after the process has received from the one of `dbo`, and goes again."""
    edit(PutService("B", "two", Service("Ship", "dbo.ShipQ", ("DEFAULT",))))
    scope = transaction.atomic if in_transaction else nullcontext
    for text in (b"1", b"2"):
        come(wire, "Ship", text)
        with scope():
            assert received() == [text]
    edit(PutService("B", "two", Service("Exact", "ShipQ", ("DEFAULT",))))
    come(wire, "Ship", b"of dbo")
    come(wire, "Exact", b"exact")
    with scope():
        assert received() == [b"exact"]
    edit(DropService("B", "two", "Exact"))
    with scope():
        assert received() == [b"of dbo"]


@pytest.mark.both_databases
@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="on SQLite a RECEIVE claims")
def test_a_receive_by_a_name_without_a_schema_asks_for_no_estate(wire: Wire) -> None:
    edit(PutService("B", "two", Service("Ship", "dbo.ShipQ", ("DEFAULT",))))
    for text in (b"1", b"2", b"3"):
        come(wire, "Ship", text)
        with CaptureQueriesContext(connection) as asked:
            assert received() == [text]
    assert not asked.captured_queries


@pytest.mark.parametrize("place", [("B", "two"), ("B", "none"), ("none", "two")])
def test_a_name_that_is_nowhere_stays_as_it_is(wire: Wire, place: tuple[str, str]) -> None:
    assert queue_named(*place, "ShipQ") == (*place, "ShipQ")
