"""Names of queues as users write them: without a schema they are of `dbo`."""

from __future__ import annotations

import pytest

from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit
from brokerui.messaging.queue_names import queue_named
from brokerui.messaging.services import Message, conversation_begin, conversation_send, message_receive
from routing.model.catalog_objects import Service
from routing.model.edits import PutService, SetQueue
from tests.brokerui.messaging.hosted import Wire

pytestmark = pytest.mark.django_db(transaction=True)


def edit(*edits: PutService | SetQueue) -> None:
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


@pytest.mark.parametrize("place", [("B", "two"), ("B", "none"), ("none", "two")])
def test_a_name_that_is_nowhere_stays_as_it_is(wire: Wire, place: tuple[str, str]) -> None:
    assert queue_named(*place, "ShipQ") == (*place, "ShipQ")
