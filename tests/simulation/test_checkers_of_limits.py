"""Held fragments and requested routes: histories that break these promises in each of the ways that they name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest

from routing.dialog.settings import DialogSettings
from routing.runtime.forwarding import OVERHEAD_BYTES
from routing.simulation.application_records import BodyDigest
from routing.simulation.checkers.asking import AskingChecker
from routing.simulation.checkers.bounding import BoundingChecker
from routing.simulation.checking import CheckerFactory, Violation, check
from routing.simulation.clock import START
from routing.simulation.history import WorldHistory
from routing.simulation.limits import WorldLimits
from routing.simulation.records import (
    BrokerRenewed,
    BrokerStopped,
    Committed,
    FailedOver,
    FrameArrived,
    FrameSent,
    KeptMessage,
    Record,
)
from routing.simulation.world import draw_world
from routing.simulation.world_run import run_world


def found(history: WorldHistory, records: list[Record], checker: CheckerFactory) -> list[Violation]:
    """What one checker says of these records in the world of a history."""
    made = WorldHistory(history.world)
    made.extend(records)
    return check(made, (checker,)).violations


# ------------------------------------------------------------------------------------------------ asked for
def commit(broker: str = "a", *requests: tuple[str, str, str | None]) -> Committed:
    empty: tuple[()] = ()
    return Committed(START, broker, START, *[empty] * 12, requests, False, empty)


def asks(handle: str | None = "h", broker: str = "a", database: str = "A0", service: str = "Wanted") -> Committed:
    """A route is asked for, or (no handle) that was answered."""
    return commit(broker, (database, service, handle))


@pytest.mark.parametrize(
    ("records", "wrong"),
    [
        ([asks("h"), asks("i")], True),
        ([asks("h"), asks("h")], True),
        ([asks("h"), asks(None), asks("i")], False),
        ([asks("h"), asks(None), asks("i"), asks("j")], True),
        ([asks(None), asks("h")], False),
        ([asks("h"), asks("i", service="another")], False),
        ([asks("h"), asks("i", database="A1")], False),
        ([asks("h"), asks("i", broker="b")], False),
        ([asks("h"), FailedOver(START, "b", "a"), asks("i", broker="b")], True),
        ([asks("h"), FailedOver(START, "b", "a"), asks("i")], False),
        ([asks("h"), FailedOver(START, "b", "a"), asks(None, broker="b"), asks("i", broker="b")], False),
        ([asks("h"), FailedOver(START, "c", "d"), asks("i")], True),
        ([asks("h"), BrokerStopped(START, "a", "a crash"), asks("i")], True),
        ([asks("h"), BrokerRenewed(START, "a", "A0", "new"), asks("i")], True),
        ([commit("a", ("A0", "Wanted", "h"), ("A0", "Wanted", "i"))], True),
    ],
)
def test_who_asks_again_before_he_is_answered_is_seen(records: list[Record], wrong: bool) -> None:
    """MATCH-4: by database and service; a request goes with its database, and outlives a crash."""
    assert bool(found(run_world(draw_world(0, "none")), records, AskingChecker)) == wrong


# ------------------------------------------------------------------------------------------------ held
MOST = 100
Part = tuple[int, int, int]
"""Number, fragment and bytes."""


@pytest.mark.parametrize(
    ("parts", "turn", "over"),
    [
        ([(1, 0, MOST)], 0, 0),
        ([(1, 0, MOST + 1)], 0, 1),
        ([(1, 0, 98), (1, 1, 2)], 0, 0),
        ([(1, 0, 98), (1, 1, 3)], 0, 1),
        ([(1, 0, 98), (2, 0, 3)], 0, 1),
        ([(1, 0, 98), (2, 0, 3), (3, 0, 0)], 0, 2),
        ([(1, 0, 98), (1, 0, 3)], 0, 0),
        ([(0, 0, 900)], 0, 0),
        ([(1, 0, 900)], 1, 0),
    ],
)
def test_more_before_its_turn_than_the_limit_is_seen(parts: list[Part], turn: int, over: int) -> None:
    """One fragment in each commit; those of the next message do not count."""
    history = run_world(draw_world(0, "none"))
    first = next(one for one in history.records if isinstance(one, Committed) and one.endpoints)
    row = first.endpoints[0]._replace(receive_sequence=turn)
    records: list[Record] = [commit()._replace(endpoints=(row,))]
    for number, fragment, size in parts:
        kept = KeptMessage(row.handle, number, fragment, 2, "DEFAULT", BodyDigest(size, "x"), "")
        records.append(commit()._replace(buffered=(kept,)))
    little = WorldHistory(replace(history.world, limits=WorldLimits(DialogSettings(held_bytes=MOST))))
    assert sum(1 for _ in found(little, records, BoundingChecker)) == over


# ------------------------------------------------------------------------------------------------ sent on
@cache
def forwarding() -> tuple[WorldHistory, int]:
    """A history in which a broker with little memory sends something on, and the number of that record."""
    for seed in range(1000):
        world = draw_world(seed, "none")
        if world.limits.forwarded is not None:
            history = run_world(world)
            writers: dict[tuple[bytes, int], str] = {}
            for number, one in enumerate(history.records):
                if isinstance(one, FrameSent) and one.header is not None:
                    copy = (one.header.message_id, one.header.fragment)
                    if writers.setdefault(copy, one.broker) != one.broker:
                        return history, number
    raise AssertionError("nothing is ever forwarded")


Change = Callable[[list[Record], int, int], list[Record]]


def larger(records: list[Record], number: int, most: int) -> list[Record]:
    return _sized(records, number, most - OVERHEAD_BYTES + 1)


def as_large_as_may_be(records: list[Record], number: int, most: int) -> list[Record]:
    return _sized(records, number, most - OVERHEAD_BYTES)


def _sized(records: list[Record], number: int, size: int) -> list[Record]:
    left = records[number]
    assert isinstance(left, FrameSent)
    return [*records[:number], left._replace(size=size), *records[number + 1 :]]


def together(records: list[Record], number: int, most: int) -> list[Record]:
    """Others that are as large come before it leaves, and leave after it: all of them are held at once."""
    left = records[number]
    assert isinstance(left, FrameSent)
    assert left.header is not None
    before, after = records[:number], records[number + 1 :]
    for more in range(most // (left.size + OVERHEAD_BYTES)):
        other = left._replace(number=10_000 + more, header=left.header._replace(message_id=more.to_bytes(16, "big")))
        before += [
            other._replace(broker="elsewhere"),
            FrameArrived(left.at, left.broker, left.now, other.number, "", frozenset()),
        ]
        after.insert(0, other)
    return [*before, left, *after]


def together_but_for_a_crash(records: list[Record], number: int, most: int) -> list[Record]:
    """A crash loses the held fragments; those that leave later were not held then."""
    made = together(records, number, most)
    at = next(at for at, one in enumerate(made) if one is records[number])
    left = records[number]
    assert isinstance(left, FrameSent)
    return [*made[:at], BrokerStopped(left.at, left.broker, "a crash"), *made[at:]]


@pytest.mark.parametrize(
    ("change", "wrong"),
    [(larger, True), (as_large_as_may_be, False), (together, True), (together_but_for_a_crash, False)],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_more_to_be_sent_on_than_the_limit_is_seen(change: Change, wrong: bool) -> None:
    history, number = forwarding()
    most = history.world.limits.forwarded
    assert most is not None
    assert not found(history, history.records, BoundingChecker)
    assert bool(found(history, change(list(history.records), number, most), BoundingChecker)) == wrong
