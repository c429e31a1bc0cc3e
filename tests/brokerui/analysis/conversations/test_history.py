"""The event log of a conversation: found in its files, put into lanes, and folded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from brokerui.analysis.conversations.history import FOLD, history
from brokerui.analysis.conversations.sides import Kept
from brokerui.analysis.conversations.timeline import EntryKind, TimelineEntry, WireMark, timeline
from brokerui.eventlog import reading
from brokerui.eventlog.publishing import publish
from brokerui.eventlog.reading import LoggedEvent, logged_events
from brokerui.eventlog.stage import Stage
from routing.common import broker_events as ev
from routing.common import event_subclasses as sub
from routing.common import network_events as net
from tests.brokerui.analysis.conversations.test_timeline import TARGET, conversation, kept
from tests.brokerui.eventlog.samples import EVENTS

AT = 1_900_000_000_000
SECOND = 1_000
FAR = "tcp://b:4022"


def sent(kind: sub.SentSubclass) -> ev.MessagesSent:
    return ev.MessagesSent(kind, "one", "c", "1", True, "From", "To", None, "R", FAR, 0, 0, 2, 3, 300, AT)


LOG = [
    (
        "A",
        [
            (
                AT,
                ev.ConversationEvent(
                    sub.ConversationSubclass.SEND_MESSAGE, "one", "CO", "c", "1", "g", True, "From", "To", "b", 0, 5
                ),
            ),
            (
                AT + 1,
                ev.MessageClassify(
                    sub.ClassifySubclass.REMOTE, "one", "c", "To", None, FAR, False, 0, "From", True, "R"
                ),
            ),
            (AT + 2, sent(sub.SentSubclass.SENT)),
            *((AT + n * SECOND, sent(sub.SentSubclass.SENT_AGAIN)) for n in range(1, 15)),
        ],
    ),
    (
        "B",
        [
            *(
                (
                    AT + n * SECOND + 9,
                    net.MessageUndeliverable(sub.UndeliverableSubclass.SEQUENCED_MESSAGE, "two", "c", 0, 2, 11218),
                )
                for n in range(1, 15)
            ),
            (
                AT + 20 * SECOND,
                net.Acknowledgement(
                    sub.AcknowledgementSubclass.ACKNOWLEDGEMENT_SENT, "two", "c", 2, 1_048_575, 0, True
                ),
            ),
            (AT + 21 * SECOND, ev.MessagesReceived("two", "ToQ", "2", 0, 2, 3, 300, AT)),
        ],
    ),
    (
        "A",
        [
            (
                AT + 22 * SECOND,
                net.Acknowledgement(
                    sub.AcknowledgementSubclass.ACKNOWLEDGEMENT_RECEIVED, "one", "c", 2, 1_048_575, 0, True
                ),
            )
        ],
    ),
]


def written(folder: Path, *batches: Any) -> None:
    """A file with these batches."""
    stage = Stage(folder, seconds=60, size=1 << 20)
    stage.write(list(batches))
    stage.close()
    publish(folder)


def words(number: int) -> str:
    return f"why {number}"


def entries(folder: Path, **more: Any) -> tuple[TimelineEntry, ...]:
    found = logged_events(folder, "c", frozenset(("1", "2"))).events
    both = conversation(**more)
    return timeline(both, (), AT, history(both, found, words))


def test_lanes_of_both_sides_with_repeats_folded(tmp_path: Path) -> None:
    another = EVENTS[0]._replace(conversation_id="d", conversation_handle="9")  # type: ignore[union-attr]  # the first one has both
    written(tmp_path, *LOG, ("A", [(AT, another)]))
    lines = [(entry.on_initiator, str(entry.says), entry.wire) for entry in entries(tmp_path)]
    assert lines == [
        (True, "Message 0: SEND", WireMark.NOTHING),
        (True, f"Routing chose R, to {FAR}", WireMark.NOTHING),
        (True, f"Messages 0 to 2 left for {FAR}", WireMark.WENT),
        (True, f"Messages 0 to 2 left again for {FAR}", WireMark.SENT),
        (False, "Message 0: discarded", WireMark.NOTHING),
        (True, f"Messages 0 to 2 left again for {FAR}: 13 times more since 17:46:42", WireMark.SENT),
        (False, "Message 0: discarded: 13 times more since 17:46:42", WireMark.NOTHING),
        (False, "Messages 0 to 2: the acknowledgement left", WireMark.WENT),
        (False, "Messages 0 to 2: an application received", WireMark.NOTHING),
        (True, "Messages 0 to 2: acknowledged", WireMark.ARRIVED),
    ]
    kinds = [entry.kind for entry in entries(tmp_path)]
    assert kinds[1:4] == [EntryKind.ROUTING, EntryKind.MESSAGE, EntryKind.RETRY]
    assert str(entries(tmp_path)[4].note) == "11218: why 11218"


def test_a_message_that_a_table_has_is_one_line(tmp_path: Path) -> None:
    written(tmp_path, LOG[0])
    lines = [str(entry.says) for entry in entries(tmp_path, messages=kept(0, kind=Kept.TO_SEND, since=AT), sent=0)]
    assert lines.count("Message 0 waits to be sent") == 1
    assert "Message 0: SEND" not in lines


def test_every_event_of_the_engine_has_words_or_is_left_out(tmp_path: Path) -> None:
    written(tmp_path, ("A", [(AT, event) for event in EVENTS]))
    found = logged_events(tmp_path, "c", frozenset(("h",))).events
    assert {event.event_class for event in found} == {124, 139, 140, 141, 149, 158, 160, 161, 1001, 1002, 1003}
    lines = history(conversation(), found, words)
    assert len(lines) == len(found)
    assert not any("None" in str(line.says) for line in lines)


def test_of_two_sides_in_one_instance_each_has_its_lane() -> None:
    both = replace(conversation(), far=replace(TARGET, instance="A"))
    event = LoggedEvent(AT, 1, "A", 149, 2, None, None, True, 0, 0, 1_048_575, *[None] * 7)
    lanes = [history(both, [event._replace(event_subclass=kind)], words)[0].on_initiator for kind in (1, 2, 3, 4)]
    assert lanes == [False, False, True, True]


@pytest.mark.parametrize(("repeats", "lines"), [(FOLD, FOLD), (FOLD + 1, 2)])
def test_few_repeats_are_not_folded(repeats: int, lines: int) -> None:
    event = LoggedEvent(AT, 1, "A", 1001, 2, "1", True, True, 0, 0, None, 5, None, "R", FAR, None, None, None)
    assert len(history(conversation(), [event._replace(at=AT + n) for n in range(repeats)], words)) == lines


def test_the_newest_files_are_looked_through_and_the_others_are_left(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(reading, "FILES", 1)
    for number, folder in ((1, "date=2030-03-17"), (2, "date=2030-03-18")):
        written(tmp_path, ("A", [(AT + number, sent(sub.SentSubclass.SENT))]))
        (path,) = (one for one in tmp_path.glob("date=*/*.parquet") if "2030" not in one.name)
        (tmp_path / folder).mkdir()
        path.rename(tmp_path / folder / f"events-203003{16 + number}T000000Z-host-1-x-00000{number}.parquet")
    first, both = (logged_events(tmp_path, "c", frozenset("1"), portions) for portions in (1, 2))
    assert ([event.at - AT for event in first.events], first.is_all) == ([2], False)
    assert ([event.at - AT for event in both.events], both.is_all) == ([1, 2], True)
    assert both.since is not None
    assert first.since == both.since + 86_400_000
    (tmp_path / "date=2030-03-18" / "events-20300318T000001Z-host-1-x-000003.parquet").write_bytes(b"no parquet")
    assert logged_events(tmp_path, "c", frozenset("1"), 3).events == both.events
    assert logged_events(tmp_path / "none", "c", frozenset("1")) == ((), None, True)
