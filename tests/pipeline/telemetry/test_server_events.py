"""Broker events as SQL Server records them, in a trace and in a session of Extended Events, read as an event log."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote

import pytest
from pyspark.sql import SparkSession

from pipeline.files.location import location
from pipeline.inputs.files import examine_files
from pipeline.inputs.preparing import prepared_files
from pipeline.inputs.reader import count_rows, read_files
from pipeline.jobs.telemetry import EVENTS_FORMAT
from pipeline.schemas import EVENT_FILES
from pipeline.transforms.cleaning import REASON

Json = dict[str, Any]
CONVERSATION, PARTS_ID = "5FB8D92B-ED69-4C80-AFBB-2AA6A7D3CB2D", "81B1D3D0-288E-4D2C-B1D3-456CBB944B4F"
TRACED: Json = {
    "TextData": None,
    "EventClass": 141,
    "EventSubClass": 3,
    "EventSequence": 17,
    "StartTime": "2026-11-22T13:05:00.123",
    "ServerName": r"SRV\PROD",
    "DatabaseName": "Orders",
    "GUID": CONVERSATION,
    "RoleName": "Initiator",
    "FileName": "//example/stock",
    "OwnerName": PARTS_ID,
    "Error": 9793,
    "LinkedServerName": "Originated here",
    "SPID": 22,
}


def event_xml(name: str, fields: dict[str, tuple[object, str | None]], **actions: object) -> str:
    """Return `event_data` as the server prints it: some fields have a number and its words."""
    values = "".join(
        f'<data name="{field}"><type name="x" package="sqlserver"/><value>{value}</value>'
        f"{'' if text is None else f'<text>{text}</text>'}</data>"
        for field, (value, text) in fields.items()
    )
    more = "".join(
        f'<action name="{one}" package="sqlserver"><value>{value}</value></action>' for one, value in actions.items()
    )
    return f'<event name="{name}" package="sqlserver" timestamp="2026-11-22T13:05:00.123Z">{values}{more}</event>'


CLASSIFIED = event_xml(
    "broker_message_classify",
    {
        "conversation_id": (CONVERSATION, None),
        "is_initiator": ("true", None),
        "route_type": (2, "Delayed"),
        "to_service_name": ("//example/stock", None),
        "to_broker_instance": (PARTS_ID, None),
        "delayed_error_number": (9793, None),
        "message_source": (0, "Originated"),
    },
    database_name="Orders",
    server_instance_name=r"SRV\PROD",
)


def session_row(xml: str, **rest: object) -> Json:
    named = {"object_name": xml.split('"')[1], "event_data": xml, "file_name": r"C:\log\b_0.xel", "file_offset": 8192}
    return {"module_guid": "CE79811F-1A80-40E1-8F5D-7445A3F375E7", "package_guid": "0", **named, **rest}


def as_json(path: Path, rows: Sequence[Json]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows, indent=1), encoding="utf-8")


def as_csv(path: Path, rows: Sequence[Json]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as stream:
        table = csv.DictWriter(stream, list(rows[0]))
        table.writeheader()
        table.writerows(rows)


FORWARDED = {
    "conversation_id": (CONVERSATION, None),
    "from_service_name": ("//example/shop", None),
    "message_sequence": (4, None),
    "fragment_number": (1, None),
    "remaining_hop_count": (9, None),
    "time_to_live_sec": (60, None),
    "live_time_sec": (2, None),
    "dropped_reason": ("hop count exceeded", None),
}
SESSION_WORDS = [
    ("broker_conversation", "conversation_action", "SEND Message", 124, 1),
    ("broker_conversation", "conversation_action", "END_CONVERSATION_WITH_CLEANUP", 124, 13),
    ("ucs_connection_setup", "setup_event", "Accept", 138, 6),
    ("broker_remote_message_acknowledgement", "acknowledgement_type", "Acknowledgement Received", 149, 4),
    ("broker_activation", "activation_state", "Aborted", 163, 3),
    ("broker_activation", "activation_state", "Something new", 163, None),
]
DELAYED = {
    "trace in JSON.txt": (as_json, TRACED),
    "trace in CSV.txt": (as_csv, TRACED),
    "session in JSON.txt": (as_json, session_row(CLASSIFIED)),
    "session in CSV.txt": (as_csv, session_row(CLASSIFIED)),
}


def session_of_words() -> list[Json]:
    rows = []
    for name, field, words, _, _ in SESSION_WORDS:
        fields = {field: (0, words), "conversation_state": (1, "CONVERSING"), "address": ("tcp://h:4022", None)}
        rows.append(session_row(event_xml(name, fields, server_instance_name="SRV")))
    return rows


def write_all(folder: Path) -> None:
    """Write what each test looks at into a folder of its own: they are read at once, as each kind has its plan."""
    for name, (write, row) in DELAYED.items():
        write(folder / "delayed" / name, [row])
    forwarded = event_xml("broker_forwarded_message_dropped", FORWARDED, event_sequence=88)
    place = folder / "forwarded" / "instance=office" / "database=Labels"
    as_json(place / "events.json", [session_row(forwarded)])
    other = CLASSIFIED.replace("9793", "9794")
    as_csv(folder / "block" / "a.csv", [session_row(CLASSIFIED), session_row(other)])
    as_csv(folder / "block" / "b.csv", [session_row(other)])
    as_json(folder / "odd" / "a.json", [{**TRACED, "EventClass": 12}, {**TRACED, "ServerName": None}])
    batch = event_xml("sql_batch_completed", {"duration": (1, None)}, server_instance_name="SRV")
    as_json(folder / "odd" / "b.json", [session_row(batch), session_row(CLASSIFIED, event_data="<event")])
    as_json(folder / "words" / "a.json", session_of_words())
    (folder / "numbered").mkdir()
    rows = [session_row(CLASSIFIED.replace("Orders", f"Orders{number}")) for number in range(60)]
    (folder / "numbered" / "session.jsonl").write_text("".join(f"{json.dumps(one)}\n" for one in rows))


@pytest.fixture(scope="module")
def events(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Json]]:
    """The rows, good and bad, by the folder, in the order of their places."""
    folder = tmp_path_factory.mktemp("events")
    write_all(folder)
    root = location(str(folder))
    paths = [location(str(path)) for path in sorted(folder.rglob("*.*"))]
    files = prepared_files(examine_files(paths, EVENT_FILES), root, root / "_work")
    source = read_files(spark, files, root, str(folder), EVENTS_FORMAT)
    found: dict[str, list[Json]] = {}
    for one in source.placed().orderBy("_file", "_row").collect():
        place = PurePosixPath(unquote(one["_file"]).partition(folder.name)[2].lstrip("/"))
        found.setdefault(place.parts[0], []).append({**one.asDict(), "name": place.name})
    assert count_rows(source) == sum(map(len, found.values()))
    return found


@pytest.mark.parametrize("name", DELAYED)
def test_a_delayed_message_is_the_same_event_in_each_shape(events: dict[str, list[Json]], name: str) -> None:
    (found,) = (one for one in events["delayed"] if one["name"] == name)
    assert found[REASON] is None
    assert found["at"].isoformat() == "2026-11-22T13:05:00.123000"
    names = "instance host database event_class event_name event_subclass conversation_id from_initiator to_service"
    assert [found[name] for name in names.split()] == [
        *(r"SRV\PROD", r"SRV\PROD", "Orders", 141, "Broker:Message Classify", 3),
        *(CONVERSATION.lower(), True, "//example/stock"),
    ]
    assert (found["to_broker_instance"], found["error"]) == (PARTS_ID.lower(), 9793)
    assert found["is_from_network"] is False
    assert (found["is_initiator"], found["text"], found["route"]) == (None, None, None)


def test_a_forwarded_message_has_what_is_left_of_its_time(events: dict[str, list[Json]]) -> None:
    (found,) = events["forwarded"]
    names = "instance database event_class from_service message_sequence_number fragment hops_remaining"
    assert [found[name] for name in names.split()] == ["office", "Labels", 140, "//example/shop", 4, 1, 9]
    assert (found["time_to_live_ms"], found["time_consumed_ms"], found["text"]) == (60_000, 2_000, "hop count exceeded")
    assert (found["source"], found["position"]) == (r"C:\log\b_0.xel/8192", 88)


def test_events_of_one_block_are_told_apart_and_a_copy_is_the_same(events: dict[str, list[Json]]) -> None:
    rows = events["block"]
    assert len(rows) == 3
    assert len({(one["source"], one["position"]) for one in rows}) == 2


def test_each_event_without_a_number_has_a_position(events: dict[str, list[Json]]) -> None:
    found = events["numbered"]
    assert [one[REASON] for one in found] == [None] * 60
    assert len({one["position"] for one in found}) == 60


def test_what_is_no_event_of_the_broker_says_so(events: dict[str, list[Json]]) -> None:
    assert [one[REASON] for one in events["odd"]] == ["other_event", "no_host", "other_event", "not_xml"]


def test_words_of_a_session_are_the_subclasses_of_a_trace(events: dict[str, list[Json]]) -> None:
    found = events["words"]
    assert [one[REASON] for one in found] == [None] * len(SESSION_WORDS)
    assert [(one["event_class"], one["event_subclass"], one["state"], one["address"]) for one in found] == [
        (number, subclass, "CO" if number == 124 else None, "tcp://h:4022" if number == 138 else None)
        for *_, number, subclass in SESSION_WORDS
    ]
