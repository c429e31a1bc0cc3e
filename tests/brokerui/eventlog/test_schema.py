"""The event log has the columns that are documented, and every event fills those that it should."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from brokerui.eventlog.schema import COLUMNS, NAMES, event_of, row_of
from routing.common.broker_events import ConversationEvent, Event
from routing.common.event_subclasses import ConversationSubclass
from tests.brokerui.eventlog.samples import EVENTS, SAMPLES

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "reference" / "event-log.md"
WHOSE = {"source", "position", "at", "host", "instance"}
ALWAYS = {"event_class", "event_name", "event_subclass", "database"}


def documented() -> dict[str, str]:
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
    return {name: kind for name, kind in rows if not name.startswith("EVENT_")}


def filled() -> dict[int, set[str]]:
    """By class: the columns that the document says it fills."""
    text = DOCUMENT.read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) [^|]+ \| (.+) \|$", text, re.MULTILINE)
    return {int(number): set(re.findall(r"`(\w+)`", columns_text)) for number, columns_text in rows}


def test_the_columns_are_those_that_are_documented() -> None:
    assert documented() == dict(COLUMNS)


def test_there_is_a_sample_of_each_class() -> None:
    assert {type(event) for event in EVENTS} == set(get_args(Event))
    assert {event.number for event in (*EVENTS, *SAMPLES)} == set(NAMES)


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: str(event.number))
def test_an_event_fills_what_is_documented(event: Event) -> None:
    known = filled()
    documented = known[event.number]
    if event.number == 140:
        documented |= known[139]
    row = {name for name, value in row_of(event).items() if value is not None}
    four = {"from_service", "from_broker_instance", "to_service", "to_broker_instance"}
    assert row - ALWAYS - four == documented - four - {"PRINCIPAL", "MIRROR"}
    assert row <= set(COLUMNS) - WHOSE


@pytest.mark.parametrize("event", [*EVENTS, *SAMPLES], ids=lambda event: f"{event.number}")
def test_an_event_comes_back_from_json_as_it_was(event: Event) -> None:
    values = json.loads(json.dumps(event))
    assert event_of(event.number, values) == event
    assert row_of(event_of(event.number, values)) == row_of(event)


def test_a_message_has_the_same_name_at_both_ends() -> None:
    sent = ConversationEvent(
        ConversationSubclass.SEND_MESSAGE, "one", "CO", "c", "h", "g", True, "From", "To", "b", 4, 9
    )
    came = ConversationEvent(
        ConversationSubclass.RECEIVED_SEQUENCED_MESSAGE, "two", "CO", "c", "k", "g", False, "To", "From", "a", 4, 9
    )
    keys = ("conversation_id", "from_initiator", "message_sequence_number", "from_service", "to_service", "bytes")
    assert [row_of(sent)[key] for key in keys] == [row_of(came)[key] for key in keys] == ["c", True, 4, "From", "To", 9]
    reply = came._replace(subclass=ConversationSubclass.SEND_MESSAGE)
    assert (row_of(reply)["from_initiator"], row_of(reply)["from_service"]) == (False, "To")
    created = came._replace(subclass=ConversationSubclass.DIALOG_CREATED, message_sequence_number=-1)
    assert "from_initiator" not in row_of(created)
    assert row_of(created)["from_service"] == "To"


def test_samples_say_what_they_are_of() -> None:
    rows = [{name: value for name, value in row_of(one).items() if value is not None} for one in SAMPLES]
    assert [row["event_subclass"] for row in rows] == [1, 2, 3, 4, 5]
    assert [row.get("depth") for row in rows] == [5, 6, 2, None, None]
    assert rows[3]["text"] == "PRINCIPAL"
    assert rows[4]["principal"] == "tcp://a:1"
