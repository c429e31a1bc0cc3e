"""Poison messages: five rollbacks in a row switch the queue off, in the engine and in the estate."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import pytest
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction

from brokerui.estate.models import AuditEntry
from brokerui.estate.selectors import estate_current
from brokerui.estate.services import estate_edit
from brokerui.messaging.broker_cache import broker_of
from brokerui.messaging.errors import BusyError, NoSuchQueueError
from brokerui.messaging.services import (
    Message,
    conversation_begin,
    conversation_send,
    message_receive,
    message_reception,
    message_rolled_back,
    queue_set_status,
)
from brokerui.messaging.verbs.rollback_counting import rollbacks_counted
from brokerui.messaging.workers.routes_changed import follow_estate
from routing.dialog.batch import ClaimRequest
from routing.dialog.problems import VerbError
from routing.dialog.unit_of_work import UnitOfWork
from routing.model.catalog_objects import Queue
from routing.model.edits import PutDatabase, SetQueue
from routing.model.estate import Database
from routing.runtime.broker import Broker
from tests.brokerui.cli.command_line import call_with
from tests.brokerui.messaging.hosted import Wire

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]
QUEUE = {"instance": "B", "database": "two", "queue": "ToQ"}


class Crash(Exception):
    """What an application does."""


def written() -> Queue | None:
    """The queue as the estate has it."""
    queues = estate_current().estate.instances["B"].databases["two"].queues
    return next((queue for queue in queues if queue.name == "ToQ"), None)


def known() -> tuple[bool, int]:
    """Whether the queue is off, and how many rollbacks are counted, as a claim reads it."""
    broker = broker_of("B")
    work = broker.work(ClaimRequest(), 0)
    broker.release(work)
    return ("two", "ToQ") in work.batch.off, work.batch.rollbacks.get(("two", "ToQ"), 0)


def crash() -> None:
    """An application receives, and then it goes wrong."""
    with message_reception():
        message_receive(**QUEUE)
        raise Crash


def fail(times: int) -> None:
    for _ in range(times):
        with pytest.raises(Crash):
            crash()


@pytest.fixture
def poison(wire: Wire) -> Wire:
    """With a message in the queue."""
    handle = conversation_begin(
        instance="A", database="one", from_service="From", to_service="To", encryption=False
    ).conversation_handle
    conversation_send(instance="A", handles=[handle], messages=[Message(b"1"), Message(b"2")])
    wire.carry()
    return wire


def test_the_fifth_rollback_in_a_row_switches_the_queue_off(poison: Wire) -> None:
    fail(4)
    assert (known(), written()) == ((False, 4), None)
    fail(1)
    assert (known(), written()) == ((True, 0), Queue("ToQ", enabled=False))
    with pytest.raises(VerbError) as raised:
        message_receive(**QUEUE)
    assert raised.value.number == 9617
    events = [event for _, event in broker_of("B", in_transaction=True).events()]
    assert events == []  # given out, and no second time
    assert AuditEntry.objects.order_by("-id")[0].note == "B/two/ToQ off: five rollbacks in a row"


def test_event_143_is_given_out_once(poison: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers: list[int] = []

    def note(_instance: str, _frames: Any, events: Any) -> None:
        numbers.extend(event.number for _, event in events)

    monkeypatch.setattr("brokerui.messaging.verbs.leaving.hand_over", note)
    fail(5)
    assert numbers.count(143) == 1
    with pytest.raises(VerbError), message_reception():
        message_receive(**QUEUE)
    assert (known(), numbers.count(143)) == ((True, 0), 1)


def test_a_commit_in_between_makes_them_begin_anew(poison: Wire) -> None:
    fail(4)
    with message_reception():
        assert [message.message_body for message in message_receive(**QUEUE, top=1)] == [b"1"]
    assert known() == (False, 0)
    fail(4)
    assert written() is None


def test_what_is_rolled_back_in_silence_counts_too(poison: Wire) -> None:
    with rollbacks_counted():
        with transaction.atomic():
            assert message_receive(**QUEUE, top=1)
            transaction.set_rollback(True)
        assert known() == (False, 0)
    assert known() == (False, 1)
    with rollbacks_counted(), transaction.atomic():
        assert message_receive(**QUEUE, top=1)
    assert known() == (False, 0)


FAILURES = [BusyError(), OperationalError("database is locked"), InterfaceError("connection already closed")]


def crash_after(failure: Exception) -> None:
    """An application receives, and does not get over contention."""
    with message_reception():
        message_receive(**QUEUE)
        try:
            raise failure
        except type(failure) as cause:
            raise Crash from cause


def crash_besides() -> None:
    """An application receives, gets over contention, and then goes wrong."""
    with message_reception():
        message_receive(**QUEUE)
        with suppress(BusyError):
            raise BusyError
        raise Crash


@pytest.mark.parametrize("failure", FAILURES, ids=repr)
def test_contention_and_a_lost_database_are_no_poison(poison: Wire, failure: Exception) -> None:
    for _ in range(6):
        with pytest.raises(Crash):
            crash_after(failure)
    assert (known(), written()) == ((False, 0), None)


def test_what_an_application_raises_after_it_got_over_contention_counts(poison: Wire) -> None:
    with pytest.raises(Crash):
        crash_besides()
    assert known() == (False, 1)


def test_a_worker_has_the_write_lock_of_sqlite_for_as_long_as_it_claims(
    poison: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An application that is writing meets no claim of a worker, which could not commit before the application does."""
    seen: list[bool] = []
    finish = Broker._finish

    def finish_seen(self: Broker, work: UnitOfWork, **named: Any) -> None:
        seen.append(connection.in_atomic_block)
        finish(self, work, **named)

    monkeypatch.setattr(Broker, "_finish", finish_seen)
    with message_reception():
        handles = {message.conversation_handle for message in message_receive(**QUEUE)}
        conversation_send(instance="B", handles=list(handles), messages=[Message(b"answer")])
    poison.carry()
    assert seen
    assert set(seen) == {not connection.features.has_select_for_update}


def test_of_two_that_are_nested_each_counts_its_own(poison: Wire) -> None:
    with rollbacks_counted():
        fail(1)
    assert known() == (False, 1)


def test_a_rollback_that_cannot_be_counted_hides_nothing(poison: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail_too(**_place: str) -> None:
        raise DatabaseError

    monkeypatch.setattr("brokerui.messaging.verbs.rollback_counting.message_rolled_back", fail_too)
    fail(1)
    assert known() == (False, 0)


def test_what_received_nothing_is_no_rollback(wire: Wire) -> None:
    fail(6)
    assert known() == (False, 0)


def test_without_poison_handling_a_queue_stays_on(poison: Wire) -> None:
    live = estate_current()
    here = live.estate.instances["B"].databases["two"]
    queues = (Queue("ToQ", poison_handling=False),)
    there = Database("two", here.broker_instance, services=here.services, queues=queues, table=here.table)
    estate_edit(edits=[PutDatabase("B", there)], base_version=live.version, author="test")
    fail(6)
    assert known() == (False, 0)


def test_a_poisoned_queue_is_switched_on_by_its_verb_or_by_the_estate(poison: Wire) -> None:
    fail(5)
    queue_set_status(**QUEUE, is_on=True, author="me")
    assert (known(), written()) == ((False, 0), Queue("ToQ"))
    fail(5)
    edit = SetQueue("B", "two", "ToQ", True)
    estate_edit(edits=[edit], base_version=estate_current().version, author="test")
    follow_estate("B")
    assert known() == (False, 0)
    assert [message.message_body for message in message_receive(**QUEUE)] == [b"1", b"2"]


def test_a_queue_that_the_estate_switches_off_is_off(poison: Wire) -> None:
    edit = SetQueue("B", "two", "ToQ", False)
    estate_edit(edits=[edit], base_version=estate_current().version, author="test")
    follow_estate("B")
    assert known() == (True, 0)


def test_a_verb_is_not_undone_when_the_estate_is_followed(poison: Wire) -> None:
    queue_set_status(**QUEUE, is_on=False)
    follow_estate("B")
    assert (known()[0], written()) == (True, Queue("ToQ", enabled=False))


def test_a_rollback_of_what_is_not_there_is_refused(wire: Wire) -> None:
    with pytest.raises(NoSuchQueueError):
        message_rolled_back(instance="B", database="two", queue="none")


def test_the_command_counts_too(
    poison: Wire, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    call = call_with(capsys, monkeypatch)
    with monkeypatch.context() as broken:
        broken.setattr("brokerui.messaging.queue_rows.queue_rows", _crash)
        with pytest.raises(Crash):
            call("receive", "B/two/ToQ")
    assert known() == (False, 1)
    result = call("receive", "B/two/ToQ")
    assert [json.loads(line)["message_sequence_number"] for line in result.out.splitlines()] == [0, 1]
    assert known() == (False, 0)


def _crash(*_given: Any) -> Callable[..., Any]:
    raise Crash
