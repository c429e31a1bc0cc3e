"""The timeline of a conversation, from the rows that are kept."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

from brokerui.analysis.conversations.sides import ConversationSide, ConversationSides, Kept, KeptRow
from brokerui.analysis.conversations.timeline import (
    FAR_FUTURE_MS,
    RUN,
    EntryKind,
    TimelineEntry,
    TroubleEvent,
    WireMark,
    timeline,
)

NOW = 1_000_000
SIDE = ConversationSide(
    instance="A",
    database="one",
    handle="1",
    is_initiator=True,
    service="From",
    queue="FromQ",
    state="CO",
    to_send=0,
    sent=2,
    written=3,
    acknowledged=0,
    received=0,
    attempts=4,
    next_attempt=None,
    dialog_timer=None,
    lifetime_end=2**50,
    group="g",
    priority=5,
    encryption=False,
    kept_route=None,
)
TARGET = replace(SIDE, instance="B", database="two", handle="2", is_initiator=False, service="To", queue="ToQ")


def conversation(**more: Any) -> ConversationSides:
    return ConversationSides("c", "DEFAULT", "To", replace(SIDE, **more), TARGET)


def kept(*numbers: int, kind: Kept = Kept.TO_SEND, since: int = 10) -> tuple[KeptRow, ...]:
    return tuple(KeptRow(kind, number, "T", 100, since + number) for number in numbers)


def words(entries: tuple[TimelineEntry, ...]) -> list[str]:
    return [str(entry.says) for entry in entries]


def test_a_message_that_left_once_is_told_from_one_that_did_not() -> None:
    entries = timeline(conversation(messages=kept(1, 2)), (), NOW)
    assert words(entries) == ["Message 1 is sent, and not acknowledged", "Message 2 waits to be sent"]
    assert [entry.wire for entry in entries] == [WireMark.SENT, WireMark.NOT_SENT]


def test_entries_of_both_sides_stand_in_the_order_of_their_moments() -> None:
    target = replace(TARGET, messages=kept(0, kind=Kept.NOT_READ, since=5))
    both = replace(conversation(messages=kept(1)), far=target)
    event = TroubleEvent("B", 3, 7, 2, "Broker:Message Undeliverable 9793")
    entries = timeline(both, [event], NOW)
    assert all(one.at <= other.at for one, other in pairwise(entries))
    assert [(entry.on_initiator, entry.kind) for entry in entries] == [
        (False, EntryKind.MESSAGE),
        (False, EntryKind.EVENT),
        (True, EntryKind.MESSAGE),
    ]
    assert words(entries)[0] == "Message 0 arrived in ToQ; nobody has received it"
    assert str(entries[1].note) == "2 events like it in this hour"


def test_many_messages_of_a_kind_are_two_lines() -> None:
    many = timeline(conversation(messages=kept(*range(RUN + 3))), (), NOW)
    assert words(many) == ["Message 0 is sent, and not acknowledged", f"{RUN + 2} more, up to number {RUN + 2}"]
    assert str(many[1].note) == f"{(RUN + 2) * 100} bytes"
    assert len(timeline(conversation(messages=kept(*range(RUN))), (), NOW)) == RUN


def test_clocks_stand_where_they_run_out_and_a_default_lifetime_is_no_clock() -> None:
    clocks = conversation(next_attempt=NOW - 5, dialog_timer=NOW + 9, lifetime_end=NOW + FAR_FUTURE_MS - 1)
    entries = timeline(clocks, (), NOW)
    assert words(entries) == [
        "Attempt 5 follows",
        "The conversation timer runs out",
        "The lifetime ends: the conversation gets an error",
    ]
    assert entries[0].at == NOW, "an attempt that is due follows now"
    assert all(entry.follows for entry in entries)
    assert timeline(conversation(lifetime_end=NOW + FAR_FUTURE_MS), (), NOW) == ()
    assert timeline(conversation(lifetime_end=NOW - 1), (), NOW) == ()
