"""The verbs, in the caller's transaction, and what workers make of them: over the database, lists in a real Valkey."""

from __future__ import annotations

from threading import Thread
from typing import Any

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from brokerui.estate.models import Instance
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit
from brokerui.messaging import clock, tasks
from brokerui.messaging.broker_cache import broker_of, forget_brokers, has_binding
from brokerui.messaging.errors import BusyError, NoSuchDatabaseError, NoSuchQueueError, NotHostedError
from brokerui.messaging.exchange.lists import outgoing_held, put_notices, run
from brokerui.messaging.exchange.messages import Failed, Notice, Online
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.exchange.unreachable import take_endpoint_notices
from brokerui.messaging.keys.services import key_make, peer_take
from brokerui.messaging.models import ConversationEndpoint, HostedInstance, OutgoingMessage
from brokerui.messaging.services import (
    Message,
    broker_error_conversations,
    conversation_begin,
    conversation_end,
    conversation_end_with_cleanup,
    conversation_end_with_error,
    conversation_id,
    conversation_move,
    conversation_send,
    conversation_timer_start,
    message_receive,
    queue_set_status,
    transmission_status,
)
from brokerui.messaging.verbs.leaving import MOST
from brokerui.messaging.verbs.provisioning import endpoint_at, instance_host
from brokerui.messaging.workers.routes_changed import follow_estate
from routing.dialog.error_message import read_error
from routing.dialog.messages import QueuedMessage
from routing.dialog.problems import VerbError
from routing.model.address import parse_address
from routing.model.catalog_objects import BrokerEndpoint
from routing.model.edits import DropRoute, PutRoute
from routing.model.route import Route
from tests.brokerui.messaging.hosted import ADDRESSES, WORKERS, Wire

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]


def begin(**named: Any) -> str:
    given: dict[str, Any] = {"instance": "A", "database": "one", "from_service": "From", "to_service": "To"}
    return conversation_begin(**(given | {"encryption": False} | named)).conversation_handle


def send(handle: str, *bodies: bytes, instance: str = "A") -> None:
    conversation_send(instance=instance, handles=[handle], messages=[Message(body) for body in bodies])


def receive(instance: str = "B", **named: Any) -> tuple[QueuedMessage, ...]:
    database, queue = {"A": ("one", "FromQ"), "B": ("two", "ToQ")}[instance]
    return message_receive(instance=instance, database=database, queue=queue, **named)


def bodies(instance: str = "B") -> list[bytes | None]:
    return [message.message_body for message in receive(instance)]


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The moment that workers and verbs see: its only number."""
    moment = [clock.now()]
    for module in (*WORKERS, "exchange.unreachable", "verbs.transactions", "verbs.appending", "verbs.taking"):
        monkeypatch.setattr(f"brokerui.messaging.{module}.now", lambda: moment[0])
    return moment


# ---------------------------------------------------------------- there and back


def test_a_conversation_between_two_instances_to_its_end(wire: Wire) -> None:
    handle = begin()
    send(handle, b"1", b"2")
    wire.carry()
    first, second = receive()
    assert (first.message_body, second.message_body) == (b"1", b"2")
    there = first.conversation_handle
    assert conversation_id(instance="A", handle=handle) == conversation_id(instance="B", handle=there)
    send(there, b"answer", instance="B")
    conversation_end(instance="B", handle=there)
    wire.carry()
    answer, end = receive("A")
    assert (answer.message_body, end.message_type_name.rsplit("/")[-1]) == (b"answer", "EndDialog")
    conversation_end(instance="A", handle=handle)
    wire.carry()
    with pytest.raises(VerbError):
        conversation_id(instance="A", handle=handle)
    assert receive() == receive("A") == ()


def test_a_peer_elsewhere_is_told_that_the_database_was_restored(wire: Wire) -> None:
    handle = begin()
    send(handle, b"1")
    wire.carry()
    assert broker_error_conversations(instance="B", database="two") == 1
    wire.carry()
    (error,) = receive("A")
    content = read_error(error.message_body or b"")
    assert content is not None
    assert content[0] == -9720
    assert [one.message_body for one in receive("B")[1:]] == [b"1"], "what had come stays, after the error"


def test_what_is_rolled_back_was_not_sent(wire: Wire) -> None:
    handle = begin()
    with transaction.atomic():
        send(handle, b"never")
        transaction.set_rollback(True)
    send(handle, b"1")
    wire.carry()
    assert bodies() == [b"1"]


def test_without_a_transaction_around_it_each_verb_is_one(wire: Wire) -> None:
    handle = begin()
    send(handle, b"1")
    assert OutgoingMessage.objects.count() == 1
    with pytest.raises(VerbError):
        conversation_send(instance="A", handles=[handle, "nowhere"], messages=[Message(b"2")])
    if connection.vendor == "postgresql":  # on SQLite Django itself commits it
        transaction.set_autocommit(False)
        try:
            send(handle, b"3")
            transaction.rollback()
        finally:
            transaction.set_autocommit(True)
    assert OutgoingMessage.objects.count() == 1
    assert not connection.in_atomic_block


def test_messages_leave_with_their_commit_and_more_than_a_window_of_them_by_a_worker(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No worker is woken for a window: its frames are in the lists of the endpoint after the commit, and not before."""
    woken = list[Any]()
    monkeypatch.setattr("brokerui.messaging.verbs.transactions.wake_once", woken.append)
    handle = begin()
    send(handle, b"1")
    (held,) = run(redis(), outgoing_held("A")).values()
    with transaction.atomic():
        send(handle, b"2")
        assert run(redis(), outgoing_held("A")) == {ADDRESSES["B"]: held}
    assert run(redis(), outgoing_held("A")) == {ADDRESSES["B"]: 2 * held}
    wire.carry()
    with transaction.atomic():
        send(begin(), *[b"3"] * MOST)
    assert run(redis(), outgoing_held("A")) == {ADDRESSES["B"]: MOST * held}
    assert woken == []
    with transaction.atomic():
        send(handle, *[b"3"] * (MOST + 1))
    assert woken == [tasks.transmit]
    wire.carry()
    assert [b"1", b"2", *[b"3"] * (MOST + 1)] == bodies()
    assert bodies() == [b"3"] * MOST


def test_what_was_received_and_rolled_back_is_there_again(wire: Wire) -> None:
    send(begin(), b"1")
    wire.carry()
    with transaction.atomic():
        assert bodies() == [b"1"]
        transaction.set_rollback(True)
    assert bodies() == [b"1"]


def test_large_messages_and_many_of_them(wire: Wire) -> None:
    handles = [begin() for _ in range(3)]
    large = bytes(range(256)) * 1500  # of all three more than a worker reads at once
    for number, handle in enumerate(handles):
        send(handle, *[b"%d %d" % (number, each) for each in range(110)], large)
    wire.carry()
    for _ in handles:
        found = bodies()
        assert found[-1] == large
        number = (found[0] or b"").split()[0]
        assert found[:-1] == [b"%s %d" % (number, each) for each in range(110)]
    assert bodies() == []


def test_what_is_lost_is_sent_again(wire: Wire, time: list[int]) -> None:
    handle = begin()
    wire.is_cut = True
    send(handle, b"1")
    wire.carry()
    assert wire.lost == 1
    wire.is_cut = False
    wire.carry()
    assert bodies() == []
    time[0] += 5_000
    wire.carry()
    assert bodies() == [b"1"]
    time[0] += 60_000
    wire.is_cut = True
    wire.carry()
    assert wire.lost == 1  # acknowledged: it is not sent again


def test_memory_that_was_lost_costs_nothing(wire: Wire, time: list[int]) -> None:
    """A worker that dies between any two steps."""
    handle = begin()
    send(handle, b"1")
    for _ in range(3):
        forget_brokers()
        wire.carry()
    time[0] += 5_000
    forget_brokers()
    wire.carry()
    assert bodies() == [b"1"]


def test_an_instance_that_was_taken_away_and_is_hosted_again_is_a_new_one(wire: Wire) -> None:
    """Processes that knew the old one do not go on with it."""
    begin()
    HostedInstance.objects.filter(name="A").delete()
    address = parse_address(ADDRESSES["A"])
    instance_host(name="A", listen=address, databases=["more"], author="test")
    send(begin(), b"1")
    wire.carry()
    assert bodies() == [b"1"]


def test_an_endpoint_that_was_imported_as_stopped_stays_so_when_its_instance_is_hosted() -> None:
    known = BrokerEndpoint(1433, state="STOPPED", forward_size=7)
    found = endpoint_at(parse_address(ADDRESSES["A"]), known)
    assert (found.port, found.state, found.forward_size) == (4022, "STOPPED", 7)


def test_a_queue_that_is_off_keeps_what_came_and_gives_it_when_it_is_on(wire: Wire) -> None:
    """NET-2."""
    queue_set_status(instance="B", database="two", queue="ToQ", is_on=False)
    handle = begin()
    send(handle, b"1", b"2")
    wire.carry()
    with pytest.raises(VerbError) as raised:
        receive()
    assert raised.value.number == 9617
    queue_set_status(instance="B", database="two", queue="ToQ", is_on=True)
    wire.carry()
    assert bodies() == [b"1", b"2"]


def test_a_missing_route_is_told_and_what_waits_goes_when_it_is_made(wire: Wire, time: list[int]) -> None:
    """MATCH-7: at once when the estate changes."""
    before = estate_current()
    edits = [DropRoute("A", "one", "to"), DropRoute("A", "one", "AutoCreatedLocal")]
    estate_edit(edits=edits, base_version=before.version, author="test")
    handle = begin()
    send(handle, b"1")
    wire.carry()
    assert transmission_status(instance="A", handle=handle).startswith("9793: ")
    route = Route("to", "To", None, None, parse_address(ADDRESSES["B"]))
    estate_edit(edits=[PutRoute("A", "one", route)], base_version=estate_current().version, author="test")
    follow_estate("A")
    wire.carry()
    assert bodies() == [b"1"]
    assert transmission_status(instance="A", handle=handle) == ""


def test_a_dialog_is_encrypted_once_there_are_keys(wire: Wire, time: list[int]) -> None:
    handle = begin(encryption=True)
    send(handle, b"secret")
    wire.carry()
    assert transmission_status(instance="A", handle=handle).startswith("9727: ")
    publics = {name: key_make(instance=name, database=db, author="test") for name, db in (("A", "one"), ("B", "two"))}
    peer_take(instance="A", database="one", service="To", public=publics["B"], author="test")
    peer_take(instance="B", database="two", service="", public=publics["A"], author="test")
    time[0] += 5_000
    wire.carry()
    assert bodies() == [b"secret"]


def test_who_has_not_claimed_since_hears_of_keys_too(wire: Wire) -> None:
    assert not has_binding("A", "one", "To")
    public = key_make(instance="A", database="one", author="test")
    peer_take(instance="A", database="one", service="To", public=public, author="test")
    assert has_binding("A", "one", "To")


def test_messages_ask_nothing_of_keys(wire: Wire) -> None:
    handle = begin()
    for text in (b"1", b"2", b"3"):
        with CaptureQueriesContext(connection) as asked:
            send(handle, text)
            wire.carry()
            assert bodies() == [text]
    assert not [query["sql"] for query in asked if "keys_" in query["sql"]]


def test_an_address_that_cannot_be_reached_is_told_and_tried_at_once_when_it_is_back(
    wire: Wire, time: list[int]
) -> None:
    handle = begin()
    wire.is_cut = True
    send(handle, b"1")
    wire.carry()
    assert transmission_status(instance="A", handle=handle) == ""
    tell(Failed("A", ADDRESSES["B"], 9754, "refused"), Failed("nobody", "tcp://z:1", 9754, "refused"))
    assert transmission_status(instance="A", handle=handle) == "9754: refused"
    wire.is_cut = False
    tell(Online("A", ADDRESSES["B"]))
    wire.carry()
    assert bodies() == [b"1"]
    assert transmission_status(instance="A", handle=handle) == ""
    tell(Online("A", ADDRESSES["B"]))  # it was there: nothing is sent again
    wire.is_cut = True
    wire.carry()
    assert wire.lost == 1


def tell(*notices: Notice) -> None:
    """The endpoint's part, and the worker's."""
    run(redis(), put_notices(notices))
    take_endpoint_notices()


# ---------------------------------------------------------------- the other verbs


def test_groups_timers_and_ends(wire: Wire, time: list[int]) -> None:
    first, second = begin(), begin()
    group = conversation_begin(
        instance="A", database="one", from_service="From", to_service="To", related_conversation=first
    ).conversation_group_id
    conversation_move(instance="A", handle=second, conversation_group_id=group)
    conversation_timer_start(instance="A", handle=second, timeout_s=10)
    time[0] += 10_001
    wire.carry()
    (timer,) = receive("A")
    assert (timer.conversation_handle, timer.conversation_group_id) == (second, group)
    assert timer.message_type_name.endswith("DialogTimer")
    send(first, b"1")
    wire.carry()
    there = receive()[0].conversation_handle
    conversation_end_with_error(instance="B", handle=there, code=7, description="no")
    wire.carry()
    (error,) = receive("A")
    assert b"<Code>7</Code>" in (error.message_body or b"")
    conversation_end_with_cleanup(instance="A", handle=first)
    with pytest.raises(VerbError) as raised:
        send(first, b"2")
    assert raised.value.number == 8426


# ---------------------------------------------------------------- refused verbs


def test_what_is_not_here_is_refused(wire: Wire) -> None:
    with pytest.raises(NotHostedError):
        begin(instance="Z")
    with pytest.raises(NoSuchDatabaseError):
        begin(database="none")
    with pytest.raises(NoSuchQueueError):
        message_receive(instance="B", database="two", queue="none")
    with pytest.raises(NoSuchDatabaseError):
        queue_set_status(instance="B", database="none", queue="ToQ", is_on=False)
    with pytest.raises(VerbError) as raised:
        send("no handle", b"1")
    assert raised.value.number == 8426


def test_an_instance_that_is_hosted_no_longer_does_nothing(wire: Wire) -> None:
    begin()
    Instance.objects.filter(name="A").update(hosted=False)
    estate_edit(
        edits=[DropRoute("A", "one", "to")], base_version=estate_current().version, author="test"
    )  # brokers look when the estate has changed
    with pytest.raises(NotHostedError):
        begin()


def test_what_another_transaction_holds_is_busy(wire: Wire) -> None:
    handle = begin()
    from routing.dialog.batch import ClaimRequest

    worker = broker_of("A")
    work = worker.work(ClaimRequest(handles=(handle,)), clock.now())
    try:
        with pytest.raises(BusyError):
            send(handle, b"1")
    finally:
        worker.release(work)
    send(handle, b"1")
    assert not connection.in_atomic_block


def test_an_instance_whose_row_the_transaction_has_deleted_gets_another(wire: Wire) -> None:
    first = broker_of("A").store.instance  # type: ignore[attr-defined]  # the store of the database
    forget_brokers()
    with transaction.atomic():
        HostedInstance.objects.all().delete()
        begin()
        assert HostedInstance.objects.get(name="A").id != first
    assert HostedInstance.objects.filter(name="A").exists()


def test_the_first_use_of_an_instance_keeps_no_transaction_waiting_for_another(wire: Wire) -> None:
    """On SQLite one transaction writes at a time, whatever it writes."""
    if connection.vendor != "postgresql":
        return
    with transaction.atomic():
        begin()
        others = Thread(target=lambda: (begin(), connection.close()), daemon=True)
        others.start()
        others.join(60)
        assert not others.is_alive()
        transaction.set_rollback(True)
    assert ConversationEndpoint.objects.count() == 1
