"""Brokers that are disabled, enabled, made anew; databases that mirror another; queues that are off: one instance."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection, transaction

from brokerui.estate.models import AuditEntry, Instance
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit, estate_import
from brokerui.messaging.broker_cache import broker_of
from brokerui.messaging.errors import BusyError, NoSuchDatabaseError, NotHostedError
from brokerui.messaging.models import (
    ConversationEndpoint,
    ConversationGroup,
    HeldFragment,
    OutgoingMessage,
    QueueMessage,
    TransmissionObject,
)
from brokerui.messaging.services import (
    Message,
    broker_disable,
    broker_enable,
    broker_error_conversations,
    broker_renew,
    conversation_begin,
    conversation_end,
    conversation_send,
    message_receive,
    queue_set_status,
    transmission_status,
)
from brokerui.messaging.store import DatabaseStore, moving
from brokerui.messaging.workers.routes_changed import follow_estate
from routing.dialog.batch import ChangeSet, ClaimRequest
from routing.dialog.error_message import read_error
from routing.dialog.problems import VerbError
from routing.dialog.system_names import ERROR_TYPE
from routing.documents.estate_document import read_estate
from routing.model.edits import SetBroker
from routing.model.estate import Database
from routing.runtime.store import Conflict
from tests.brokerui.messaging.hosted import ADDRESSES, LOCAL, ONE, TWO, Wire

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]
THREE = "6f3f0d5e-0000-4000-8000-000000000003"


def database(name: str, identifier: str | None, service: str, **more: Any) -> dict[str, Any]:
    services = [{"name": service, "queue": f"{service}Q", "contracts": ["DEFAULT"]}]
    return {"name": name, "broker_instance": identifier, "services": services, "routes": [LOCAL], **more}


def host(*databases: dict[str, Any]) -> None:
    one = {"name": "A", "addresses": [ADDRESSES["A"]], "databases": [*databases, {"name": "msdb", "routes": [LOCAL]}]}
    document = {"format": "brokerui.estate/1", "instances": [one]}
    estate_import(estate=read_estate(json.dumps(document)), author="test")
    Instance.objects.update(hosted=True)


@pytest.fixture
def alone(lists: None) -> Wire:
    """Instance A with databases one (service From) and two (service To)."""
    host(database("one", ONE, "From"), database("two", TWO, "To"))
    return Wire({"A": ADDRESSES["A"]})


def begin(to: str = "To", **named: Any) -> str:
    given: dict[str, Any] = {"instance": "A", "database": "one", "from_service": "From", "encryption": False}
    return conversation_begin(**(given | named), to_service=to).conversation_handle


def send(handle: str, *bodies: bytes) -> None:
    conversation_send(instance="A", handles=[handle], messages=[Message(body) for body in bodies])


def bodies(name: str = "two", queue: str = "ToQ") -> list[bytes | None]:
    return [message.message_body for message in message_receive(instance="A", database=name, queue=queue)]


def status(handle: str) -> int:
    """The number of what GET_TRANSMISSION_STATUS says; 0: nothing."""
    return int(transmission_status(instance="A", handle=handle).partition(":")[0] or 0)


def carry(wire: Wire) -> None:
    """The estate is followed, and all that is due is done."""
    follow_estate("A")
    wire.carry()


def written(name: str) -> Database:
    return estate_current().estate.instances["A"].databases[name]


# ---------------------------------------------------------------- local delivery


def test_a_local_message_stands_in_its_queue_when_the_verb_is_done(alone: Wire) -> None:
    """TOB-3: without a transmission object, and never in the transmission queue."""
    handle = begin()
    send(handle, b"1", b"2")
    assert (OutgoingMessage.objects.count(), TransmissionObject.objects.count()) == (0, 0)
    assert broker_of("A", in_transaction=True).transmissions.get(handle) is None
    assert bodies() == [b"1", b"2"]


def test_what_meets_a_queue_that_is_off_waits_and_keeps_its_order(alone: Wire) -> None:
    """NET-2, TOB-3: nothing goes straight into the queue while something waits before it."""
    queue_set_status(instance="A", database="two", queue="ToQ", is_on=False)
    handle = begin()
    send(handle, b"1")
    assert (status(handle), OutgoingMessage.objects.count()) == (9749, 1)
    queue_set_status(instance="A", database="two", queue="ToQ", is_on=True)
    send(handle, b"2")
    assert bodies() == []
    carry(alone)
    assert (bodies(), status(handle)) == ([b"1", b"2"], 0)


# ---------------------------------------------------------------- DISABLE_BROKER, ENABLE_BROKER


def test_what_is_sent_from_a_disabled_database_waits_there_until_it_is_enabled(alone: Wire) -> None:
    """NET-2: in the transmission queue of the database that sent it, status 9791."""
    broker_disable(instance="A", database="one", author="me")
    handle = begin()
    send(handle, b"1")
    carry(alone)
    assert (status(handle), OutgoingMessage.objects.count(), bodies()) == (9791, 1, [])
    broker_enable(instance="A", database="one", author="me")
    carry(alone)
    assert (bodies(), status(handle), OutgoingMessage.objects.count()) == ([b"1"], 0, 0)
    notes = AuditEntry.objects.order_by("-id").values_list("author", "note")[:2]
    assert list(notes) == [("me", "A/one: broker enabled"), ("me", "A/one: broker disabled")]


def test_what_is_for_a_disabled_database_waits_with_its_sender(alone: Wire) -> None:
    """LOC, fixed: a database whose broker is disabled cannot be the target."""
    handle = begin()
    send(handle, b"1")
    broker_disable(instance="A", database="two")
    send(handle, b"2")
    carry(alone)
    assert (status(handle), OutgoingMessage.objects.count()) == (9796, 1)
    assert bodies() == [b"1"]  # a message that was received before stays
    broker_enable(instance="A", database="two")
    carry(alone)
    assert bodies() == [b"2"]


def test_an_edit_of_the_estate_does_the_same(alone: Wire) -> None:
    handle = begin()
    edit = SetBroker("A", "one", False)
    estate_edit(edits=[edit], base_version=estate_current().version, author="test")
    send(handle, b"1")
    carry(alone)
    assert (status(handle), written("one").broker_enabled) == (9791, False)
    broker_enable(instance="A", database="one")
    carry(alone)
    assert bodies() == [b"1"]


def test_two_enabled_brokers_of_an_instance_never_have_the_same_identifier(lists: None) -> None:
    host(database("one", ONE, "From"), database("two", ONE, "To", broker_enabled=False), database("three", None, "C"))
    with pytest.raises(VerbError) as raised:
        broker_enable(instance="A", database="two")
    assert (raised.value.number, '"one"' in str(raised.value)) == (9772, True)
    broker_enable(instance="A", database="one")
    broker_enable(instance="A", database="three")
    broker_disable(instance="A", database="one")
    broker_enable(instance="A", database="two")
    assert [written(name).broker_enabled for name in ("one", "two", "three")] == [False, True, True]


# ---------------------------------------------------------------- NEW_BROKER


def test_a_new_broker_has_another_identifier_and_no_conversations(alone: Wire) -> None:
    """Its peers get no EndDialog: they find out when they send (DLG-UNSEQ)."""
    handle, other = begin(), begin()
    send(handle, b"1", b"2")
    queue_set_status(instance="A", database="two", queue="ToQ", is_on=False)
    send(other, b"3")
    broker_disable(instance="A", database="two")
    identifier = broker_renew(instance="A", database="two", author="me")
    assert (written("two").broker_instance, written("two").broker_enabled) == (identifier, True)
    assert identifier not in {ONE, TWO}
    assert set(ConversationEndpoint.objects.values_list("database", flat=True)) == {"one"}
    queue_set_status(instance="A", database="two", queue="ToQ", is_on=True)
    assert bodies("one", "FromQ") == []
    carry(alone)
    assert bodies() == [b"3"]  # it had never left its sender
    send(handle, b"4")
    carry(alone)
    # The conversation is pinned to the broker that there was (RT-PIN).
    assert status(handle) == 9796
    assert broker_of("A").store.depth(("two", "ToQ")).messages == 0


def test_a_new_broker_forgets_what_its_own_conversations_had_to_send(alone: Wire) -> None:
    broker_disable(instance="A", database="one")
    handle = begin()
    send(handle, b"1")
    broker_renew(instance="A", database="one")
    carry(alone)
    assert (ConversationEndpoint.objects.count(), OutgoingMessage.objects.count(), bodies()) == (0, 0, [])
    with pytest.raises(VerbError) as raised:
        send(handle, b"2")
    assert raised.value.number == 8426


def test_a_new_broker_has_no_message_either(alone: Wire) -> None:
    """Neither in queues nor in the transmission queue, whatever the state of its conversations."""
    send(begin(), b"1")
    queue_set_status(instance="A", database="two", queue="ToQ", is_on=False)
    send(begin(), b"2")
    broker_renew(instance="A", database="two")
    broker_renew(instance="A", database="one")
    for table in (ConversationEndpoint, ConversationGroup, HeldFragment, OutgoingMessage, QueueMessage):
        assert not table._default_manager.exists()


# ---------------------------------------------------------------- ERROR_BROKER_CONVERSATIONS


def errors(name: str, queue: str) -> list[int]:
    """Codes of the errors in a queue, which are received."""
    received = message_receive(instance="A", database=name, queue=queue)
    found = [read_error(one.message_body or b"") for one in received if one.message_type_name == ERROR_TYPE]
    return [code for code, _ in filter(None, found)]


def test_conversations_of_a_database_end_with_an_error_on_both_sides(alone: Wire) -> None:
    """And its broker, which was restored disabled, is enabled with the identifier that it had."""
    handle, begun = begin(), begin()
    send(handle, b"1")
    assert bodies() == [b"1"]
    broker_disable(instance="A", database="two")
    assert broker_error_conversations(instance="A", database="two", author="me") == 1
    assert (written("two").broker_instance, written("two").broker_enabled) == (TWO, True)
    assert (errors("two", "ToQ"), errors("one", "FromQ")) == ([-9719], [-9720])
    assert dict(ConversationEndpoint.objects.values_list("conversation_handle", "state"))[begun] == "SO"
    entry = AuditEntry.objects.filter(author="me").latest("id")
    assert "conversations ended with an error" in entry.note
    with pytest.raises(VerbError) as raised:
        send(handle, b"2")
    assert raised.value.number == 8429
    for one in ConversationEndpoint.objects.filter(state="ER").values_list("conversation_handle", flat=True):
        conversation_end(instance="A", handle=one)
    send(begun, b"3")
    carry(alone)
    assert bodies() == [b"3"]


def test_more_conversations_than_one_unit_of_work_takes_end_together(
    alone: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brokerui.messaging.verbs.database_brokers.ERRED_AT_ONCE", 2)
    for _ in range(5):
        send(begin(), b"1")
    assert broker_error_conversations(instance="A", database="one") == 5
    assert set(ConversationEndpoint.objects.values_list("state", flat=True)) == {"ER"}


def test_an_error_that_is_rolled_back_has_ended_nothing(alone: Wire) -> None:
    handle = begin()
    with transaction.atomic():
        broker_error_conversations(instance="A", database="one")
        transaction.set_rollback(True)
    send(handle, b"1")
    assert bodies() == [b"1"]


# ---------------------------------------------------------------- a mirror


def test_nobody_works_in_a_mirror_and_nothing_is_delivered_to_it(lists: None) -> None:
    """LOC, fixed: a database in the role MIRROR cannot be the target."""
    host(database("one", ONE, "From"), database("two", TWO, "To", mirroring_role="MIRROR"))
    wire = Wire({"A": ADDRESSES["A"]})
    handle = begin()
    send(handle, b"1")
    carry(wire)
    assert (status(handle), ConversationEndpoint.objects.count()) == (9796, 1)
    for verb in (broker_enable, broker_disable, broker_error_conversations, broker_renew):
        with pytest.raises(VerbError) as raised:
            verb(instance="A", database="two")
        assert raised.value.number == 954
    with pytest.raises(VerbError) as raised:
        bodies()
    assert raised.value.number == 954


def test_a_database_that_becomes_a_mirror_sends_nothing_any_more(alone: Wire) -> None:
    handle = begin()
    broker_disable(instance="A", database="two")
    send(handle, b"1")
    host(database("one", ONE, "From", mirroring_role="MIRROR"), database("two", TWO, "To"))
    carry(alone)
    assert bodies() == []
    for verb in (send, lambda one: conversation_end(instance="A", handle=one), status):
        with pytest.raises(VerbError) as raised:
            verb(handle)
        assert raised.value.number == 954
    assert list(ConversationEndpoint.objects.values_list("transmission_status", flat=True)) == [954]
    host(database("one", ONE, "From", mirroring_role="PRINCIPAL"), database("two", TWO, "To"))
    carry(alone)
    assert bodies() == [b"1"]


# ---------------------------------------------------------------- other transactions


def test_who_knows_an_older_estate_writes_nothing(alone: Wire) -> None:
    """A claim that began before, and a broker that has not heard of it yet."""
    begin()
    number = DatabaseStore(broker_number())
    old = DatabaseStore(broker_number(), version=estate_current().version)
    token = old.claim(ClaimRequest(), 0).token if connection.vendor == "sqlite" else 0
    broker_renew(instance="A", database="two")
    with pytest.raises(Conflict, match="too old"):
        old.commit(ChangeSet(token, 0)) if token else old.claim(ClaimRequest(), 0)
    with pytest.raises(Conflict, match="too old"):
        old.claim(ClaimRequest(), 0)
    number.release(number.claim(ClaimRequest(), 0).token)


def broker_number() -> int:
    from brokerui.messaging.models import HostedInstance

    return int(HostedInstance.objects.get(name="A").id)


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="on SQLite one writes at a time anyway")
def test_an_application_that_goes_on_holds_the_database(alone: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moving, "PATIENCE", "100ms")
    begin()
    store = DatabaseStore(broker_number())
    token = store.claim(ClaimRequest(), 0).token
    with pytest.raises(BusyError):
        broker_disable(instance="A", database="one")
    assert written("one").broker_enabled
    store.release(token)
    broker_disable(instance="A", database="one")
    assert not written("one").broker_enabled


def test_a_verb_that_is_rolled_back_has_changed_nothing(alone: Wire) -> None:
    handle = begin()
    with transaction.atomic():
        broker_renew(instance="A", database="one")
        transaction.set_rollback(True)
    send(handle, b"1")
    assert (bodies(), written("one").broker_instance) == ([b"1"], ONE)


def test_what_is_not_there_is_refused(alone: Wire) -> None:
    for verb in (broker_enable, broker_disable, broker_error_conversations, broker_renew):
        with pytest.raises(NoSuchDatabaseError):
            verb(instance="A", database="none")
        with pytest.raises(NotHostedError):
            verb(instance="Z", database="one")
