"""The store on the database, on SQLite and on PostgreSQL."""

from __future__ import annotations

import os
import random
import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from functools import partial
from math import ceil
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from django.db import DataError, IntegrityError, OperationalError, connection, transaction

from brokerui.messaging.leases.models import Lease
from brokerui.messaging.models import (
    ConversationEndpoint,
    HeldFragment,
    HostedInstance,
    OutgoingMessage,
    RetainedMessage,
)
from brokerui.messaging.store import DatabaseStore, claiming, instance_state, receiving, taking
from brokerui.messaging.store.locks import Locks, _after_fork, locks_of
from brokerui.messaging.store.moving import alone_in
from brokerui.messaging.store.next_group import QueueLook
from brokerui.messaging.store.numbers import queue_number
from brokerui.messaging.store.postgres import COMPARED, INSTANCES, TAKEN
from brokerui.messaging.store.postgres_pool import IDLE, Pool, pool_of
from brokerui.messaging.store.postgres_transactions import _HARDEN, CallersSession, OwnSession
from brokerui.messaging.store.session import CONVERSATION, GROUP, Answer, Session
from brokerui.messaging.store.sqlite import SqliteSession
from routing.dialog.batch import ChangeSet, ClaimRequest, ReceiveRequest
from routing.dialog.endpoint import ConversationGroupState, Endpoint
from routing.dialog.messages import OutboundMessage
from routing.dialog.settings import DialogSettings
from routing.mirror.state_machine import MirroredRoute, MirroredRouteKey
from routing.runtime.store import Conflict, OutdatedError, QueueDepth, Store
from scripts.postgres import running
from tests.brokerui.elsewhere import elsewhere
from tests.brokerui.product import eventually
from tests.routing.dialog.joined import Joined
from tests.routing.runtime.store.conformance import (
    ALL,
    NOW,
    ONE,
    RECEIVING,
    Q,
    RetainedRows,
    StoreConformance,
    adding,
    arrival,
    arrive,
    changing,
    endpoint,
    held,
    look,
    message,
    recalled,
    run_at_once,
    take,
    texts_of,
    write,
)

on_postgres = pytest.mark.skipif(connection.vendor != "postgresql", reason="of PostgreSQL")
on_sqlite = pytest.mark.skipif(connection.vendor != "sqlite", reason="of SQLite")


# Claims are transactions of their own: no test is one. What it leaves is removed from our tables alone.
pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.django_db(transaction=True, available_apps=["brokerui.messaging"]),
]


@pytest.fixture
def instance() -> Iterator[int]:
    yield HostedInstance.objects.create(name=str(uuid4())).id
    pool_of("default").close()


@pytest.fixture
def store(instance: int) -> Iterator[DatabaseStore]:
    made = DatabaseStore(instance)
    yield made
    made.forget_claims()


class TestDatabaseStore(StoreConformance):
    @property
    def can_append(self) -> bool:  # type: ignore[override]  # it depends on the database of the run
        return connection.vendor == "postgresql"

    def other(self, store: Store) -> DatabaseStore:
        assert isinstance(store, DatabaseStore)
        return DatabaseStore(store.instance)

    @pytest.fixture
    def retained(self, instance: int) -> RetainedRows:
        def read() -> list[tuple[int, str, int]]:
            rows = RetainedMessage.objects.filter(instance=instance).order_by("queuing_order")
            return [(row.queuing_order, bytes(row.message_body or b"").decode(), row.status) for row in rows]

        return read


# ---------------------------------------------------------------- instances


def test_instances_know_nothing_of_each_other(store: DatabaseStore) -> None:
    other = DatabaseStore(HostedInstance.objects.create(name=str(uuid4())).id)
    write(store, endpoint("1t", due=NOW), enqueued=[message("1t", 0)], queues={Q: False})
    mine = store.claim(ClaimRequest(("1t",), due=1, receive=ALL), NOW)
    assert look(other, ClaimRequest(("1t",), ("1t",), (("1", False),), due=5, receive=ALL)).busy == frozenset()
    write(other, endpoint("1t"), enqueued=[message("1t", 7)])
    assert look(other, ClaimRequest()).off == frozenset()
    assert (other.depth(Q), other.next_due(), store.next_due()) == (QueueDepth(1, NOW), None, NOW)
    assert take(other) == ["1t 7"]
    assert texts_of(mine.received) == ["1t 0"]


def test_an_instance_that_is_not_hosted_has_no_claims(instance: int) -> None:
    with pytest.raises(LookupError):
        DatabaseStore(-1).claim(ClaimRequest(), NOW)


def test_two_stores_of_an_instance_are_one(store: DatabaseStore, instance: int) -> None:
    """What each knows of queues, requests and routes is what the other has written."""
    other = DatabaseStore(instance)
    assert look(other, ClaimRequest()).off == frozenset()
    write(store, endpoint("1t"), queues={Q: False}, enqueued=[message("1t", 0)])
    assert look(other, ClaimRequest()).off == {Q}
    mine = store.claim(ClaimRequest(("1t",)), NOW)
    assert look(other, ClaimRequest(("1t",))).busy == {"1t"}
    store.release(mine.token)
    assert take(other) == ["1t 0"]
    assert store.depth(Q) == QueueDepth(0, None)


def test_what_is_known_is_read_again_only_when_it_has_changed(
    store: DatabaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    reads: list[int] = []
    read = instance_state._read
    monkeypatch.setattr(instance_state, "_read", lambda *given: reads.append(1) or read(*given))
    for _ in range(3):
        look(store, ClaimRequest())
    assert len(reads) == 1
    write(store, requests={("db", "S"): "1i"})
    assert look(store, ClaimRequest()).requests == {("db", "S"): "1i"}
    assert len(reads) == 2


# ---------------------------------------------------------------- claims


def test_a_claim_that_has_ended_cannot_be_added_to(store: DatabaseStore) -> None:
    token = store.claim(ClaimRequest(), NOW).token
    store.release(token)
    with pytest.raises(Conflict):
        store.claim(ClaimRequest(token=token), NOW)


def test_a_claim_that_fails_holds_nothing(store: DatabaseStore, monkeypatch: pytest.MonkeyPatch) -> None:
    write(store, endpoint("1t"))
    with monkeypatch.context() as broken:
        broken.setattr("brokerui.messaging.store.claiming._read_rows", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            store.claim(ClaimRequest(("1t",)), NOW)
    assert look(store, ClaimRequest(("1t",))).busy == frozenset()


def test_a_conversation_that_moved_away_before_it_was_locked_is_busy(
    store: DatabaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the look at its group and the lock, another transaction has moved it to a group that it still holds."""
    write(store, endpoint("1i", "2t"), endpoint("1t"), endpoint("2t"))
    mover = store.claim(ClaimRequest(groups=("2t",)), NOW)
    monkeypatch.setattr(
        "brokerui.messaging.store.claiming._OF_HANDLES",
        "SELECT '1t' AS conversation_handle, '1' AS conversation_id, 'before' AS conversation_group_id"
        " WHERE %(instance)s > 0 AND '1t' ",
    )
    batch = look(store, ClaimRequest(("1t",)))
    assert (batch.busy, batch.endpoints, batch.handles) == ({"1t"}, {}, {})
    store.release(mover.token)


def test_what_another_has_done_since_it_was_found_due_is_not_due(
    store: DatabaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(store, endpoint("1t", due=NOW + 9), endpoint("2t", due=NOW))
    monkeypatch.setattr(
        "brokerui.messaging.store.claiming._DUE",
        "SELECT conversation_id AS key, conversation_handle FROM conversation_endpoints"
        " WHERE instance_id = %(instance)s AND CAST(%(now)s AS bigint) > 0 ORDER BY due",
    )
    assert look(store, ClaimRequest(due=5)).due == ("2t",)


def test_a_group_that_was_emptied_before_it_was_locked_is_passed(
    store: DatabaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(store, endpoint("1t"), enqueued=[message("1t", 0)])
    taken_first(monkeypatch, "gone")
    assert look(store, ClaimRequest(receive=ALL)).received_group == "1t"


def taken_first(monkeypatch: pytest.MonkeyPatch, group: str) -> None:
    """Let the next receive lock a group that it would not find any more."""
    take_next = receiving.lock_next

    def found_before(session: Session, *_: object) -> Answer:
        monkeypatch.setattr(receiving, "lock_next", take_next)
        return session.take(GROUP, "SELECT CAST(%(group)s AS text) AS key", {"group": group}, 1)

    monkeypatch.setattr(receiving, "lock_next", found_before)


def test_of_a_group_all_conversations_are_received(store: DatabaseStore) -> None:
    rows = [message(handle, number, "g") for number in (0, 1) for handle in ("2t", "1t")]
    write(store, endpoint("1t", "g"), endpoint("2t", "g"), endpoint("3t"), enqueued=[*rows, message("3t", 0)])
    assert take(store) == ["2t 0", "2t 1", "1t 0", "1t 1"]
    assert take(store) == ["3t 0"]


def test_who_has_a_group_is_given_nothing_of_it_where_another_is_wanted(store: DatabaseStore) -> None:
    write(store, endpoint("1t"), endpoint("2t"), enqueued=[message("1t", 0), message("1t", 1)])
    mine = store.claim(ClaimRequest(receive=ReceiveRequest(Q, 1)), NOW)
    assert texts_of(mine.received) == ["1t 0"]
    others = ReceiveRequest(("d", "another queue")), ReceiveRequest(Q, group="2t"), ReceiveRequest(Q, handle="2t")
    batches = [store.claim(ClaimRequest(receive=other, token=mine.token), NOW) for other in others]
    assert [(batch.received, batch.received_group) for batch in batches] == [((), None)] * 3


def test_a_group_that_was_leased_before_it_was_locked_is_passed(
    instance: int, store: DatabaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(store, endpoint("1t"), endpoint("2t"), enqueued=[message("1t", 0), message("2t", 0)])
    of_queue = {"instance_id": instance, "database": Q[0], "queue": Q[1]}
    Lease.objects.create(**of_queue, conversation_group_id="1t", owner="another", messages=[], count=0, until=NOW + 1)
    taken_first(monkeypatch, "1t")
    assert texts_of(look(store, ClaimRequest(receive=ALL)).received) == ["2t 0"]


# ---------------------------------------------------------------- within the caller's transaction


def test_a_claim_can_live_in_the_callers_transaction(instance: int, store: DatabaseStore) -> None:
    """Its changes become durable, and its locks are released, with the transaction."""
    mine = DatabaseStore(instance, in_transaction=True)
    write(store, endpoint("1t"))
    with transaction.atomic():
        write(mine, enqueued=[message("1t", 0)])
        token = mine.claim(ClaimRequest(("1t",)), NOW).token
        mine.commit(ChangeSet(token, NOW, endpoints={"1t": endpoint("1t", send_sequence=1)}))
        mine.release(mine.claim(ClaimRequest(("1t",)), NOW).token)
        assert take(mine) == ["1t 0"]
    assert look(store, ClaimRequest(("1t",))).endpoints["1t"].send_sequence == 1
    assert store.depth(Q) == QueueDepth(0, None)


def test_what_the_caller_rolls_back_has_not_happened(instance: int, store: DatabaseStore) -> None:
    mine = DatabaseStore(instance, in_transaction=True)
    with transaction.atomic():
        write(mine, endpoint("1t"), enqueued=[message("1t", 0)], queues={Q: False})
        transaction.set_rollback(True)
    seen = look(store, ClaimRequest(("1t",), receive=ALL))
    assert (seen.endpoints, seen.received, seen.off) == ({}, (), frozenset())
    assert store.depth(Q) == QueueDepth(0, None)


def test_a_conflict_leaves_the_caller_his_savepoint(instance: int, store: DatabaseStore) -> None:
    mine = DatabaseStore(instance, in_transaction=True)
    write(store, endpoint("1t"))
    with transaction.atomic():
        write(mine, endpoint("2t"))
        with pytest.raises(Conflict), transaction.atomic():
            write(mine, endpoint("1t"))
        write(mine, endpoint("3t"))
    assert set(look(store, ClaimRequest(("1t", "2t", "3t"))).endpoints) == {"1t", "2t", "3t"}


# ---------------------------------------------------------------- faults that only a database can have


def test_what_breaks_a_rule_of_the_tables_is_no_conflict(store: DatabaseStore) -> None:
    """It is a fault of the program; nothing was written, and the claim has ended."""
    token = store.claim(ClaimRequest(), NOW).token
    changes = ChangeSet(token, NOW, endpoints={"1t": endpoint("1t"), "2t": endpoint("2t", state="XX")})
    changes.groups = {"1t": ConversationGroupState("1t", "db", "S", "Q", 1)}
    with pytest.raises(IntegrityError):
        store.commit(changes)
    with pytest.raises(Conflict):
        store.commit(ChangeSet(token, NOW))
    assert look(store, ClaimRequest(("1t",))).endpoints == {}


@pytest.mark.parametrize(
    "wrong",
    [
        {"priority": 0},
        {"priority": 11},
        {"held": -1},
        {"outgoing": -1},
        {"send_sequence": 1, "transmitted": 2},
        {"send_sequence": 3, "transmitted": 1, "sending_sequence": 2, "acknowledged_sequence": 2},
        {"send_sequence": 3, "transmitted": 3, "sending_sequence": 1, "acknowledged_sequence": 2},
    ],
)
def test_numbers_of_endpoints_are_checked(store: DatabaseStore, wrong: dict[str, int]) -> None:
    with pytest.raises(IntegrityError):
        write(store, endpoint("1t", **wrong))


@pytest.mark.parametrize(
    "twice",
    [
        {"outgoing": [OutboundMessage("1t", 0, "DEFAULT", b"", NOW)]},
        {"buffered": [held("1t", 0, 0)]},
    ],
)
def test_a_number_or_fragment_is_there_once(store: DatabaseStore, twice: dict[str, list[Any]]) -> None:
    write(store, endpoint("1t"), **twice)
    with pytest.raises(Conflict):
        write(store, **twice)


@pytest.mark.parametrize("wrong", [{"status": 4}, {"validation": "?"}, {"message_sequence_number": -1}])
def test_rows_of_queues_are_checked(store: DatabaseStore, wrong: dict[str, Any]) -> None:
    one = message("1t", 0)
    for name, value in wrong.items():
        setattr(one, name, value)
    with pytest.raises(IntegrityError):
        write(store, endpoint("1t"), enqueued=[one])
    assert store.depth(Q) == QueueDepth(0, None)


def test_names_may_hold_whatever_the_product_allows(store: DatabaseStore) -> None:
    """Arrays and JSON on the way to the database have signs of their own."""
    name = "a\\\"b',{}[]\n\t\x1f NULL 名 %s %(x)s"
    made = endpoint("1t", far_broker_instance=name, kept_route=name, kept_database="", kept_identifier="NULL")
    write(store, made, requests={(name, name): "1t"}, queues={("db", name): False})
    token = store.claim(ClaimRequest(("1t",)), NOW).token
    changed = endpoint("1t", far_broker_instance="{" + name, kept_route="NULL", kept_database=name)
    store.commit(ChangeSet(token, NOW, endpoints={"1t": changed}))
    batch = look(store, ClaimRequest(("1t",)))
    assert batch.endpoints["1t"] == changed
    assert (batch.requests, batch.off) == ({(name, name): "1t"}, {("db", name)})


def test_queues_have_different_numbers() -> None:
    keys = [(instance, key) for instance in (1, 2) for key in (("a", "b"), ("a", "c"), ("ab", ""), ("", "ab"))]
    assert len({queue_number(*key) for key in keys}) == len(keys)


# ---------------------------------------------------------------- the engine over it


def test_two_instances_exchange_messages_and_leave_nothing(instance: int, store: DatabaseStore) -> None:
    """Small ones and one in parts, over a network that loses a third of all fragments; and both sides end."""
    other = DatabaseStore(HostedInstance.objects.create(name=str(uuid4())).id)
    world = Joined(stores={"a": store, "b": other}, settings=DialogSettings(fragment_bytes=1000))
    draw = random.Random(1)
    world.fate = lambda parcel: [] if draw.random() < 1 / 3 else [parcel.raw]
    handle = world.begin()
    bodies = [b"1", b"2" * 2500, b"3"]
    world.send(handle, *bodies)
    for _ in range(40):
        world.later(60_000)
    received = world.receive()
    assert [message.message_body for message in received] == bodies
    assert sum(store.take_latencies().values()) == len(bodies)
    assert not store.take_latencies()
    world.end(handle, received[0].conversation_handle)
    for _ in range(40):
        world.later(60_000)
    assert not OutgoingMessage.objects.exists()
    assert not HeldFragment.objects.exists()
    assert set(ConversationEndpoint.objects.values_list("state", flat=True)) <= {"CD"}


# ---------------------------------------------------------------- how much at once


def test_of_large_messages_a_claim_reads_not_much_more_than_a_batch_sends(store: DatabaseStore) -> None:
    body = bytes(claiming.BYTES_AT_ONCE // 2)
    for place, handle in enumerate(("3i", "1i", "2i")):
        rows = [OutboundMessage(handle, number, "DEFAULT", body, NOW) for number in range(2)]
        write(
            store, endpoint(handle, due=NOW - 3 + place, next_attempt=NOW, outgoing=2, send_sequence=2), outgoing=rows
        )
    write(store, endpoint("4i", due=NOW, next_attempt=NOW))
    batch = look(store, ClaimRequest(due=10))
    assert batch.due == ("3i", "4i"), "a conversation that is left out is due the next time"
    assert {handle: len(rows) for handle, rows in batch.outgoing.items()} == {"3i": 2, "4i": 0}


def test_of_many_conversations_a_claim_reads_some_messages_each(
    store: DatabaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claiming, "ROWS_AT_ONCE", 60)
    for handle in ("1i", "2i"):
        rows = [OutboundMessage(handle, number, "DEFAULT", b"", NOW) for number in range(40)]
        write(store, endpoint(handle, due=NOW, next_attempt=NOW, outgoing=40, send_sequence=40), outgoing=rows)
    batch = look(store, ClaimRequest(due=10))
    assert {handle: len(rows) for handle, rows in batch.outgoing.items()} == {"1i": 30, "2i": 30}


# ---------------------------------------------------------------- how many statements


STATEMENTS = {OwnSession: ("ask", "rows", "insert"), SqliteSession: ("rows", "run", "insert", "lock_named")}
WAYS = {OwnSession: ("together", "at_once", "rows", "writing")}
"""What makes one way to the database and back."""


def queries_of(
    monkeypatch: pytest.MonkeyPatch,
    work: Callable[[], object],
    kinds: Mapping[type[Session], Sequence[str]] = STATEMENTS,
) -> int:
    """How often a session is asked for these, but for COMMIT."""
    times = 0

    def counting(original: Any) -> Any:
        def counted(self: Session, *given: Any, **named: Any) -> Any:
            nonlocal times
            times += given[:1] != ("COMMIT",)
            return original(self, *given, **named)

        return counted

    with monkeypatch.context() as patched:
        for of, names in kinds.items():
            for kind in names:
                patched.setattr(of, kind, counting(getattr(of, kind)))
        work()
    return times


def everything(handles: list[str], prefix: str) -> Callable[[DatabaseStore], None]:
    """Each kind of change in these conversations, some messages each."""

    def work(store: DatabaseStore) -> None:
        keys = tuple((handle[:-1], False) for handle in handles)
        batch = store.claim(ClaimRequest(tuple(handles), conversations=keys, due=len(handles), receive=ALL), NOW)
        assert not batch.busy
        changes = ChangeSet(batch.token, NOW, received=list(batch.received), retry_services={("db", "T")})
        changes.cleared_queues = changes.removed = handles[: len(handles) // 2]
        changes.groups = dict.fromkeys(changes.removed)
        for handle in handles[len(handles) // 2 :]:
            changes.acknowledged_below[handle], changes.dropped_from[handle], changes.moved[handle] = 1, 2, handle
            changes.endpoints[handle] = batch.endpoints[handle]
            changes.unbuffered.append((handle, 0))
            changes.outgoing.append(OutboundMessage(handle, 2, "DEFAULT", b"", NOW))
            changes.enqueued += [message(handle, 1), message(handle, 2)]
            changes.buffered.append(held(handle, 1, 0))
            new = f"{prefix}{handle}"
            changes.endpoints[new] = endpoint(new)
            changes.groups[new] = ConversationGroupState(new, "db", "S", "Q", 1)
            changes.requests["db", handle] = handle
            key = MirroredRouteKey("tcp://a:1", "tcp://b:1", handle, None)
            changes.mirrored[key] = MirroredRoute(key)
        store.commit(changes)

    return work


def test_a_batch_takes_as_many_statements_whatever_its_size(
    store: DatabaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for updates of endpoints: one more for every 32 (`COMPARED`)."""
    taken: list[int] = []
    for size, prefix in ((4, "a"), (200, "b")):
        handles = [f"{prefix}{number}t" for number in range(size)]
        waiting = {"held": 2, "due": NOW, "next_attempt": NOW, "outgoing": 3, "send_sequence": 3}
        waiting |= {"sending_sequence": 0, "transmitted": 3}
        write(
            store,
            *(endpoint(handle, **waiting) for handle in handles),
            enqueued=[message(handle, 0) for handle in handles],
            buffered=[held(handle, 0, part) for handle in handles for part in (0, 1)],
            outgoing=[OutboundMessage(handle, n, "DEFAULT", b"", NOW) for handle in handles for n in range(3)],
        )
        work = everything(handles, "new")
        taken.append(queries_of(monkeypatch, lambda work=work: work(store)))
    assert 0 <= taken[1] - taken[0] < ceil(200 / COMPARED)
    assert taken[0] <= 40


def test_what_is_usual_takes_few_statements_and_ways(store: DatabaseStore, monkeypatch: pytest.MonkeyPatch) -> None:
    mine = endpoint("1i", due=NOW, ready_since=NOW)
    write(store, mine, endpoint("1t"), enqueued=[message("1t", 0)])

    def send() -> None:
        token = store.claim(ClaimRequest(("1i",)), NOW).token
        rows = [OutboundMessage("1i", number, "DEFAULT", b"", NOW) for number in range(100)]
        store.commit(ChangeSet(token, NOW, endpoints={"1i": mine}, outgoing=rows))

    def drain() -> None:
        token = store.claim(ClaimRequest(due=200), NOW).token
        store.commit(ChangeSet(token, NOW, acknowledged_below={"1i": 50}, endpoints={"1i": mine}))

    def arrive() -> None:
        token = store.claim(ClaimRequest(conversations=(("1", False),)), NOW).token
        store.commit(ChangeSet(token, NOW, endpoints={"1t": endpoint("1t")}, enqueued=[message("1t", 1)]))

    works = (send, drain, arrive, lambda: take(store))
    if connection.vendor == "postgresql":
        assert [queries_of(monkeypatch, work, WAYS) for work in works] == [2, 3, 3, 2]
    else:
        assert [queries_of(monkeypatch, work) for work in works] == [5, 5, 6, 5]


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="on SQLite a RECEIVE claims")
@pytest.mark.parametrize("name", RECEIVING)
def test_on_one_way_it_is_received_alike(store: DatabaseStore, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    run_at_once(name, store, monkeypatch)


@on_postgres
def test_a_message_is_received_on_one_way(instance: int, store: DatabaseStore, monkeypatch: pytest.MonkeyPatch) -> None:
    write(store, endpoint("1t"), enqueued=[message("1t", 0), message("1t", 1), message("1t", 2)])
    one, known = ReceiveRequest(Q, 1), look(store, ClaimRequest())
    assert queries_of(monkeypatch, lambda: store.take(one, known, NOW), WAYS) == 1
    mine = DatabaseStore(instance, in_transaction=True)
    with transaction.atomic():
        known = look(mine, ClaimRequest())
        assert queries_of(monkeypatch, lambda: mine.take(one, known, NOW), {CallersSession: WAYS[OwnSession]}) == 1
    assert take(store) == ["1t 2"]


@on_postgres
def test_messages_of_a_group_of_several_take_one_way_once_their_queue_is_known(
    store: DatabaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [message(handle, number, "g") for number in range(2) for handle in ("1t", "2t")]
    write(store, endpoint("1t", "g"), endpoint("2t", "g"), enqueued=rows)
    known, received = look(store, ClaimRequest()), list[str]()

    def receive() -> None:
        batch = store.take(ReceiveRequest(Q, 1), known, NOW)
        assert batch is not None
        received.extend(texts_of(batch.received))

    assert [queries_of(monkeypatch, receive, WAYS) for _ in range(4)] == [2, 1, 1, 1]
    assert received == ["1t 0", "2t 0", "1t 1", "2t 1"]


@on_postgres
def test_a_receive_of_a_caller_holds_the_instance_until_the_transaction_ends(
    instance: int, store: DatabaseStore
) -> None:
    write(store, endpoint("1t"), enqueued=[message("1t", 0)])
    mine = DatabaseStore(instance, in_transaction=True)
    held = "SELECT count(*) FROM pg_locks WHERE classid = %s AND objid = %s AND mode = 'ShareLock' AND granted"
    with transaction.atomic():
        known = look(mine, ClaimRequest())
    with connection.cursor() as cursor, transaction.atomic():
        assert mine.take(ALL, known, NOW) is not None
        cursor.execute(held, [INSTANCES, instance])
        assert cursor.fetchone() == (1,)


@on_postgres
def test_nothing_is_taken_by_what_was_known_of_the_instance(instance: int, store: DatabaseStore) -> None:
    write(store, endpoint("1t"), enqueued=[message("1t", 0)])
    known = look(store, ClaimRequest())
    write(DatabaseStore(instance), requests={("db", "S"): "1i"})
    assert store.take(ALL, known, NOW) is None
    assert store.take(ReceiveRequest(("d", "another queue")), known, NOW) is None
    assert take(store) == ["1t 0"]


@on_postgres
def test_what_cannot_be_taken_at_once_is_left(store: DatabaseStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """Messages by name, none at all, a conversation that may not be there, a group that another has emptied."""
    write(store, endpoint("1t"), enqueued=[message("1t", 0)])
    others = ReceiveRequest(Q, group="1t", only=(1,)), ReceiveRequest(Q, 0), ReceiveRequest(Q, handle="nowhere")
    known = look(store, ClaimRequest())
    assert [store.take(other, known, NOW) for other in others] == [None] * 3
    gone = "SELECT CAST('gone' AS text) AS key WHERE CAST(%(queue)s AS bigint) <> 0 AND CAST(%(now)s AS bigint) > 0"
    with monkeypatch.context() as patched:
        patched.setattr(receiving, "LOOKS", (QueueLook(gone, "NULL"),))
        assert store.take(ALL, known, NOW) is None
    assert take(store) == ["1t 0"]


@on_postgres
@pytest.mark.parametrize("in_transaction", [False, True])
def test_what_fails_on_one_way_has_not_happened(
    instance: int, store: DatabaseStore, monkeypatch: pytest.MonkeyPatch, in_transaction: bool
) -> None:
    write(store, endpoint("1t"), enqueued=[message("1t", 0)])
    mine = DatabaseStore(instance, in_transaction=in_transaction)
    statement = taking._taking

    def failing(*given: Any) -> str:
        return f"{statement(*given)} LIMIT 1 / (SELECT count(*) - 1 FROM read)"

    def fail() -> None:
        with transaction.atomic() if in_transaction else nullcontext():
            mine.take(ALL, look(mine, ClaimRequest()), NOW)

    with monkeypatch.context() as patched:
        patched.setattr(taking, "_taking", failing)
        with pytest.raises(DataError):
            fail()
    assert store.depth(Q) == QueueDepth(1, NOW)
    assert take(store) == ["1t 0"]


@on_postgres
def test_takers_at_the_same_time_have_each_message_once_and_in_order(instance: int, store: DatabaseStore) -> None:
    handles = [f"{number}t" for number in range(20)]
    rows = [message(handle, number) for number in range(30) for handle in handles]
    write(store, *map(endpoint, handles), enqueued=rows)
    received: list[list[str]] = []

    def receive() -> None:
        mine = DatabaseStore(instance)
        known = look(mine, ClaimRequest())
        for _ in range(len(rows)):  # none: another has emptied the group meanwhile
            batch = mine.take(ReceiveRequest(Q, 3), known, NOW)
            received.extend([texts_of(batch.received)] if batch and batch.received else [])

    in_threads(*[receive] * 4)
    while messages := take(store):  # threads that found every group locked have ended
        received.append(messages)
    assert sorted(text for messages in received for text in messages) == sorted(texts_of(rows))
    for handle in handles:
        mine = [text for messages in received for text in messages if text.startswith(f"{handle} ")]
        assert len(mine) == 30
    assert all(messages == sorted(messages, key=lambda text: int(text.split()[1])) for messages in received)
    assert store.depth(Q) == QueueDepth(0, None)


@pytest.mark.skipif("connection.vendor != 'postgresql'", reason="on SQLite a SEND claims")
def test_a_message_for_a_remembered_conversation_takes_one_way(
    store: DatabaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(store, endpoint("2t", send_sequence=9))
    appended = adding(store, endpoint("2t", send_sequence=9), next_attempt=NOW + 400)
    assert queries_of(monkeypatch, lambda: store.append(appended), WAYS) == 1


@on_postgres
def test_nothing_is_appended_by_another_version_of_the_estate(store: DatabaseStore) -> None:
    write(store, endpoint("1t", send_sequence=9))
    appended, known = adding(store, endpoint("1t", send_sequence=9)), store._known
    assert known is not None
    for version, is_appended in ((known.live_version + 1, False), (known.live_version, True)):
        session = OwnSession(pool_of("default"), store.instance)
        outcome = session.append(appended, known.number, version)
        session.close()
        assert (outcome is not None) == is_appended


@on_postgres
def test_nothing_is_appended_while_another_conversation_of_the_group_is_claimed(store: DatabaseStore) -> None:
    write(store, endpoint("1t", "shared", send_sequence=9), endpoint("2t", "shared"))
    appended = adding(store, endpoint("1t", "shared", send_sequence=9))
    token = store.claim(ClaimRequest(("2t",)), NOW).token
    assert store.append(appended) is None
    store.release(token)
    assert store.append(appended) is not None


@on_postgres
def test_appending_waits_for_who_has_the_instance_alone_and_sees_what_it_changed(
    instance: int, store: DatabaseStore
) -> None:
    write(store, endpoint("1t", send_sequence=9))
    appended, is_locked = adding(store, endpoint("1t", send_sequence=9)), threading.Event()
    outcomes: list[Any] = []

    def change() -> None:
        with transaction.atomic(), alone_in([instance]):
            is_locked.set()
            eventually(is_waited_for)
            ConversationEndpoint.objects.filter(conversation_handle="1t").update(send_sequence=10)

    def append() -> None:
        is_locked.wait()
        outcomes.append(store.append(appended))

    in_threads(change, append)
    assert outcomes == [None]


@on_postgres
def test_a_message_for_a_recalled_conversation_takes_one_way(
    store: DatabaseStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(store, endpoint("1t"))
    assert [queries_of(monkeypatch, lambda: arrive(store), WAYS) for _ in range(4)] == [2, 2, 1, 1]


@on_postgres
@pytest.mark.parametrize("analyzed", ["never", "while empty", "since"])
def test_the_check_of_a_recalled_conversation_reads_no_other_ones(
    store: DatabaseStore, monkeypatch: pytest.MonkeyPatch, analyzed: str
) -> None:
    if analyzed == "while empty":
        write(store, *(endpoint(f"{number}t") for number in range(300, 900)))
        ConversationEndpoint.objects.all().delete()
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE conversation_endpoints")
    write(store, *(endpoint(f"{number}t") for number in range(2, 300)))
    batch = recalled(store)
    plan: list[str] = []

    def explain(session: OwnSession, _keys: Sequence[str], condition: str, parameters: Mapping[str, Any]) -> None:
        plan.extend(line for (line,) in session.rows(f"EXPLAIN SELECT {condition}", parameters))
        raise OutdatedError

    if analyzed == "since":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE conversation_endpoints")
    monkeypatch.setattr(OwnSession, "begin_if", explain)
    with pytest.raises(OutdatedError):
        store.commit(arrival(batch))
    (reading,) = [place for place, line in enumerate(plan) if " on conversation_endpoints " in line]
    assert "conversation_endpoints_side" in plan[reading]
    assert "conversation_id" in plan[reading + 1]


@on_postgres
def test_nothing_is_added_by_what_was_known_of_the_instance(instance: int, store: DatabaseStore) -> None:
    batch = recalled(store)
    write(DatabaseStore(instance), queues={Q: False})
    with pytest.raises(OutdatedError):
        store.commit(arrival(batch))
    assert store.depth(Q).messages == 2


@on_postgres
def test_workers_at_the_same_time_add_each_message_once_and_in_order(instance: int, store: DatabaseStore) -> None:
    """Each recalls, and decides the number of a message from what it recalls; an application changes it beside them.
    Before each turn one worker is alone: its third message is recalled, and the turn begins with what it has left."""
    write(store, endpoint("1t"))
    ways: list[bool] = []

    def work(mine: DatabaseStore) -> None:
        for _ in range(10):
            with suppress(Conflict):  # another has it
                ways.append(arrive(mine))

    for number in range(10):
        mine, other, application = (DatabaseStore(instance) for _ in range(3))
        alone = [arrive(mine) for _ in range(3)]
        assert alone == [False, False, True]
        ways += alone
        in_threads(
            partial(work, mine), partial(work, other), partial(changing, application, "1t", send_sequence=number)
        )
    assert take(store) == [f"1t {number}" for number in range(len(ways))]


@on_postgres
def test_what_was_left_before_the_server_went_down_is_not_recalled(store: DatabaseStore) -> None:
    """Its last commits may be lost; then the store refuses to go on at all."""
    write(store, endpoint("1t"))
    for _ in range(3):
        changes = arrival(store.recall(ONE, NOW) or store.claim(ClaimRequest(conversations=ONE), NOW))
        changes.is_async_commit = True
        store.commit(changes)
    end_connections()
    with pytest.raises(Conflict):
        store.recall(ONE, NOW)
    assert not store._claims


# ---------------------------------------------------------------- PostgreSQL


def in_threads(*works: Callable[[], object]) -> None:
    """All at the same time; what one raises is raised."""
    failed: list[BaseException] = []

    def run(work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 - it is raised again
            failed.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    if failed:
        raise failed[0]


def plans() -> tuple[str, str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting('enable_seqscan'), current_setting('plan_cache_mode')")
        found: tuple[str, str] = cursor.fetchone()
    return found


@on_postgres
def test_the_caller_keeps_the_settings_of_its_transaction(instance: int, store: DatabaseStore) -> None:
    """Ours hold while a claim lives, however it ends."""
    write(store, endpoint("1t"))
    mine = DatabaseStore(instance, in_transaction=True)
    for _ in range(2):  # then the statements are prepared
        with transaction.atomic():
            with connection.cursor() as cursor:
                cursor.execute("SET LOCAL plan_cache_mode = force_custom_plan")
            callers = plans()
            token = mine.claim(ClaimRequest(("1t",)), NOW).token
            assert plans() == ("off", "force_generic_plan")
            mine.release(token)
            assert plans() == callers == ("on", "force_custom_plan")
            write(mine, enqueued=[message("1t", 0)])
            assert plans() == callers
            with pytest.raises(Conflict), transaction.atomic():
                write(mine, endpoint("1t"))
            assert plans() == callers
        assert plans() == ("on", "auto")


@on_postgres
def test_a_claim_reads_nothing_of_the_group_that_its_transaction_took_before(
    instance: int, store: DatabaseStore
) -> None:
    write(store, endpoint("1t"), enqueued=[message("1t", 0), message("1t", 1)])
    mine = DatabaseStore(instance, in_transaction=True)
    with transaction.atomic():
        assert take(mine, ReceiveRequest(Q, 1)) == ["1t 0"]
        look(mine, ClaimRequest(receive=ReceiveRequest(("d", "another queue"))))
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT current_setting('{TAKEN}')")
            assert cursor.fetchone() == ("",)


def is_waited_for() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
        return bool(cursor.fetchone()[0])


@on_postgres
@pytest.mark.parametrize("in_transaction", [False, True])
def test_a_claim_waits_until_another_releases_the_conversation(
    instance: int, store: DatabaseStore, in_transaction: bool
) -> None:
    write(store, endpoint("1t"))
    held, found = store.claim(ClaimRequest(("1t",)), NOW).token, []

    def wait() -> None:
        mine = DatabaseStore(instance, in_transaction=in_transaction)
        with transaction.atomic() if in_transaction else nullcontext():
            found.append(look(mine, ClaimRequest(("1t",), wait_ms=60_000)))

    def release() -> None:
        eventually(is_waited_for)
        assert not found
        store.release(held)

    in_threads(wait, release)
    assert (found[0].busy, set(found[0].endpoints)) == (frozenset(), {"1t"})


@on_postgres
def test_a_wait_in_vain_is_a_conflict_and_the_callers_transaction_goes_on(instance: int, store: DatabaseStore) -> None:
    write(store, endpoint("1t"), endpoint("2t"))
    held, mine = store.claim(ClaimRequest(("1t",)), NOW).token, DatabaseStore(instance, in_transaction=True)
    with transaction.atomic():
        callers = plans()
        with pytest.raises(Conflict):
            mine.claim(ClaimRequest(("1t",), wait_ms=10), NOW)
        assert plans() == callers
        assert set(look(mine, ClaimRequest(("2t",), wait_ms=10)).endpoints) == {"2t"}
        with connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('lock_timeout')")
            assert cursor.fetchone() == ("0",)
    with pytest.raises(Conflict):
        DatabaseStore(instance).claim(ClaimRequest(("1t",), wait_ms=10), NOW)
    store.release(held)


@on_postgres
def test_receivers_at_the_same_time_have_each_message_once_and_in_order(instance: int, store: DatabaseStore) -> None:
    handles = [f"{number}t" for number in range(20)]
    rows = [message(handle, number) for number in range(30) for handle in handles]
    write(store, *map(endpoint, handles), enqueued=rows)
    received: list[list[str]] = []

    def receive() -> None:
        mine = DatabaseStore(instance)
        while messages := take(mine, ReceiveRequest(Q, 3)):
            received.append(messages)

    in_threads(*[receive] * 4)
    while messages := take(store):  # threads that found every group locked have ended
        received.append(messages)
    assert sorted(text for messages in received for text in messages) == sorted(texts_of(rows))
    for handle in handles:
        mine = [text for messages in received for text in messages if text.startswith(f"{handle} ")]
        assert sorted(mine) == sorted(texts_of(row for row in rows if row.conversation_handle == handle))
    assert all(messages == sorted(messages, key=lambda text: int(text.split()[1])) for messages in received)
    assert store.depth(Q) == QueueDepth(0, None)


@on_postgres
def test_who_drains_at_the_same_time_never_has_the_same_conversation(instance: int, store: DatabaseStore) -> None:
    write(store, *(endpoint(f"{number}i", due=NOW) for number in range(60)))
    barrier, taken = threading.Barrier(4), []

    def drain() -> None:
        mine = DatabaseStore(instance)
        batch = mine.claim(ClaimRequest(due=15), NOW)
        taken.extend(batch.due)
        barrier.wait(30)
        mine.release(batch.token)

    in_threads(*[drain] * 4)
    assert sorted(taken) == sorted(f"{number}i" for number in range(60))


@on_postgres
def test_of_two_first_messages_at_the_same_time_one_is_a_conflict(instance: int, store: DatabaseStore) -> None:
    """Neither holds the conversation; the tables decide. The other has written nothing."""
    barrier, conflicts = threading.Barrier(2), []

    def begin(handle: str) -> None:
        mine = DatabaseStore(instance)
        made = endpoint(handle)
        made.conversation_id, made.is_initiator = "1", False
        changes = ChangeSet(mine.claim(ClaimRequest(), NOW).token, NOW, endpoints={handle: made})
        changes.groups[handle] = ConversationGroupState(handle, "db", "S", "Q", 1)
        changes.enqueued = [message(handle, 0)]
        barrier.wait(30)
        try:
            mine.commit(changes)
        except Conflict:
            conflicts.append(handle)

    in_threads(lambda: begin("at"), lambda: begin("bt"))
    assert len(conflicts) == 1
    (winner,) = {"at", "bt"} - set(conflicts)
    batch = look(store, ClaimRequest(("at", "bt"), ("at", "bt"), receive=ALL))
    assert (set(batch.endpoints), set(batch.groups)) == ({winner}, {winner})
    assert texts_of(batch.received) == [f"{winner} 0"]


@on_postgres
def test_a_conversation_that_is_not_there_is_held_too(instance: int, store: DatabaseStore) -> None:
    first = store.claim(ClaimRequest(conversations=(("1", False),)), NOW)
    assert look(DatabaseStore(instance), ClaimRequest(conversations=(("1", False),))).busy == {("1", False)}
    store.release(first.token)
    assert look(DatabaseStore(instance), ClaimRequest(conversations=(("1", False),))).busy == frozenset()


def end_connections() -> None:
    """As when a process is killed, or the server is restarted. Afterwards they have ended, and let go of all."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'"
        )
        assert all(has_ended for (has_ended,) in cursor.fetchall())


@on_postgres
def test_a_connection_that_ends_frees_what_it_held_and_its_commit_is_a_conflict(
    instance: int, store: DatabaseStore
) -> None:
    write(store, endpoint("1t"), enqueued=[message("1t", 0)])
    lost = store.claim(ClaimRequest(("1t",), receive=ALL), NOW)
    end_connections()
    other = DatabaseStore(instance)
    assert look(other, ClaimRequest(("1t",))).busy == frozenset()
    with pytest.raises(Conflict):
        store.commit(ChangeSet(lost.token, NOW, received=list(lost.received), cleared_queues=["1t"]))
    assert take(other) == ["1t 0"]
    write(store, endpoint("2t"))  # with a new connection


# ---------------------------------------------------------------- what need not be durable at once


def write_soon(store: DatabaseStore, handle: str) -> None:
    token = store.claim(ClaimRequest(), NOW).token
    made = endpoint(handle)
    store.commit(ChangeSet(token, NOW, endpoints={handle: made}, groups={handle: group_of(made)}, is_async_commit=True))


def group_of(one: Endpoint) -> ConversationGroupState:
    return ConversationGroupState(one.conversation_group_id, one.database, one.service_name, "Q", 1)


def test_others_see_at_once_what_is_durable_later(instance: int, store: DatabaseStore) -> None:
    store.flush()
    write_soon(store, "1t")
    assert "1t" in look(DatabaseStore(instance), ClaimRequest(("1t",))).endpoints
    store.flush()
    store.flush()


@on_postgres
def test_who_had_not_hardened_it_is_told_that_it_may_be_lost(instance: int, store: DatabaseStore) -> None:
    lost: list[int] = []
    store.forget = lambda: lost.append(1)
    write_soon(store, "1t")
    end_connections()
    for ask in (store.flush, lambda: store.claim(ClaimRequest(), NOW), store.flush):
        with pytest.raises(Conflict):
            ask()
    assert len(lost) == 3
    write_soon(DatabaseStore(instance), "2t")


@on_postgres
def test_what_is_durable_is_nobodys_concern_when_the_server_goes(store: DatabaseStore) -> None:
    store.forget = pytest.fail
    write_soon(store, "1t")
    store.flush()
    write(store, endpoint("2t"))
    end_connections()
    store.flush()
    assert look(store, ClaimRequest(("1t", "2t"))).busy == frozenset()


@on_postgres
def test_what_was_hardened_outlives_a_crash_of_the_server() -> None:
    with running(durable=True) as server:
        server.stop()
        server.options = ("-c", "wal_writer_delay=10s")  # by itself it would write nothing down meanwhile
        server.start()
        address = f"host={server.folder} user=brokerui dbname=postgres"
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("CREATE TABLE t (number int)")
            connection.execute("BEGIN; SET LOCAL synchronous_commit = off; INSERT INTO t VALUES (1); COMMIT")
            connection.execute(_HARDEN)
            server.stop(signal.SIGKILL)
        server.start()
        with psycopg.connect(address) as connection:
            assert connection.execute("SELECT number FROM t").fetchall() == [(1,)]


@on_postgres
def test_a_claim_whose_connection_has_ended_cannot_be_added_to(store: DatabaseStore) -> None:
    token = store.claim(ClaimRequest(), NOW).token
    end_connections()
    with pytest.raises(Conflict):
        store.claim(ClaimRequest(("1t",), token=token), NOW)
    look(store, ClaimRequest(("1t",)))


@on_postgres
def test_idle_connections_that_the_server_has_ended_are_not_used(store: DatabaseStore) -> None:
    write(store, endpoint("1t"))
    end_connections()
    assert set(look(store, ClaimRequest(("1t",))).endpoints) == {"1t"}


@on_postgres
def test_a_failure_that_is_no_conflict_stays_what_it_is(store: DatabaseStore, monkeypatch: pytest.MonkeyPatch) -> None:
    token = store.claim(ClaimRequest(), NOW).token
    monkeypatch.setattr("brokerui.messaging.store.Commit.write", _time_out)
    with pytest.raises(OperationalError):
        store.commit(ChangeSet(token, NOW))
    assert store._claims == {}


def _time_out(commit: Any) -> None:
    commit._session.run("SET LOCAL statement_timeout = 1", {})
    commit._session.run("SELECT pg_sleep(1)", {})


@on_postgres
def test_few_idle_connections_are_kept_and_none_of_a_parent(instance: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pool = Pool("default")
    taken = [pool.take() for _ in range(IDLE + 1)]
    for one in taken:
        pool.put(one)
    assert [one.connection.closed for one in taken].count(True) == 1
    assert pool.take() in taken
    monkeypatch.setattr(os, "getpid", lambda: 1)
    forked = pool.take()
    assert forked not in taken
    forked.connection.close()
    for one in taken:
        one.connection.close()


@on_postgres
def test_what_is_polled_is_found_by_its_index(store: DatabaseStore) -> None:
    write(store, *(endpoint(f"{number}i", due=NOW if number % 50 == 0 else None) for number in range(500)))
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE conversation_endpoints")
        cursor.execute(
            "EXPLAIN SELECT conversation_id FROM conversation_endpoints WHERE instance_id = 1 AND due <= 5 ORDER BY due"
        )
        assert "conversation_endpoints_due" in "".join(line for (line,) in cursor.fetchall())


# ---------------------------------------------------------------- SQLite


@pytest.fixture
def locks(tmp_path: Path) -> Locks:
    return Locks(str(tmp_path / "db-claims"))


def in_a_child(work: Callable[[], bool]) -> bool:
    """What it says in a process that was forked off."""
    pid = os.fork()
    if pid == 0:
        try:
            os._exit(0 if work() else 1)
        finally:
            os._exit(2)
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    assert status in {0, 1}
    return status == 0


def test_what_one_has_locked_another_cannot(locks: Locks) -> None:
    assert locks.take("me", "key")
    assert locks.take("me", "key")
    assert not locks.take("you", "key")
    assert (locks.is_free("me", "key"), locks.is_free("you", "key")) == (True, False)
    assert locks.take("you", "other")
    locks.release("me")
    assert locks.is_free("you", "key")
    assert locks.take("you", "key")


def test_locks_hold_between_processes_and_end_with_theirs(tmp_path: Path) -> None:
    elsewhere(_locks_hold_between_processes, str(tmp_path / "db-claims"))


def _locks_hold_between_processes(path: str) -> None:
    mine = Locks(path)
    assert mine.take("me", "key")
    assert not in_a_child(lambda: Locks(path).take("you", "key"))
    assert not in_a_child(lambda: Locks(path).is_free("you", "key"))
    assert in_a_child(lambda: Locks(path).take("you", "other"))
    assert mine.take("me", "other")  # the child has ended, and released nothing
    mine.release("me")
    assert in_a_child(lambda: Locks(path).take("you", "key"))


def test_a_forked_process_holds_nothing_of_its_parents(tmp_path: Path) -> None:
    elsewhere(_a_forked_process_holds_nothing, str(tmp_path / "db"))


def _a_forked_process_holds_nothing(name: str) -> None:
    assert locks_of(name).take("me", "key")
    assert in_a_child(lambda: not locks_of(name).take("me", "key"))
    locks_of(name).release("me")


def test_what_another_process_has_is_not_free(tmp_path: Path) -> None:
    elsewhere(_what_another_process_has_is_not_free, str(tmp_path / "db-claims"))


def _what_another_process_has_is_not_free(path: str) -> None:
    ready = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.write(ready[1], b"y" if Locks(path).take("you", "key") else b"n")
            signal.pause()
        finally:
            os._exit(0)
    os.close(ready[1])
    assert os.read(ready[0], 1) == b"y"
    mine = Locks(path)
    assert (mine.take("me", "key"), mine.is_free("me", "key"), mine.is_free("me", "other")) == (False, False, True)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    assert mine.take("me", "key")


def test_what_a_fork_copied_is_forgotten(tmp_path: Path) -> None:
    """As the child of a fork does it, here where it is seen."""
    locks = locks_of(str(tmp_path / "forked"))
    assert locks.take("parent", "key")
    _after_fork()
    assert locks.take("child", "key")
    locks.release("child")


def test_what_is_in_memory_has_no_file() -> None:
    locks = locks_of("file:memorydb_default?mode=memory&cache=shared")
    assert locks is locks_of("file:memorydb_default?mode=memory&cache=shared")
    assert locks.take("me", "key")
    assert not locks.take("you", "key")
    locks.release("me")
    assert locks.is_free("you", "key")


@on_sqlite
def test_a_session_of_sqlite_gives_up_its_locks_with_its_end(instance: int) -> None:
    one, other = SqliteSession("default", instance), SqliteSession("default", instance)
    assert one.lock(CONVERSATION, ["a", "b"])() == [(True,), (True,)]
    assert other.lock(CONVERSATION, ["b", "c"])() == [(False,), (True,)]
    assert other.lock(GROUP, ["a"])() == [(True,)]
    one.close()
    assert other.lock(CONVERSATION, ["b"])() == [(True,)]
    other.close()
