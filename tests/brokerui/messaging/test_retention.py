"""RETENTION of hosted queues: what stays, what counts, and when it goes."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.db import transaction
from django.db.models import Sum

from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit
from brokerui.messaging.broker_cache import broker_of
from brokerui.messaging.leases.selectors import has_messages
from brokerui.messaging.leases.services import lease_commit, lease_make
from brokerui.messaging.models import HostedInstance, QueueCounter, QueueMessage, RetainedMessage
from brokerui.messaging.selectors import endpoint_of
from brokerui.messaging.services import (
    Message,
    broker_renew,
    conversation_begin,
    conversation_end,
    conversation_move,
    conversation_send,
    message_receive,
)
from routing.dialog.batch import ReceiveRequest
from routing.model.catalog_objects import Queue
from routing.model.edits import PutDatabase
from tests.brokerui.messaging.hosted import Wire

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]
PLACES = {"A": ("one", "FromQ"), "B": ("two", "ToQ")}


def set_retention(retention: bool, *instances: str) -> None:
    """ALTER QUEUE … WITH RETENTION = ON | OFF."""
    live = estate_current()
    edits = []
    for name in instances:
        database, queue = PLACES[name]
        before = live.estate.instances[name].databases[database]
        edits.append(PutDatabase(name, replace(before, queues=(Queue(queue, retention=retention),))))
    estate_edit(edits=edits, base_version=live.version, author="test")


@pytest.fixture
def retaining(wire: Wire) -> Wire:
    """Both queues retain."""
    set_retention(True, "A", "B")
    return wire


def begin() -> str:
    begun = conversation_begin(instance="A", database="one", from_service="From", to_service="To", encryption=False)
    return begun.conversation_handle


def send(handle: str, *bodies: bytes, instance: str = "A") -> None:
    conversation_send(instance=instance, handles=[handle], messages=[Message(body) for body in bodies])


def receive(instance: str = "B") -> list[bytes | None]:
    database, queue = PLACES[instance]
    return [one.message_body for one in message_receive(instance=instance, database=database, queue=queue)]


def retained(instance: str) -> list[tuple[int, bytes]]:
    """Status and body of what RETENTION keeps."""
    rows = RetainedMessage.objects.filter(instance__name=instance).order_by("queuing_order")
    return [(row.status, bytes(row.message_body or b"")) for row in rows]


def waiting() -> int:
    """By the counters, as activation and the pages see it."""
    return QueueCounter.objects.aggregate(all=Sum("messages"))["all"] or 0


def test_a_conversation_with_retention_to_its_end(retaining: Wire) -> None:
    handle = begin()
    send(handle, b"1", b"2")
    retaining.carry()
    assert (retained("A"), retained("B"), waiting()) == ([(3, b"1"), (3, b"2")], [], 2)
    assert (receive(), receive()) == ([b"1", b"2"], [])
    assert (retained("B"), waiting()) == ([(0, b"1"), (0, b"2")], 0)
    assert not QueueMessage.objects.exists()
    there = RetainedMessage.objects.filter(instance__name="B")[0].conversation_handle
    send(there, b"answer", instance="B")
    conversation_end(instance="B", handle=there)
    assert retained("B") == []
    retaining.carry()
    assert receive("A") == [b"answer", None]
    assert retained("A") == [(3, b"1"), (3, b"2"), (0, b"answer"), (0, b"")]
    conversation_end(instance="A", handle=handle)
    assert not RetainedMessage.objects.exists()


def test_what_is_rolled_back_is_not_retained(retaining: Wire) -> None:
    handle = begin()
    with transaction.atomic():
        send(handle, b"never")
        transaction.set_rollback(True)
    send(handle, b"1")
    retaining.carry()
    with transaction.atomic():
        assert receive() == [b"1"]
        transaction.set_rollback(True)
    assert (retained("A"), retained("B")) == ([(3, b"1")], [])
    assert receive() == [b"1"]


def test_a_lease_retains_what_it_commits(retaining: Wire) -> None:
    send(begin(), b"1", b"2")
    retaining.carry()
    leased = lease_make(instance="B", request=ReceiveRequest(PLACES["B"], 1), owner="me", lease_ms=60_000)
    assert leased is not None
    assert retained("B") == []
    assert lease_commit(receipt=leased.receipt, owner="me") == 1
    assert retained("B") == [(0, b"1")]
    assert receive() == [b"2"]
    assert not has_messages(HostedInstance.objects.get(name="B").id, PLACES["B"])


def test_it_can_be_switched_on_and_off_in_the_middle(wire: Wire) -> None:
    handle = begin()
    for number, retention in enumerate((False, True, False)):
        set_retention(retention, "A", "B")
        send(handle, b"%d" % number)
        wire.carry()
        assert receive() == [b"%d" % number]
    assert (retained("A"), retained("B")) == ([(3, b"1")], [(0, b"1")])
    conversation_end(instance="A", handle=handle)
    wire.carry()
    assert (retained("A"), retained("B")) == ([], [(0, b"1")])
    assert receive() == [None]
    there = RetainedMessage.objects.get().conversation_handle
    conversation_end(instance="B", handle=there)
    assert not RetainedMessage.objects.exists()


def test_a_moved_conversation_keeps_what_it_retains_and_others_keep_theirs(retaining: Wire) -> None:
    one, other = begin(), begin()
    send(one, b"1")
    send(other, b"2")
    group = endpoint_of(other).conversation_group_id
    conversation_move(instance="A", handle=one, conversation_group_id=group)
    conversation_end(instance="A", handle=one)
    assert retained("A") == [(3, b"2")]


def test_a_new_broker_drops_what_was_retained(retaining: Wire) -> None:
    send(begin(), b"1")
    retaining.carry()
    assert receive() == [b"1"]
    broker_renew(instance="B", database="two")
    assert (retained("A"), retained("B")) == ([(3, b"1")], [])
    assert broker_of("B").directories["two"].retains("ToQ"), "the queue is as it was"
