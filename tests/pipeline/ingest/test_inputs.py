"""Files that others write: in UTF-16, as Windows does, and the event log of BrokerUI itself."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from pipeline.schemas import COLUMNS
from tests.pipeline.estates import row
from tests.pipeline.ingest.reading import ReadRows, read_traffic
from tests.pipeline.telemetry.event_logs import random_log, write_log

Json = dict[str, Any]


@pytest.fixture(scope="module")
def given(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> tuple[list[Json], Path, ReadRows]:
    """The events of a log, the folder that it is in beside texts in UTF-16, and the rows of both."""
    folder, work = (tmp_path_factory.mktemp(name) for name in ("in", "work"))
    rows = random_log(random.Random(11), 1_500)
    write_log(rows, folder)
    little, big = row(1, from_service="Bestellung größer 🚚"), row(2, to_service="Täter")
    lines = [";".join(little), "", ";".join("NULL" if value is None else str(value) for value in little.values()), "x"]
    (folder / "little end.csv").write_bytes(b"\xff\xfe" + "\r\n".join(lines).encode("utf-16-le"))
    (folder / "big.json").write_bytes(b"\xfe\xff" + f"{json.dumps(big)}\n{{\n".encode("utf-16-be"))
    (folder / "broken.csv").write_bytes(b"\xff\xfe" + "\n".join(_broken()).encode("utf-16-le", "surrogatepass") + b"x")
    return rows, folder, read_traffic(spark, str(folder), work)


def _broken() -> list[str]:
    """Return lines whose second row has half of a character; an odd byte follows behind the last."""
    rows = [row(number, from_service=name) for number, name in ((3, "A"), (4, "\ud83d!"), (5, "C"))]
    lines = (";".join("NULL" if value is None else str(value) for value in one.values()) for one in rows)
    return [";".join(COLUMNS), *lines, ""]


def test_texts_in_utf_16_are_read(given: tuple[list[Json], Path, ReadRows]) -> None:
    found = {one["conversation_id"]: one for one in given[2].good}
    assert found["c1"]["from_service"] == "Bestellung größer 🚚"
    assert (found["c1"]["to_broker_instance"], found["c1"]["messages"]) == (None, 2)
    assert found["c2"]["to_service"] == "Täter"


def test_half_a_character_costs_its_row_and_no_other(given: tuple[list[Json], Path, ReadRows]) -> None:
    services = {one["conversation_id"]: one["from_service"] for one in given[2].good}
    assert ("c3" in services, "c4" in services, "c5" in services) == (True, False, True)
    raw = {position: text or "" for file, position, _, text in given[2].rejected if "broken" in file}
    assert raw[3].startswith("c4;")
    assert "\ufffd!" in raw[3]


def test_what_is_wrong_in_them_has_its_place(given: tuple[list[Json], Path, ReadRows]) -> None:
    _, folder, read = given
    assert read.places == {
        (str(folder / "little end.csv"), 4, "not_csv"),
        (str(folder / "big.json"), 2, "not_json"),
        (str(folder / "broken.csv"), 3, "not_utf8"),
        (str(folder / "broken.csv"), 5, "not_utf8"),
    }


def test_the_traffic_of_an_event_log_is_what_was_sent(given: tuple[list[Json], Path, ReadRows]) -> None:
    rows, _, read = given
    sent = [one for one in rows if one["event_class"] == 124 and one["event_subclass"] in (1, 2, 3)]
    expected = {
        (
            f"{one['conversation_id']}/{'i' if one['from_initiator'] else 't'}{one['message_sequence_number']}",
            one["at"],
            one["instance"],
            one["database"],
            one["from_service"],
            one["to_service"],
            None,
            not one["from_initiator"],
            1,
            one["bytes"],
        )
        for one in sent
    }
    found = {tuple(one[name] for name in COLUMNS) for one in read.good}
    assert len(expected) > 5
    assert {one for one in found if one[0] not in ("c1", "c2", "c3", "c5")} == expected
    assert read.counts == {"in": len(sent) + 8, "out": len(sent) + 4, "quarantined": 4}
