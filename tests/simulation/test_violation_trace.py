"""The account of a violation: each kind of event, in words, in the order in which it happened."""

from __future__ import annotations

import re
from functools import cache

import pytest

from routing.common.sentence import say
from routing.simulation import violation_trace as telling
from routing.simulation.application_records import DialogBegan
from routing.simulation.checking import Violation
from routing.simulation.history import WorldHistory
from routing.simulation.records import BrokerBroke, BrokerRenewed, FailedOver
from routing.simulation.violation_trace import MAX_LINES, trace_lines
from routing.simulation.world import draw_world
from routing.simulation.world_run import run_world


@cache
def histories() -> list[WorldHistory]:
    """Histories in which every event that has words happens in some conversation."""
    worlds = map(run_world, map(draw_world, range(400)))
    found = [next(worlds) for _ in range(15)]
    missing = [kind for kind in (FailedOver, BrokerRenewed) if not any(_has(one, kind) for one in found)]
    return [*found, *(next(one for one in worlds if _has(one, kind)) for kind in missing)]


def _has(history: WorldHistory, kind: type) -> bool:
    return any(isinstance(record, kind) for record in history.records)


def whole(history: WorldHistory, handle: str) -> list[str]:
    """The story of a conversation up to the end of its world."""
    return trace_lines(history, Violation("a promise", history.records[-1].at, say("It is over."), handle))


@cache
def stories() -> list[list[str]]:
    """The accounts of all their conversations, unabridged."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(telling, "MAX_LINES", 100_000)
        return [
            whole(history, one.handle)
            for history in histories()
            for one in history.records
            if isinstance(one, DialogBegan)
        ]


@pytest.mark.parametrize(
    "what",
    [
        r"initiator: begins a dialog from I\d to (T\d|SQL/|tcp://)",
        r"initiator: sends \d+ bytes",
        r"target: receives 0 ",
        r"receives \d+ Error -?\d+",
        r"initiator: ends \((end|error|cleanup)\)",
        r": send is refused, \d+",
        r"commits initiator SO, sent \d+, next 0",
        r"commits target CO, .*queued \d",
        r"held \d+\.\d+",
        r"to send \d",
        r"acknowledged below \d",
        r"unsent from 0",
        r"commits (initiator|target) removed",
        r"sends to [a-f] frame \d+: initiator's message 0",
        r"takes in frame \d+: target's acknowledgement, acknowledges 0\.0-\d",
        r"takes in \((bits flipped|cut to \d+)\) frame \d+",
        r"frame \d+: (initiator|target)'s error",
        r"message \d+ fragment \d/\d",
        r"message \d+ END",
        r"message \d+ ERROR",
        r"(lost|partition|[a-f] is down) frame \d+",
        r"\(with \d+ between\)",
        r"stops: crash \d of [a-f], (before|after) a commit",
        r"starts$",
        r"partition \d begins: ",
        r"the principal is now [a-f]",
        r"[A-F]\d has a new broker, [0-9a-f-]{36}",
        r"outage \d begins",
        r"healed: nothing goes wrong from here on",
        r"over$",
    ],
)
def test_what_happened_is_told(what: str) -> None:
    assert any(re.search(what, line) for lines in stories() for line in lines)


def test_a_broker_that_broke_is_told() -> None:
    history = WorldHistory(draw_world(0))
    history.add(BrokerBroke(draw_world(0).heals, "a", "IndexError: nothing there"))
    (line,) = whole(history, "nobody")
    assert re.fullmatch(r" *\d+\.\d{3} a  breaks: IndexError: nothing there", line)


def test_nothing_is_told_of_other_conversations_nor_of_what_came_later() -> None:
    history = next(one for one in histories() if _has(one, BrokerRenewed))
    began = next(record for record in history.records if isinstance(record, DialogBegan))
    early = trace_lines(history, Violation("a promise", began.at, say("It has begun."), began.handle))
    assert sum("begins a dialog" in line for line in early) == 1
    assert not any(line.endswith("over") for line in early)


def test_a_long_story_is_told_from_its_beginning_and_its_end() -> None:
    history = max(histories(), key=lambda one: len(one.records))
    handles = [record.handle for record in history.records if isinstance(record, DialogBegan)]
    lines = max((whole(history, handle) for handle in handles), key=len)
    assert len(lines) == MAX_LINES + 1
    assert lines.count("…") == 1
    assert lines[-1].endswith("over")
