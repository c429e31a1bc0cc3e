"""Exports of the product's own views, as each machine writes them: what they become, and what fits nothing."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tests.pipeline.ingest.reading import ReadRows, read_traffic

Json = dict[str, Any]
HANDLE = "5FB8D92B-ED69-4C80-AFBB-2AA6A7D3CB2D"
BROKER = "0A1B2C3D-0000-0000-0000-000000000001"
AT = datetime(2026, 11, 22, 13, 5, tzinfo=UTC)

QUEUE = (
    "conversation_handle;to_service_name;to_broker_instance;from_service_name;"
    "enqueue_time;message_sequence_number;message_body"
)
GERMAN = [
    QUEUE,
    f"{HANDLE};Täter;NULL;Bestellung;22.11.2026 13:05:00;0;0x0102FF",
    f"{HANDLE};Ship;{{{BROKER}}};NULL;22.11.2026 13:05:00,000;1.234;NULL",
    f"{HANDLE};Ship;;;2026-11-22 13:05:00,000000;2;",
    f"{HANDLE};Ship;;;31.02.2026 13:05:00;3;",
    f"{HANDLE};Ship;;;22/11/2026 13:05:00;4;",
    f"{HANDLE};NULL;;;22.11.2026 13:05:00;5;",
    f"{HANDLE};Ship;;;22.11.2026 13:05:00;6;0x123",
    "NULL;Ship;;;22.11.2026 13:05:00;7;",
]


def endpoint(number: int, **rest: Any) -> Json:
    """A row of sys.conversation_endpoints."""
    row = {
        "conversation_handle": HANDLE,
        "conversation_id": f"{number:08}-ED69-4C80-AFBB-2AA6A7D3CB2D",
        "is_initiator": 1,
        "state_desc": "CONVERSING",
        "far_service": "Ship",
        "far_broker_instance": BROKER,
        "send_sequence": 7,
    }
    return {**row, **rest}


def lines_of(*rows: Json) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


def queued(number: int, body: bytes | None) -> Json:
    text = base64.b64encode(body).decode() if body is not None else None
    of = {"conversation_handle": HANDLE, "to_service_name": "Ship", "enqueue_time": "2026-11-22T13:05:00"}
    return {**of, "message_sequence_number": number, "message_body": text, "is_initiator": False}


@pytest.fixture(scope="module")
def given(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, ReadRows]:
    """Exports of several instances, and the rows that are read in them."""
    folder, work = (tmp_path_factory.mktemp(name) for name in ("in", "work"))
    german = folder / "instance=host1" / "database=Orders"
    english = folder / "instance=HOST%5CNAMED+1" / "database=a b" / "at=2026-11-22T13:05:00Z"
    nowhere = folder / "somewhere"
    for each in (german, english, nowhere):
        each.mkdir(parents=True)
    (german / "queue.csv").write_text("\n".join(GERMAN), "utf-16")
    bodies = [queued(number, body) for number, body in enumerate((b"", b"1", b"12", b"123", None))]
    (german / "queue.json").write_text(lines_of(*bodies))
    rows = [endpoint(1), endpoint(2, is_initiator=0), endpoint(3, is_initiator=2), endpoint(4, far_service=None)]
    (english / "endpoints.json").write_text(lines_of(*rows))
    (english / "endpoints.csv").write_text(
        f'conversation_id,is_initiator,far_service,far_broker_instance,send_sequence\n{BROKER},True,Ship,NULL,"1,234"\n'
    )
    (nowhere / "queue.csv").write_text("\n".join(GERMAN[:2]))
    (german / "endpoints.jsonl").write_text(lines_of(endpoint(5)))
    return folder, read_traffic(spark, str(folder), work)


@pytest.fixture(scope="module")
def found(given: tuple[Path, ReadRows]) -> dict[str, Json]:
    return {one["conversation_id"]: one for one in given[1].good}


def test_a_message_that_waits_is_a_row_of_traffic(found: dict[str, Json]) -> None:
    assert found[f"{HANDLE.lower()}/0"]["from_instance"] == "host1"
    assert {one["at"] for one in found.values()} == {AT}
    many = found[f"{HANDLE.lower()}/1234"]
    assert (many["from_service"], many["to_broker_instance"], many["bytes"]) == (None, BROKER.lower(), 0)
    assert f"{HANDLE.lower()}/2" in found


def test_what_a_message_weighs_is_read_from_hex_and_base64(given: tuple[Path, ReadRows]) -> None:
    rows = given[1].good
    replies = sorted(one["bytes"] for one in rows if one["is_reply"] and one["from_instance"] == "host1")
    assert replies == [0, 0, 1, 2, 3]
    assert [one["bytes"] for one in rows if one["to_service"] == "Täter"] == [3]


def test_a_side_of_a_conversation_is_a_row_of_traffic(found: dict[str, Json]) -> None:
    sides = {name: one for name, one in found.items() if one["from_instance"] == "HOST\\NAMED+1"}
    assert {(name[:8], name[-2:]): (one["is_reply"], one["messages"]) for name, one in sides.items()} == {
        ("00000001", "/i"): (False, 7),
        ("00000002", "/t"): (True, 7),
        ("0a1b2c3d", "/i"): (False, 1234),
    }
    assert {one["from_database"] for one in sides.values()} == {"a b"}


def test_what_fits_nothing_has_its_place_and_its_reason(given: tuple[Path, ReadRows]) -> None:
    folder, read = given
    found = {(Path(file).relative_to(folder).as_posix(), *rest) for file, *rest in read.places}
    german, english = "instance=host1/database=Orders", "instance=HOST%5CNAMED+1/database=a b/at=2026-11-22T13:05:00Z"
    assert found == {
        (f"{german}/queue.csv", 5, "bad_at"),
        (f"{german}/queue.csv", 6, "bad_at"),
        (f"{german}/queue.csv", 7, "no_to_service"),
        (f"{german}/queue.csv", 8, "bad_bytes"),
        (f"{german}/queue.csv", 9, "no_conversation_id"),
        (f"{german}/endpoints.jsonl", 1, "no_at"),
        (f"{english}/endpoints.json", 3, "bad_is_reply"),
        (f"{english}/endpoints.json", 4, "no_to_service"),
        ("somewhere/queue.csv", 2, "no_from_instance"),
    }
    assert read.counts == {"in": 20, "out": 11, "quarantined": 9}
