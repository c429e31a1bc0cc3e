"""Leases: messages are handed out to one receive until it is committed, rolled back or lapsed; a lease ends once."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import connection, connections
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from brokerui.estate.models import AuditEntry
from brokerui.messaging import clock
from brokerui.messaging.errors import NoSuchQueueError
from brokerui.messaging.leases import selectors, services
from brokerui.messaging.leases.answers import AnotherRequestError, answered_once, token_of
from brokerui.messaging.leases.errors import LeaseCommittedError, LeasedError, LeaseOverError, NoSuchReceiptError
from brokerui.messaging.leases.models import Lease, LeaseState
from brokerui.messaging.leases.selectors import has_messages
from brokerui.messaging.leases.services import (
    Leased,
    lease_commit,
    lease_make,
    lease_receive,
    lease_roll_back,
    leases_forget,
    leases_lapse,
)
from brokerui.messaging.leases.uses import use_count, uses_tell
from brokerui.messaging.models import HostedInstance, Queue, QueueMessage
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.services import (
    Message,
    conversation_begin,
    conversation_end,
    conversation_end_with_cleanup,
    conversation_move,
    conversation_send,
    message_receive,
    queue_set_status,
)
from brokerui.messaging.store.next_group import LOOKS
from brokerui.messaging.store.numbers import queue_number
from routing.dialog.batch import ReceiveRequest
from routing.dialog.problems import VerbError
from tests.brokerui.messaging.hosted import WORKERS, Wire

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True)]
QUEUE = ("two", "ToQ")
PLACE = {"instance": "B", "database": "two", "queue": "ToQ"}
LEASE_MS = 1_000


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The moment that everybody sees: its only number."""
    moment = [clock.now()]
    for module in (
        *WORKERS,
        "exchange.unreachable",
        "verbs.transactions",
        "verbs.taking",
        "leases.services",
        "leases.selectors",
    ):
        monkeypatch.setattr(f"brokerui.messaging.{module}.now", lambda: moment[0])
    return moment


def begin(**named: Any) -> str:
    given: dict[str, Any] = {"instance": "A", "database": "one", "from_service": "From", "to_service": "To"}
    return conversation_begin(**(given | {"encryption": False} | named)).conversation_handle


def send(handle: str, *bodies: bytes, instance: str = "A") -> None:
    conversation_send(instance=instance, handles=[handle], messages=[Message(body) for body in bodies])


def arrived(wire: Wire, *conversations: tuple[bytes, ...]) -> None:
    """Messages of some conversations, in the queue of B."""
    for bodies in conversations:
        send(begin(), *bodies)
    wire.carry()


def lease(owner: str = "me", **named: Any) -> Leased | None:
    return lease_make(instance="B", request=ReceiveRequest(QUEUE, **named), owner=owner, lease_ms=LEASE_MS)


def leased(owner: str = "me", **named: Any) -> Leased:
    found = lease(owner, **named)
    assert found is not None
    return found


def bodies(found: Leased | None) -> list[bytes | None]:
    return [message.message_body for message in found.messages] if found else []


def commit(found: Leased, owner: str = "me") -> int:
    return lease_commit(receipt=found.receipt, owner=owner)


# ---------------------------------------------------------------- while it lives


def test_a_receive_counts_once_it_is_committed(wire: Wire) -> None:
    arrived(wire, (b"1", b"2"))
    found = leased()
    assert (bodies(found), QueueMessage.objects.count()) == ([b"1", b"2"], 2)
    assert (commit(found), QueueMessage.objects.count()) == (2, 0)
    assert commit(found) == 2, "the second time does nothing more"
    assert lease() is None


def test_nobody_else_receives_from_the_group_however_he_asks(wire: Wire) -> None:
    arrived(wire, (b"1", b"2"))
    arrived(wire, (b"other",))
    found = leased(top=1)
    assert bodies(found) == [b"1"]
    handle = found.messages[0].conversation_handle
    for named in ({"conversation_handle": handle}, {"conversation_group_id": found.conversation_group_id}):
        assert message_receive(**PLACE, **named) == ()
    assert lease(handle=handle) is lease(group=found.conversation_group_id) is None
    assert [message.message_body for message in message_receive(**PLACE)] == [b"other"]
    assert message_receive(**PLACE) == ()
    commit(found)
    assert bodies(leased()) == [b"2"]


def received_with(found: Leased, top: int = 100, owner: str = "me") -> Leased:
    place = QueueAddress("B", "two", "ToQ")
    return lease_receive(receipt=found.receipt, place=place, owner=owner, top=top, lease_ms=LEASE_MS)


def test_a_group_that_is_locked_gives_its_messages_to_its_receipt_alone(wire: Wire) -> None:
    arrived(wire, (b"1", b"2"))
    group = leased(top=0)
    assert (group.messages, lease(), message_receive(**PLACE)) == ((), None, ())
    assert bodies(received_with(group, top=1)) == [b"1"]
    assert bodies(received_with(group, top=1)) == [b"1"], "an answer that was lost is given again"
    assert lease() is None, "it is still locked"
    assert commit(group) == 1
    assert bodies(leased()) == [b"2"]
    with pytest.raises(LeaseOverError):
        received_with(group)


def test_a_group_that_is_only_locked_counts_against_no_queue(wire: Wire, time: list[int]) -> None:
    arrived(wire, (b"1",))
    lease_roll_back(receipt=leased(top=0).receipt, owner="me")
    lapsed = leased(top=0)
    time[0] += LEASE_MS
    assert leases_lapse() == 1
    assert not Queue.objects.filter(rollbacks__gt=0).exists()
    with pytest.raises(LeaseOverError):
        received_with(lapsed)
    assert commit(leased(top=0)) == 0, "nothing was received"
    assert bodies(leased()) == [b"1"]


def test_a_receipt_gives_nothing_to_others_nor_in_another_queue(wire: Wire) -> None:
    arrived(wire, (b"1",))
    group = leased(top=0)
    with pytest.raises(NoSuchReceiptError):
        received_with(group, owner="you")
    for place in (QueueAddress("B", "two", "OtherQ"), QueueAddress("A", "two", "ToQ")):
        with pytest.raises(NoSuchReceiptError):
            lease_receive(receipt=group.receipt, place=place, owner="me", top=1, lease_ms=LEASE_MS)
    assert bodies(received_with(group)) == [b"1"]


def test_messages_that_come_meanwhile_are_not_taken_with_it(wire: Wire) -> None:
    handle = begin()
    send(handle, b"1")
    wire.carry()
    found = leased()
    send(handle, b"2")
    wire.carry()
    assert lease() is None
    assert commit(found) == 1
    assert bodies(leased()) == [b"2"]


def test_a_conversation_does_not_leave_a_leased_group(wire: Wire) -> None:
    handle = begin()
    send(handle, b"1")
    wire.carry()
    found = leased()
    there = found.messages[0].conversation_handle
    other = "00000000-0000-4000-8000-000000000001"
    with pytest.raises(LeasedError):
        conversation_move(instance="B", handle=there, conversation_group_id=other)
    commit(found)
    send(handle, b"2")


@pytest.mark.parametrize("end", [conversation_end, conversation_end_with_cleanup])
def test_ending_the_conversation_receives_its_leased_messages(wire: Wire, end: Any) -> None:
    handle = begin()
    send(handle, b"1")
    conversation_end(instance="A", handle=handle)
    wire.carry()
    found = leased()
    end(instance="B", handle=found.messages[0].conversation_handle)
    assert commit(found) == 2
    assert lease() is None


def test_what_was_moved_elsewhere_is_not_received_here(wire: Wire) -> None:
    arrived(wire, (b"1",))
    found = leased()
    QueueMessage.objects.update(conversation_group_id="elsewhere")
    with pytest.raises(LeaseOverError):
        commit(found)
    assert QueueMessage.objects.count() == 1


def test_a_queue_that_is_switched_off_hands_out_nothing_but_what_it_has_handed_out_is_taken(wire: Wire) -> None:
    arrived(wire, (b"1",), (b"2",))
    found = leased()
    queue_set_status(**PLACE, is_on=False)
    with pytest.raises(VerbError, match="9617"):
        lease()
    assert commit(found) == 1
    assert QueueMessage.objects.count() == 1


def test_bodies_of_a_lease_are_bounded_but_for_the_first(wire: Wire, monkeypatch: Any) -> None:
    monkeypatch.setattr(services, "MOST_BYTES", 5)
    arrived(wire, (b"1" * 9, b"22", b"33", b"44"))
    for expected in ([b"1" * 9], [b"22", b"33"], [b"44"]):
        found = leased()
        assert bodies(found) == expected
        commit(found)


# ---------------------------------------------------------------- how it ends


def test_what_is_rolled_back_is_there_again(wire: Wire) -> None:
    arrived(wire, (b"1",))
    first = leased()
    lease_roll_back(receipt=first.receipt, owner="me")
    lease_roll_back(receipt=first.receipt, owner="me")
    with pytest.raises(LeaseOverError):
        commit(first)
    second = leased()
    assert (bodies(second), commit(second)) == ([b"1"], 1)
    with pytest.raises(LeaseCommittedError):
        lease_roll_back(receipt=second.receipt, owner="me")


def test_a_lease_lapses_and_a_late_commit_does_nothing(wire: Wire, time: list[int]) -> None:
    arrived(wire, (b"1",))
    first = leased()
    time[0] += LEASE_MS - 1
    assert lease() is None
    time[0] += 1
    with pytest.raises(LeaseOverError):
        commit(first)
    second = leased("another")
    for receipt, owner in ((first, "me"), (first, "another"), (second, "me")):
        with pytest.raises((LeaseOverError, NoSuchReceiptError)):
            commit(receipt, owner)
    assert (bodies(second), commit(second, "another"), QueueMessage.objects.count()) == ([b"1"], 1, 0)


def test_five_that_end_in_nothing_switch_the_queue_off(wire: Wire, time: list[int]) -> None:
    arrived(wire, (b"1",))
    for number in range(5):
        found = leased()
        if number % 2:
            lease_roll_back(receipt=found.receipt, owner="me")
        else:
            time[0] += LEASE_MS
            assert leases_lapse() == 1
    with pytest.raises(VerbError, match="9617"):
        lease()


def test_a_commit_between_makes_earlier_rollbacks_forgotten(wire: Wire) -> None:
    arrived(wire, *[(b"%d" % number,) for number in range(10)])
    for _ in range(2):
        for _ in range(4):
            lease_roll_back(receipt=leased().receipt, owner="me")
        commit(leased())
    assert lease() is not None


def test_what_became_of_a_receipt_is_known_for_a_day(wire: Wire, time: list[int]) -> None:
    arrived(wire, (b"1",))
    found = leased()
    commit(found)
    time[0] += services.KEPT_MS
    assert (leases_forget(), commit(found)) == (0, 1)
    time[0] += 1
    assert leases_forget() == 1
    with pytest.raises(NoSuchReceiptError):
        commit(found)


def test_a_queue_that_is_not_there_is_not_received_from(wire: Wire) -> None:
    with pytest.raises(NoSuchQueueError):
        lease_make(instance="B", request=ReceiveRequest(("two", "None")), owner="me", lease_ms=1)


def test_a_look_whether_there_is_anything_sees_what_could_be_leased(wire: Wire, time: list[int]) -> None:
    number = HostedInstance.objects.get_or_create(name="B")[0].pk
    assert not has_messages(number, QUEUE)
    arrived(wire, (b"1",))
    assert has_messages(number, QUEUE)
    leased()
    assert not has_messages(number, QUEUE)
    time[0] += LEASE_MS
    assert has_messages(number, QUEUE)


def test_of_some_who_commit_at_once_all_hear_the_same(wire: Wire) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("of PostgreSQL: SQLite in memory is of one thread")
    arrived(wire, (b"1",), (b"2",))
    found = leased()
    heard: list[int] = []

    def run() -> None:
        try:
            heard.append(commit(found))
        finally:
            connections.close_all()

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert heard == [1] * 4
    assert (QueueMessage.objects.count(), Lease.objects.get().state) == (1, LeaseState.COMMITTED)


def test_leased_messages_cost_others_no_scan(wire: Wire) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("of PostgreSQL")
    arrived(wire, *[(b"x",)] * 20)
    leased()
    number = queue_number(HostedInstance.objects.get(name="B").pk, QUEUE)
    with connection.cursor() as cursor:
        # Twenty rows are scanned and sorted as cheaply as read from an index: the plan of a full table is asked for.
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute("SET LOCAL enable_sort = off")
        parameters = {"queue": number, "now": 0, "instance": 1}
        cursor.execute(f"EXPLAIN {selectors._FOUND.format(**LOOKS[0]._asdict())}", parameters)
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "queue_messages_next" in plan
    assert "hashed SubPlan" in plan


# ---------------------------------------------------------------- answers and uses


def test_a_request_that_is_sent_twice_is_done_once(db: None) -> None:
    done: list[int] = []
    token = token_of("me", "key")
    for _ in range(2):
        assert answered_once(token, "digest", lambda: done.append(1) or {"n": len(done)}) == {"n": 1}
    with pytest.raises(AnotherRequestError):
        answered_once(token, "another", lambda: None)
    assert answered_once("", "digest", lambda: 2) == 2


def test_what_failed_is_done_when_it_is_sent_again(db: None) -> None:
    def fail() -> None:
        raise ValueError("failed")

    token = token_of("me", "key")
    with pytest.raises(ValueError, match="failed"):
        answered_once(token, "digest", fail)
    assert answered_once(token, "digest", lambda: 1) == 1


def test_the_audit_hears_of_uses_once(db: None) -> None:
    for _ in range(3):
        use_count(author="me", verb="send", instance="A", messages=2)
    use_count(author="me", verb="end", instance="A")
    assert uses_tell() == 2
    assert {(one.author, one.action, one.note) for one in AuditEntry.objects.all()} == {
        ("me", "dialog.send", "A: 3 requests, 6 messages"),
        ("me", "dialog.end", "A: 1 requests"),
    }
    assert uses_tell() == 0


# ---------------------------------------------------------------- any life


class Life(RuleBasedStateMachine):
    """Two programs that lease, commit, roll back, die and come too late: each message is taken once, in its order."""

    wire: Wire
    time: list[int]

    @initialize()
    def begin(self) -> None:
        self.handles = [begin() for _ in range(3)]
        self.sent = dict.fromkeys(self.handles, 0)
        self.taken: dict[str, list[bytes | None]] = {}
        self.open: list[tuple[Leased, str, int]] = []

    @rule(which=st.integers(0, 2), count=st.integers(1, 3))
    def send(self, which: int, count: int) -> None:
        handle = self.handles[which]
        first = self.sent[handle]
        send(handle, *[b"%d" % number for number in range(first, first + count)])
        self.sent[handle] += count
        self.wire.carry()

    @rule(owner=st.sampled_from("ab"), top=st.none() | st.integers(1, 2))
    def lease(self, owner: str, top: int | None) -> None:
        try:
            found = lease(owner, top=top)
        except VerbError:  # five ended in nothing
            self._switch_on()
            return
        if found is not None:
            living = {one.conversation_group_id for one, _, until in self.open if until > self.time[0]}
            assert found.conversation_group_id not in living
            self.open.append((found, owner, found.until))

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def commit(self, data: st.DataObject) -> None:
        found, owner, until = data.draw(st.sampled_from(self.open))
        if until <= self.time[0]:
            with pytest.raises(LeaseOverError):
                commit(found, owner)
            return
        assert commit(found, owner) == commit(found, owner) == len(found.messages)
        self.open.remove((found, owner, until))
        self.taken.setdefault(found.messages[0].conversation_handle, []).extend(bodies(found))

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def roll_back(self, data: st.DataObject) -> None:
        found, owner, until = data.draw(st.sampled_from(self.open))
        lease_roll_back(receipt=found.receipt, owner=owner)
        self.open.remove((found, owner, until))

    @rule(milliseconds=st.sampled_from([1, LEASE_MS // 2, LEASE_MS]))
    def wait(self, milliseconds: int) -> None:
        self.time[0] += milliseconds

    def _switch_on(self) -> None:
        queue_set_status(**PLACE, is_on=True)
        self.wire.carry()

    def teardown(self) -> None:
        self.time[0] += LEASE_MS
        leases_lapse()
        self._switch_on()
        while (found := lease()) is not None:
            commit(found)
            self.taken.setdefault(found.messages[0].conversation_handle, []).extend(bodies(found))
        counts = sorted(count for count in self.sent.values() if count)
        assert sorted(map(len, self.taken.values())) == counts
        for received in self.taken.values():
            assert received == [b"%d" % number for number in range(len(received))]
        Lease.objects.all().delete()
        for handle in self.handles:
            conversation_end_with_cleanup(instance="A", handle=handle)


@pytest.mark.thorough("single receives on PostgreSQL are in this module, drawn lives run on SQLite", on="postgresql")
def test_each_message_is_taken_once_and_in_order_whatever_becomes_of_leases(wire: Wire, time: list[int]) -> None:
    kind = type("AnyLife", (Life,), {"wire": wire, "time": time})
    run_state_machine_as_test(
        kind,
        settings=settings(
            max_examples=15, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
        ),
    )
