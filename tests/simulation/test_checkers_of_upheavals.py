"""Queues that go off because of rollbacks, brokers that are disabled, and new ones: what breaks these promises is
seen, in each of the ways that they name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache

import pytest

from routing.common.broker_events import QueueDisabled
from routing.dialog.system_names import END_DIALOG_TYPE, ERROR_TYPE, TIMER_TYPE
from routing.model.estate import Estate
from routing.simulation.application_records import ReceiveFinished
from routing.simulation.checkers import CHECKERS
from routing.simulation.checkers.poisoning import PoisoningChecker
from routing.simulation.checkers.silencing import SilencingChecker
from routing.simulation.checking import CheckerFactory, check
from routing.simulation.clock import START
from routing.simulation.history import WorldHistory
from routing.simulation.records import BrokerRenewed, BrokerStarted, Committed, FrameArrived, FrameSent, Record
from routing.simulation.world import draw_world
from routing.simulation.world_run import run_world


def is_wrong(history: WorldHistory, records: Iterable[Record], checker: CheckerFactory) -> bool:
    made = WorldHistory(history.world)
    made.extend(records)
    return bool(check(made, (checker,)).violations)


@cache
def some() -> WorldHistory:
    """Any with conversations over the network, and acknowledgements of their own."""
    histories = (run_world(draw_world(seed, "none")) for seed in range(100))
    return next(
        one for one in histories if any(map(is_acknowledgement, one.records)) and any(map(settles, one.records))
    )


# ------------------------------------------------------------------------------------------------ rollbacks
QUEUE = ("A0", "Q")
TOLD = Committed(START, "a", START, *[()] * 13, False, ())
OFF = TOLD._replace(queues=((*QUEUE, False),), events=(QueueDisabled(*QUEUE),))
ON = TOLD._replace(queues=((*QUEUE, True),))


def rolled_back(times: int, commit: Committed = TOLD) -> list[Record]:
    return [commit, ReceiveFinished(START, "a", *QUEUE, True)] * times


COMMITTED: list[Record] = [TOLD, ReceiveFinished(START, "a", *QUEUE, False)]
OTHERS: list[Record] = [TOLD, ReceiveFinished(START, "a", "A0", "another", True)]


@pytest.mark.parametrize(
    ("records", "wrong"),
    [
        ([*rolled_back(4), *rolled_back(1, OFF)], False),
        ([*rolled_back(5)], True),
        ([*rolled_back(4), *rolled_back(1, OFF._replace(events=()))], True),
        ([*rolled_back(4), *rolled_back(1, OFF._replace(queues=()))], True),
        ([*rolled_back(3), *rolled_back(1, OFF)], True),
        ([OFF], True),
        ([*rolled_back(4), *COMMITTED, *rolled_back(1, OFF)], True),
        ([*rolled_back(4), *COMMITTED, *rolled_back(4), *rolled_back(1, OFF)], False),
        ([*rolled_back(4), *OTHERS, *rolled_back(1, OFF)], False),
        ([*rolled_back(2), *OTHERS, *rolled_back(1), *rolled_back(1, OFF)], True),
        ([*rolled_back(4), *rolled_back(1, OFF), *rolled_back(5)], False),
        ([*rolled_back(4), *rolled_back(1, OFF), ON, *rolled_back(4), *rolled_back(1, OFF)], False),
        ([*rolled_back(4), *rolled_back(1, OFF), ON, *rolled_back(1, OFF)], True),
        ([TOLD._replace(queues=OFF.queues)], False),
    ],
)
def test_a_queue_that_goes_off_too_soon_or_stays_on_is_seen(records: list[Record], wrong: bool) -> None:
    """Poison: five in a row, counted anew after a commit, and not while the queue is off; by an administrator at any
    time."""
    assert is_wrong(some(), records, PoisoningChecker) == wrong


def test_queues_are_poisoned_in_worlds_and_come_on_again() -> None:
    """Event 143, and afterwards the message that was rolled back is received."""
    for seed in (21, *range(200)):  # the first world that has one
        records = run_world(draw_world(seed, "light")).records
        at = [number for number, one in enumerate(records) if isinstance(one, Committed) and disabled(one)]
        if at:
            (key,) = disabled(records[at[0]])
            after = [one for one in records[at[0] :] if isinstance(one, Committed)]
            assert any((*key, True) in commit.queues for commit in after)
            return
    pytest.fail("no queue is ever poisoned")


def disabled(record: Record) -> list[tuple[str, str]]:
    events = record.events if isinstance(record, Committed) else ()
    return [(event.database, event.queue) for event in events if isinstance(event, QueueDisabled)]


# ------------------------------------------------------------------------------------------------ disabled
Picks = Callable[[Record], bool]


def settles(record: Record) -> bool:
    return (
        isinstance(record, Committed)
        and bool(record.acknowledged_below)
        and not record.enqueued
        and not record.buffered
    )


def enqueues(record: Record) -> bool:
    return isinstance(record, Committed) and bool(record.enqueued) and not record.acknowledged_below


def is_sequenced(record: Record) -> bool:
    return isinstance(record, FrameSent) and record.header is not None and record.header.is_sequenced


def is_acknowledgement(record: Record) -> bool:
    return isinstance(record, FrameSent) and record.header is not None and not record.header.is_sequenced


def begins(record: Record) -> bool:
    return (
        isinstance(record, Committed)
        and bool(record.outgoing)
        and not record.acknowledged_below
        and not record.enqueued
    )


def altered(estate: Estate, broker: str, **changes: object) -> BrokerStarted:
    """The broker is started again, with all its databases changed."""
    instance = estate.instances[broker]
    for database in instance.databases.values():
        instance = instance.with_database(replace(database, **changes))  # type: ignore[arg-type] - the changes are fields of a database
    return BrokerStarted(START, broker, estate.with_instance(instance))


def around(history: WorldHistory, picks: Picks, *, disabled: bool, instead: Callable[[Record], Record]) -> list[Record]:
    """The brokers of an instance are disabled for just one record, the first that a picker takes."""
    number, record = next((at, one) for at, one in enumerate(history.records) if picks(one))
    broker: str = record.broker  # type: ignore[union-attr] - records of upheavals have a broker
    estate = history.world.estate
    before = [altered(estate, broker, broker_enabled=False)] if disabled else []
    after = [BrokerStarted(START, broker, estate)]
    return [*history.records[:number], *before, instead(record), *after, *history.records[number + 1 :]]


def as_it_is(record: Record) -> Record:
    return record


def holding(record: Record) -> Record:
    """The message is held, and not put into its queue."""
    assert isinstance(record, Committed)
    return record._replace(buffered=record.enqueued, enqueued=())


@pytest.mark.parametrize("disabled", [True, False], ids=["disabled", "enabled"])
@pytest.mark.parametrize(
    ("picks", "instead"),
    [
        (settles, as_it_is),
        (enqueues, as_it_is),
        (enqueues, holding),
        (is_sequenced, as_it_is),
        (is_acknowledgement, as_it_is),
    ],
)
def test_what_a_disabled_broker_says_or_takes_is_seen(
    picks: Picks, instead: Callable[[Record], Record], disabled: bool
) -> None:
    """LOC: it cannot be a target; and its outgoing frames wait, acknowledgements too."""
    assert is_wrong(some(), around(some(), picks, disabled=disabled, instead=instead), SilencingChecker) == disabled


def of_its_own(message_type: str) -> Callable[[Record], Record]:
    def changed(record: Record) -> Record:
        assert isinstance(record, Committed)
        return record._replace(enqueued=tuple(kept._replace(message_type=message_type) for kept in record.enqueued))

    return changed


@pytest.mark.parametrize(("message_type", "wrong"), [(ERROR_TYPE, False), (TIMER_TYPE, False), (END_DIALOG_TYPE, True)])
def test_what_a_disabled_broker_has_by_itself_is_its_own(message_type: str, wrong: bool) -> None:
    records = around(some(), enqueues, disabled=True, instead=of_its_own(message_type))
    assert is_wrong(some(), records, SilencingChecker) == wrong


def test_what_was_held_before_may_be_received_while_it_is_disabled() -> None:
    def held_before(records: list[Record]) -> list[Record]:
        number = next(at for at, one in enumerate(records) if enqueues(one))
        commit = records[number]
        assert isinstance(commit, Committed)
        before = commit._replace(buffered=commit.enqueued, enqueued=(), events=())
        return [*records[: number - 1], before, *records[number - 1 :]]

    records = around(some(), enqueues, disabled=True, instead=as_it_is)
    assert is_wrong(some(), records, SilencingChecker)
    assert not is_wrong(some(), held_before(records), SilencingChecker)


def test_applications_go_on_while_it_is_disabled() -> None:
    """They may send: that waits."""
    assert not is_wrong(some(), around(some(), begins, disabled=True, instead=as_it_is), SilencingChecker)


def test_what_is_only_sent_on_needs_no_database() -> None:
    history = some()
    number, left = next((at, one) for at, one in enumerate(history.records) if is_sequenced(one))
    assert isinstance(left, FrameSent)
    came = FrameArrived(left.at, left.broker, left.now, left.number, "", frozenset())
    off = altered(history.world.estate, left.broker, broker_enabled=False)
    records = [*history.records[: number + 1], came, off, left]
    assert not is_wrong(history, records, SilencingChecker)
    assert is_wrong(history, [one for one in records if one is not came], SilencingChecker)


# ------------------------------------------------------------------------------------------------ new ones
def renewed(commit: Committed, **changes: object) -> list[Record]:
    row = commit.endpoints[0]
    return [
        BrokerRenewed(commit.at, commit.broker, row.database, "new"),
        TOLD._replace(broker=commit.broker, **changes),
    ]


def test_a_conversation_that_outlives_its_broker_is_seen() -> None:
    history = some()
    number, commit = next((at, one) for at, one in enumerate(history.records) if begins(one))
    assert isinstance(commit, Committed)
    before = history.records[: number + 1]
    handles = tuple(row.handle for one in before if isinstance(one, Committed) for row in one.endpoints)
    assert is_wrong(history, [*before, *renewed(commit)], SilencingChecker)
    assert not is_wrong(history, [*before, *renewed(commit, removed=handles)], SilencingChecker)


@pytest.mark.parametrize("picks", [is_sequenced, is_acknowledgement])
def test_the_identifier_of_an_earlier_broker_is_seen(picks: Picks) -> None:
    def named(record: Record) -> Record:
        assert isinstance(record, FrameSent)
        assert record.header is not None
        names = record.header.names._replace(from_broker_instance="00000000-0000-4000-8000-00000000000f")
        return record._replace(header=record.header._replace(names=names))

    assert is_wrong(some(), around(some(), picks, disabled=False, instead=named), SilencingChecker)


def test_a_message_that_a_new_broker_has_lost_is_accounted_for() -> None:
    """RT-STICKY: the only ways in which it may not be delivered; a checker lists each."""
    for seed in (25, *range(100)):  # the first world that has one
        found = check(run_world(draw_world(seed, "heavy")), CHECKERS)
        if any(orphan.why == "NEW_BROKER" for orphan in found.orphans):
            assert not found.violations
            return
    pytest.fail("no conversation is ever lost with its broker")
