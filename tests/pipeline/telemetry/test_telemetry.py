"""`pipeline telemetry`: each table is what a plain reading of the log says, row by row."""

from __future__ import annotations

import json
import random
import shutil
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from brokerui.analysis.traffic.models import Episode
from brokerui.analysis.traffic.services import gold_load
from brokerui.analysis.traffic.tables import TABLES as TABLES_LOADED
from pipeline.jobs.telemetry import TABLES, TelemetryOptions, telemetry
from pipeline.jobs.telemetry_parts import EVENTS, read_part
from pipeline.results.output_folder import write_rows
from pipeline.results.run_record import JobRun
from pipeline.runtime.session import SparkSettings
from pipeline.schemas import EVENT
from pipeline.telemetry import delays, next_hops
from pipeline.telemetry.event_log import EventLog
from pipeline.transforms.events import EVENT_OF_FILE
from tests.extent import IS_ALL
from tests.pipeline.conftest import as_shipped
from tests.pipeline.estates import TO_PARTS, document, written
from tests.pipeline.telemetry import naive
from tests.pipeline.telemetry.event_logs import BEGIN, HOPS, MILLISECOND, SCHEMA, random_log, write_log
from tests.pipeline.telemetry.tables import COLUMNS, alike, hashable, table

Json = dict[str, Any]
SETTINGS = SparkSettings("local[2]")
OWNERS = {address: name for address, name in HOPS.items() if name != "host3"}
WINDOWS_AT = datetime(2026, 3, 1, 13, 5, 9, tzinfo=UTC)
"""Another day where the month stands second."""
pytestmark = pytest.mark.usefixtures("spark")


def run(events: str, out: Path, **rest: Any) -> JobRun:
    return telemetry(TelemetryOptions(events, str(out), **rest), SETTINGS)


# Tests with a database run apart from those without, so that the module is come to twice.
@pytest.fixture(scope="session")
def measured(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[Json], Path, list[tuple[Any, ...]]]:
    """A random log, what the job made of it beside an estate, and the routes of that estate."""
    folder = tmp_path_factory.mktemp("told")
    seed = random.getrandbits(32)
    print(f"seed {seed}")  # noqa: T201 - shown when a test fails
    rows = _log_that_uses(("host1", "Orders", "r1"), random.Random(seed))
    local = {"name": "r1", "remote_service_name": None, "address": "LOCAL"}
    estate = written(folder / "estate.json", document(TO_PARTS, local))
    known = [
        ("host1", "Orders", "Local", None, "LOCAL"),
        ("host1", "Orders", "ToParts", "Stock", "tcp://host2.example:4022"),
        ("host1", "Orders", "r1", None, "LOCAL"),
        ("host2", "Parts", "Local", None, "LOCAL"),
        ("host2", "msdb", "Local", None, "LOCAL"),
    ]
    log = Path(write_log(rows, folder / "log"))
    _add_dirt(log, rows[0])
    rows += [*_add_events_of_one_name(log, rows[0]), _add_text_of_windows(log, rows[0])]
    # Compiling the plans of fifteen tables takes half a minute; in `make test` those of route, replay and ingest are.
    with as_shipped(spark, is_compiled=IS_ALL):
        found = run(str(log), folder / "out", estate=estate, dates="mdy", encoding="cp1252")
    assert found.counts == {"in": 1_018, "out": 907, "quarantined": 111}
    return rows, folder / "out", known


def _log_that_uses(route: tuple[str, str, str], rng: random.Random) -> list[Json]:
    """Now and then one does not."""
    while True:
        rows = random_log(rng, 900)
        if not naive.unused_routes(rows, [route], 30):
            return rows


def _add_dirt(log: Path, like: Json) -> None:
    """Files and rows that are no events, and a file that came twice."""
    shutil.copy(log / "date=2026-03-01" / "events-3.parquet", log / "copy.parquet")
    content = bytearray((log / "date=2026-03-01" / "events-0.parquet").read_bytes())
    (log / "cut.parquet").write_bytes(content[:-9])
    content[4:400] = bytes(396)
    (log / "damaged inside.parquet").write_bytes(content)
    pq.write_table(pa.table({"x": [1]}), log / "other.parquet")
    bad = {name: value for name, value in like.items() if name not in ("at", "enqueued_at")} | {"source": "bad"}
    at = {"at": BEGIN.isoformat()}
    lines = [{**bad, **at, "host": None}, {**bad, "at": "0000-01-01"}, {**bad, **at, "depth": "deep"}]
    (log / "lines.jsonl").write_text("\n".join([*map(json.dumps, lines), "{"]), encoding="utf-8")


def _add_events_of_one_name(log: Path, like: Json) -> list[Json]:
    """Add files with different events of one name, as only a log has them that somebody has changed; return those that
    count."""
    one = like | {"event_class": 1004, "event_subclass": 3, "error": 9792, "instance": "host9", "source": "one name"}
    for depth in range(1, 6):
        write_log([one | {"depth": depth}, one | {"depth": 0, "position": 1_000 + depth}], log / f"later {depth}")
    return [one | {"depth": 1}, *(one | {"depth": 0, "position": 1_000 + depth} for depth in range(1, 6))]


def _add_text_of_windows(log: Path, like: Json) -> Json:
    """Add a text with a date and letters of Windows; return its event."""
    names = ("source", "position", "host", "instance", "event_class", "event_name", "queue", "depth")
    names += ("event_subclass", "database")
    values = ("x", 1, "m", "Köln", 1004, "BrokerUI:Sample", "dbo.Q", 7, 1, "Größen")
    lines = (("at", *names), (f"{WINDOWS_AT:%m/%d/%Y} 1:05:09 PM", *map(str, values)))
    (log / "log.csv").write_text("".join(f"{','.join(line)}\n" for line in lines), encoding="cp1252")
    return dict.fromkeys(like) | dict(zip(names, values, strict=True)) | {"at": WINDOWS_AT}


@pytest.mark.parametrize("name", TABLES)
def test_each_table_is_what_a_plain_reading_says(measured: tuple[list[Json], Path, Any], name: str) -> None:
    rows, out, _ = measured
    evaluate: Callable[[list[Json]], list[tuple[Any, ...]]] = getattr(naive, name)
    expected = evaluate(rows)
    assert len(expected) > 5
    assert alike(table(out, name), expected)


def test_routes_that_nobody_uses(measured: tuple[list[Json], Path, list[tuple[Any, ...]]]) -> None:
    rows, out, known = measured
    expected = naive.unused_routes(rows, known, 30)
    assert 1 < len(expected) < len(known)
    assert alike(table(out, "unused_routes"), expected)


@pytest.mark.parametrize("name", ["hops", "disagreements"])
def test_predicted_against_observed_with_the_addresses_of_an_estate(
    measured: tuple[list[Json], Path, Any], name: str
) -> None:
    rows, out, _ = measured
    expected = getattr(naive, name)(rows, OWNERS)
    assert len(expected) > 5
    assert alike(table(out, name), expected)


def test_without_an_estate_who_logged_in_is_expected(spark: SparkSession, tmp_path: Path) -> None:
    rows = random_log(random.Random(5), 400)
    log = EventLog(spark.read.schema(EVENT).parquet(write_log(rows, tmp_path / "log")))
    found = next_hops.disagreements(next_hops.compared_hops(log, None)).collect()
    columns = COLUMNS["disagreements"].split()[1:]
    expected = [row[1:] for row in naive.disagreements(rows, None)]
    assert len(expected) > 5
    assert alike([tuple(hashable(row[name]) for name in columns) for row in found], expected)


def test_the_columns_are_those_of_the_log() -> None:
    assert set(EVENT.names) == set(SCHEMA.names)


def test_the_record_says_what_the_log_covers(measured: tuple[list[Json], Path, Any]) -> None:
    rows, out, _ = measured
    record = json.loads((out / "_run.json").read_text())
    moments = [min(row["at"] for row in rows), max(row["at"] for row in rows)]
    assert record["covers"] == [f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z" for at in moments]
    assert set(record["tables"]) == set(COLUMNS)


def test_what_is_no_event_is_in_quarantine_and_the_rest_goes_on(measured: tuple[list[Json], Path, Any]) -> None:
    found = pq.read_table(measured[1] / "_quarantine").to_pylist()
    assert Counter(one["reason"] for one in found) == {
        "duplicate": 104,
        "unreadable": 2,
        "no_event_columns": 1,
        "no_host": 1,
        "bad_at": 1,
        "bad_depth": 1,
        "not_json": 1,
    }
    places = {(Path(one["file"]).name, one["position"], one["reason"]) for one in found if one["reason"] != "duplicate"}
    assert places == {
        ("cut.parquet", None, "unreadable"),
        ("damaged inside.parquet", None, "unreadable"),
        ("other.parquet", None, "no_event_columns"),
        ("lines.jsonl", 1, "no_host"),
        ("lines.jsonl", 2, "bad_at"),
        ("lines.jsonl", 3, "bad_depth"),
        ("lines.jsonl", 4, "not_json"),
    }


def test_of_one_name_the_first_counts_and_the_others_are_kept_apart(measured: tuple[list[Json], Path, Any]) -> None:
    _, out, _ = measured
    (kept,) = {most for *_, instance, _, _, _, most in table(out, "waiting") if instance == "host9"}
    rejected = pq.read_table(out / "_quarantine").to_pylist()
    apart = [json.loads(one["raw"]) for one in rejected if one["reason"] == "duplicate"]
    assert (kept, sorted(one["depth"] for one in apart if one["source"] == "one name")) == (1, [2, 3, 4, 5])


def test_texts_may_have_dates_and_letters_of_windows(measured: tuple[list[Json], Path, Any]) -> None:
    found = [one for one in table(measured[1], "depths") if one[2] == "Köln"]
    assert {one[:4] for one in found} == {
        ("minute", WINDOWS_AT.replace(second=0), "Köln", "Größen"),
        ("hour", WINDOWS_AT.replace(minute=0, second=0), "Köln", "Größen"),
    }
    assert [one[6] for one in found] == [7, 7]


def test_a_side_of_which_the_log_says_much(spark: SparkSession, tmp_path: Path) -> None:
    """Many episodes, many of them at the same moments."""
    rng = random.Random(10)
    side = {"instance": "host1", "conversation_handle": "c1-i"}
    rows = [
        row | side | {"at": BEGIN + rng.randrange(300) * MILLISECOND}
        for row in random_log(rng, 4_000)
        if row["event_class"] in (124, 1001, 1003)
    ]
    expected = naive.episodes(rows)
    write_log(rows, tmp_path / "log")
    log = EventLog(spark.read.schema(EVENT).parquet(str(tmp_path / "log")))
    write_rows(delays.episodes(log), tmp_path / "out" / "episodes")
    assert len(expected) > 50
    assert alike(table(tmp_path / "out", "episodes"), expected)


@pytest.mark.django_db
def test_every_table_is_loaded_into_the_dashboard(measured: tuple[list[Json], Path, Any]) -> None:
    gold_load(str(measured[1]))
    assert {name: TABLES_LOADED[name].objects.count() for name in COLUMNS} == {
        name: pq.read_table(measured[1] / name).num_rows for name in COLUMNS
    }
    (row, *_) = pq.read_table(measured[1] / "episodes").sort_by("began_at").to_pylist()
    first = Episode.objects.filter(conversation_handle=row["conversation_handle"]).earliest("began_at")
    assert (first.began_at, first.cause, first.causes) == (row["began_at"], row["cause"], row["causes"])


def test_a_part_without_files_has_no_rows(spark: SparkSession, tmp_path: Path) -> None:
    """As the events of a log in which nothing happened."""
    found = read_part(spark, tmp_path, EVENTS, [])
    assert (found.count(), found.columns) == (0, EVENT_OF_FILE.names)


@pytest.mark.thorough("parts without files are read, and tables without rows are written when all events are removed")
def test_a_log_in_which_nothing_happened(tmp_path: Path) -> None:
    write_log(random_log(random.Random(8), 1), tmp_path / "log")
    pq.write_table(SCHEMA.empty_table(), tmp_path / "log" / "date=2026-03-01" / "events-0.parquet")
    assert run(str(tmp_path / "log"), tmp_path / "out").counts == {"in": 0, "out": 0, "quarantined": 0}
    assert all(not table(tmp_path / "out", name) for name in TABLES)
