"""Each checker against histories in which one record was changed: it sees what it is there for, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any, NamedTuple

import pytest

from routing.adjacent.fragment import AckRange
from routing.adjacent.guard import DIGEST, SEALED
from routing.adjacent.roles import RoleAnswer, RoleQuestion, read_role, write_role
from routing.common.broker_events import MessageClassify
from routing.common.event_subclasses import ClassifySubclass
from routing.common.network_events import CorruptedMessage
from routing.dialog.fragmentation import MAX_FRAGMENTS_PER_MESSAGE
from routing.dialog.system_names import MISSING_ROUTE_TYPE, SYSTEM_SERVICE
from routing.model.estate import MIRROR
from routing.security.instance_security import DialogProtection
from routing.simulation.application_records import (
    ApplicationEnded,
    ApplicationReceived,
    ApplicationSent,
    BodyDigest,
    body_of,
)
from routing.simulation.checkers import CHECKERS
from routing.simulation.checkers.acknowledging import AcknowledgingChecker
from routing.simulation.checkers.deciding import DecidingChecker
from routing.simulation.checking import check
from routing.simulation.history import WorldHistory
from routing.simulation.records import (
    BrokerBroke,
    BrokerStarted,
    BrokerStopped,
    Committed,
    EventsReported,
    FrameArrived,
    FrameSent,
    Record,
    WorldOver,
)
from routing.simulation.world import draw_world
from routing.simulation.world_run import run_world

OTHER = body_of(b"something else")
ANOTHER = "00000000-0000-4000-8000-00000000000f"


@cache
def peaceful() -> list[WorldHistory]:
    """Histories in which nothing went wrong, of conversations over the network with replies and ends; in some of them
    something is encrypted, something forwarded through little memory, and a route asked for."""
    busy = list(islice(filter(is_busy, map(calm, range(60))), 8))
    return [
        *busy,
        *(next(one for one in map(calm, range(60)) if any(map(has, one.records))) for has in (is_sealed, asks)),
    ]


@cache
def calm(seed: int) -> WorldHistory:
    return run_world(draw_world(seed, "none"))


def is_busy(history: WorldHistory) -> bool:
    return sum(isinstance(one, ApplicationReceived) for one in history.records) > 20


class Change(NamedTuple):
    """Change of the first record that a picker takes."""

    promise: str
    picks: Callable[[Record], bool]
    makes: Callable[[Any], list[Record]]


def is_data(record: Record) -> bool:
    return isinstance(record, ApplicationReceived) and record.sequence > 0 and record.message_type == "DEFAULT"


def settles(record: Record) -> bool:
    return isinstance(record, Committed) and any(below > 0 for _, below in record.acknowledged_below)


def acknowledges(record: Record) -> bool:
    return isinstance(record, FrameSent) and record.header is not None and bool(record.header.acknowledged)


def is_first_hop(record: Record) -> bool:
    return isinstance(record, FrameSent) and record.header is not None and record.header.is_sequenced


def is_sealed(record: Record) -> bool:
    return (
        isinstance(record, FrameSent)
        and record.protection is not None
        and record.protection.integrity == SEALED
        and record.header is not None
        and record.header.is_sequenced
    )


def asks(record: Record) -> bool:
    return isinstance(record, Committed) and any(handle is not None for *_, handle in record.requests)


def is_of_system(record: Record) -> bool:
    return isinstance(record, Committed) and any(row.service == SYSTEM_SERVICE for row in record.endpoints)


def holds(record: Record) -> bool:
    return isinstance(record, Committed) and any(kept.fragments > 1 and kept.fragment == 0 for kept in record.buffered)


def holds_more(commit: Committed) -> list[Record]:
    """A record much later, and very large."""
    first = commit.buffered[0]
    large = first._replace(sequence=first.sequence + 9, body=BodyDigest(1 << 30, "large"))
    return [commit._replace(buffered=(*commit.buffered, large))]


def with_header(left: FrameSent, **changes: Any) -> list[Record]:
    assert left.header is not None
    return [left._replace(header=left.header._replace(**changes))]


def far_ahead(left: FrameSent) -> list[Record]:
    assert left.header is not None
    return with_header(left, acknowledged=(AckRange(0, 0, left.header.acknowledged[-1].last_sequence + 50, 0),))


def acknowledges_several(record: Record) -> bool:
    return acknowledges(record) and record.header.acknowledged[-1].last_sequence > 2  # type: ignore[union-attr] - `acknowledges` says that it is there


def acknowledges_less(left: FrameSent) -> list[Record]:
    """The acknowledgement, and after it one of the first message alone."""
    return [left, *with_header(left, acknowledged=(AckRange(0, 0, 0, MAX_FRAGMENTS_PER_MESSAGE - 1),))]


def enqueues(record: Record) -> bool:
    return isinstance(record, Committed) and any(kept.message_type == "DEFAULT" for kept in record.enqueued)


def moved_on(commit: Committed) -> list[Record]:
    handles = {kept.handle for kept in commit.enqueued}
    rows = tuple(
        row._replace(receive_sequence=row.receive_sequence + 3) if row.handle in handles else row
        for row in commit.endpoints
    )
    return [commit._replace(endpoints=rows)]


def changed_rows(**changes: Any) -> Callable[[Committed], list[Record]]:
    return lambda commit: [commit._replace(endpoints=tuple(row._replace(**changes) for row in commit.endpoints))]


def is_known(record: Record) -> bool:
    return isinstance(record, Committed) and bool(record.endpoints) and bool(record.acknowledged_below)


def off_for_ever(history: WorldHistory) -> WorldHistory:
    """Every queue is off from the beginning, and no checker minds."""
    queues = {
        (row.database, row.queue) for one in history.records if isinstance(one, Committed) for row in one.endpoints
    }
    first = next(one for one in history.records if isinstance(one, Committed))
    brokers = sorted(history.world.estate.instances)
    off = tuple((database, queue, False) for database, queue in sorted(queues))
    commits = [first._replace(broker=broker, now=0, endpoints=(), events=(), queues=off) for broker in brokers]
    return of(history, [*commits, *history.records])


def says_corrupted(event: EventsReported) -> list[Record]:
    return [event._replace(events=(*event.events, (event.at, CorruptedMessage("", "", "", 0))))]


def is_classed(record: Record) -> bool:
    return isinstance(record, Committed) and any(isinstance(event, MessageClassify) for event in record.events)


def classed_elsewhere(commit: Committed) -> list[Record]:
    events = tuple(
        event._replace(subclass=ClassifySubclass.REMOTE, next_hop="tcp://elsewhere:4022", is_from_network=False)
        if isinstance(event, MessageClassify)
        else event
        for event in commit.events
    )
    return [commit._replace(events=events)]


CHANGES = [
    Change("once-in-order", is_data, lambda one: [one, one]),
    Change("once-in-order", is_data, lambda one: []),
    Change("once-in-order", is_data, lambda one: [one._replace(body=OTHER)]),
    Change("once-in-order", is_data, lambda one: [one._replace(message_type="another")]),
    Change("once-in-order", is_data, lambda one: [one._replace(sequence=one.sequence + 1)]),
    Change(
        "once-in-order",
        lambda one: isinstance(one, ApplicationReceived) and one.message_type.endswith("EndDialog"),
        lambda one: [one, one],
    ),
    Change(
        "once-in-order",
        lambda one: isinstance(one, ApplicationReceived) and one.message_type.endswith("EndDialog"),
        lambda one: [one, one._replace(message_type="DEFAULT", body=OTHER)],
    ),
    Change("once-in-order", is_data, lambda one: [ApplicationEnded(one.at, one.broker, one.handle, "end"), one]),
    Change("once-in-order", lambda one: isinstance(one, ApplicationEnded) and one.how == "end", lambda one: []),
    Change("once-in-order", lambda one: isinstance(one, ApplicationEnded) and one.how == "error", lambda one: []),
    Change(
        "once-in-order",
        lambda one: isinstance(one, ApplicationEnded),
        lambda one: [one, ApplicationSent(one.at, one.broker, one.handle, "DEFAULT", OTHER)],
    ),
    Change(
        "once-in-order",
        enqueues,
        lambda one: [one._replace(enqueued=tuple(kept._replace(sequence=kept.sequence + 5) for kept in one.enqueued))],
    ),
    Change("one-target", is_known, changed_rows(far_broker_instance="00000000-0000-4000-8000-000000000000")),
    Change("one-target", is_known, changed_rows(far_broker_instance=None)),
    Change("one-target", is_known, changed_rows(state="CD")),
    Change("acknowledged-when-durable", acknowledges, far_ahead),
    Change("acknowledged-for-good", acknowledges_several, acknowledges_less),
    Change("acknowledged-when-durable", enqueues, moved_on),
    Change(
        "kept-until-acknowledged",
        settles,
        lambda one: [one._replace(acknowledged_below=tuple((h, n + 9) for h, n in one.acknowledged_below))],
    ),
    Change("kept-until-acknowledged", lambda one: isinstance(one, FrameArrived), lambda one: []),
    Change(
        "kept-until-acknowledged",
        lambda one: isinstance(one, Committed) and bool(one.outgoing),
        lambda one: [
            one,
            one._replace(endpoints=(), outgoing=(), events=(), dropped_from=((one.outgoing[0].handle, 0),)),
        ],
    ),
    Change(
        "kept-until-acknowledged",
        lambda one: isinstance(one, Committed) and bool(one.outgoing),
        lambda one: [one, one._replace(endpoints=(), outgoing=(), events=(), removed=(one.outgoing[0].handle,))],
    ),
    Change(
        "sealed-when-demanded",
        is_sealed,
        lambda one: [one._replace(protection=DialogProtection(DIGEST))],
    ),
    Change(
        "sealed-when-demanded",
        is_sealed,
        lambda one: [one, one._replace(protection=one.protection._replace(key_id=bytes(8)))],
    ),
    Change("asked-once", asks, lambda one: [one, one]),
    Change(
        "asked-once",
        lambda one: isinstance(one, ApplicationReceived) and one.message_type == MISSING_ROUTE_TYPE,
        lambda one: [one._replace(sequence=1)],
    ),
    Change("asked-once", is_of_system, changed_rows(service="another")),
    Change("limits-kept", holds, holds_more),
    Change("routed-by-the-rules", is_first_hop, lambda one: [one._replace(address="tcp://elsewhere:4022")]),
    Change("routed-by-the-rules", is_classed, classed_elsewhere),
    Change("hop-limit", is_first_hop, lambda one: with_header(one, hops_remaining=200)),
    Change("retry-rule", is_first_hop, lambda one: [one, one._replace(at=one.at + 9, now=one.now + 9)]),
    Change("arrives-once-healed", settles, lambda one: [one._replace(acknowledged_below=())]),
    Change(
        "arrives-once-healed",
        lambda one: isinstance(one, Committed) and bool(one.taken),
        lambda one: [one._replace(taken=())],
    ),
    Change("events-agree", lambda one: isinstance(one, ApplicationSent), lambda one: []),
    Change("events-agree", lambda one: isinstance(one, EventsReported), lambda one: [one, one]),
    Change("events-agree", lambda one: isinstance(one, EventsReported), lambda one: []),
    Change("events-agree", lambda one: isinstance(one, EventsReported), says_corrupted),
    Change(
        "events-agree", lambda one: isinstance(one, WorldOver), lambda one: [BrokerBroke(one.at, "a", "a word"), one]
    ),
]


def of(history: WorldHistory, records: list[Record]) -> WorldHistory:
    made = WorldHistory(history.world)
    made.extend(records)
    return made


def changed(change: Change) -> Iterator[WorldHistory]:
    """Histories that are one record away from a peaceful one."""
    for history in peaceful():
        for number, record in enumerate(history.records):
            if change.picks(record):
                before, rest = history.records[:number], history.records[number + 1 :]
                yield of(history, [*before, *change.makes(record), *rest])


def promises(history: WorldHistory) -> set[str]:
    return {violation.promise for violation in check(history, CHECKERS).violations}


def test_nothing_is_wrong_with_peaceful_worlds() -> None:
    assert [promises(history) for history in peaceful()] == [set()] * len(peaceful())


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.promise)
def test_a_change_is_seen(change: Change) -> None:
    """In one of the first histories in which there is anything to change."""
    for number, history in enumerate(changed(change)):
        if change.promise in promises(history):
            return
        assert number < 60
    pytest.fail("nothing was seen")


def test_what_passes_a_queue_that_is_off_is_seen() -> None:
    assert "queues-off" in promises(off_for_ever(peaceful()[0]))


def answer_besides(
    history: WorldHistory, *, is_older: bool, then: Callable[[FrameSent], list[Record]] | None = None
) -> WorldHistory:
    """A partner denies, in answer to a question that was asked before the one that it has answered, or after it; and
    something happens to the database that has asked."""
    sent_question = next(one for one in history.records if isinstance(one, FrameSent) and one.header is None)
    answer = RoleAnswer(ANOTHER, MIRROR)
    question = read_role(sent_question.raw)
    assert isinstance(question, RoleQuestion)
    bound = next(
        number
        for number, one in enumerate(history.records)
        if isinstance(one, FrameSent)
        and one.header
        and (one.broker, one.address) == (sent_question.broker, sent_question.address)
    )
    number = -1 if is_older else 1_000_000
    besides = sent_question._replace(number=number, raw=write_role(question._replace(question_id=ANOTHER)))
    answers: list[Record] = [
        sent_question._replace(number=-2, broker=sent_question.to, address="", to="", raw=write_role(answer)),
        FrameArrived(sent_question.at, sent_question.broker, sent_question.now, -2, "", frozenset()),
    ]
    records = list(history.records)
    return of(history, [*records[:bound], besides, *answers, *(then(sent_question) if then else ()), *records[bound:]])


@cache
def mirrored() -> WorldHistory:
    """In which a partner that is asked first is the principal, and is sent something."""
    for seed in range(300):
        history = run_world(draw_world(seed, "none"))
        questions = [one for one in history.records if isinstance(one, FrameSent) and one.header is None]
        if questions and any(
            isinstance(one, FrameSent)
            and one.header
            and (one.broker, one.address) == (questions[0].broker, questions[0].address)
            for one in history.records
        ):
            return history
    raise AssertionError("no world has a mirrored route that is used")


def test_the_last_word_of_a_partner_is_the_answer_to_the_last_question() -> None:
    """Not the one that has come last: it may have been on a detour."""
    history = mirrored()
    assert "only-to-the-principal" in promises(answer_besides(history, is_older=False))
    assert promises(answer_besides(history, is_older=True)) == set()


def test_an_answer_that_a_crash_has_undone_was_not_heard() -> None:
    """What a broker knows of a partner is what it has committed; and what it has asked is asked still."""
    history = mirrored()
    estate = history.world.estate
    commit = next(one for one in history.records if isinstance(one, Committed))
    empty = Committed(commit.at, "", commit.now, *(() for _ in commit[3:-2]), False, ())

    def dies(question: FrameSent) -> list[Record]:
        return [
            BrokerStopped(question.at, question.broker, "a crash"),
            BrokerStarted(question.at, question.broker, estate),
        ]

    def keeps_and_dies(question: FrameSent) -> list[Record]:
        return [empty._replace(broker=question.broker), *dies(question)]

    def dies_and_hears_again(question: FrameSent) -> list[Record]:
        return [*dies(question), FrameArrived(question.at, question.broker, question.now, -2, "", frozenset())]

    assert promises(answer_besides(history, is_older=False, then=dies)) == set()
    for then in (keeps_and_dies, dies_and_hears_again):
        assert "only-to-the-principal" in promises(answer_besides(history, is_older=False, then=then))


def test_what_comes_and_goes_in_one_commit_need_not_stand_in_the_queue() -> None:
    """As where its application has ended the conversation in the transaction in which it came."""
    history = peaceful()[0]
    number, commit = next((at, one) for at, one in enumerate(history.records) if enqueues(one))
    assert isinstance(commit, Committed)
    (moved,) = moved_on(commit)
    handles = tuple({kept.handle for kept in commit.enqueued})
    for record, wrong in ((moved, True), (moved._replace(cleared_queues=handles), False)):
        records = [*history.records[:number], record]
        assert bool(check(of(history, records), (AcknowledgingChecker,)).violations) == wrong


def test_what_is_said_of_a_conversation_that_has_gone_cannot_be_judged() -> None:
    history = next(one for one in peaceful() if any(map(is_classed, one.records)))
    commit = next(one for one in history.records if is_classed(one))
    (elsewhere,) = classed_elsewhere(commit)
    assert isinstance(elsewhere, Committed)
    events = tuple(event for event in elsewhere.events if isinstance(event, MessageClassify))
    starts = [one for one in history.records if isinstance(one, BrokerStarted)]
    strange = elsewhere._replace(events=tuple(event._replace(conversation_id=ANOTHER) for event in events))
    assert not check(of(history, [*starts, strange]), (DecidingChecker,)).violations
    assert check(of(history, [*starts, elsewhere]), (DecidingChecker,)).violations


def test_while_no_partner_is_the_principal_either_may_be_sent_something() -> None:
    """MIR-2: by the estate no partner is; `only-to-the-principal` knows which one has claimed it."""
    history = mirrored()
    nobody = of(history, [without_principal(one) if isinstance(one, BrokerStarted) else one for one in history.records])
    assert not check(nobody, (DecidingChecker,)).violations
    elsewhere = [
        one._replace(address="tcp://elsewhere:4022") if is_first_hop(one) and isinstance(one, FrameSent) else one
        for one in nobody.records
    ]
    assert check(of(history, elsewhere), (DecidingChecker,)).violations


def without_principal(started: BrokerStarted) -> BrokerStarted:
    estate = started.estate
    for instance in estate.instances.values():
        for database in instance.databases.values():
            if database.mirroring_role is not None:
                mirror = replace(database, mirroring_role=MIRROR)
                estate = estate.with_instance(estate.instances[instance.name].with_database(mirror))
    return started._replace(estate=estate)
