"""`pipeline telemetry`: each table is what a plain reading of the log says, row by row."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

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
from pipeline.telemetry import delays, links, next_hops
from pipeline.telemetry.event_log import EventLog
from pipeline.transforms.events import EVENT_OF_FILE
from tests.pipeline.telemetry import naive
from tests.pipeline.telemetry.changing_log import KNOWN, OWNERS
from tests.pipeline.telemetry.conftest import LEAST_ROWS, WINDOWS_AT, FirstRun
from tests.pipeline.telemetry.event_logs import BEGIN, MILLISECOND, SCHEMA, random_log, write_log
from tests.pipeline.telemetry.tables import COLUMNS, alike, hashable, table

Json = dict[str, Any]
SETTINGS = SparkSettings("local[2]")
pytestmark = pytest.mark.usefixtures("spark")


def run(events: str, out: Path, **rest: Any) -> JobRun:
    return telemetry(TelemetryOptions(events, str(out), **rest), SETTINGS)


@pytest.fixture(scope="session")
def measured(first_run: FirstRun) -> tuple[list[Json], Path]:
    """A random log, and what the job made of it."""
    return first_run.rows, first_run.result


@pytest.mark.parametrize("name", TABLES)
def test_each_table_is_what_a_plain_reading_says(measured: tuple[list[Json], Path], name: str) -> None:
    rows, out = measured
    evaluate: Callable[[list[Json]], list[tuple[Any, ...]]] = getattr(naive, name)
    expected = evaluate(rows)
    assert len(expected) >= LEAST_ROWS
    assert alike(table(out, name), expected)


def test_routes_that_nobody_uses(measured: tuple[list[Json], Path]) -> None:
    rows, out = measured
    expected = naive.unused_routes(rows, KNOWN, 30)
    assert 1 < len(expected) < len(KNOWN)
    assert alike(table(out, "unused_routes"), expected)


@pytest.mark.parametrize("name", ["hops", "disagreements"])
def test_predicted_against_observed_with_the_addresses_of_an_estate(
    measured: tuple[list[Json], Path], name: str
) -> None:
    rows, out = measured
    expected = getattr(naive, name)(rows, OWNERS)
    assert len(expected) >= LEAST_ROWS
    assert alike(table(out, name), expected)


def test_the_peer_of_a_connection_is_the_one_that_logged_in_and_none_whose_login_failed(
    spark: SparkSession, tmp_path: Path
) -> None:
    """In a random log few connections have both."""
    one = dict.fromkeys(SCHEMA.names) | {"source": "a", "instance": "host1", "connection_id": "c", "at": BEGIN}
    kinds = [(138, 6, None), (159, 2, "refused"), (159, 1, "admitted")]
    rows = [
        one | {"position": number, "event_class": kind, "event_subclass": subclass, "peer": peer}
        for number, (kind, subclass, peer) in enumerate(kinds)
    ]
    log = EventLog(spark.read.schema(EVENT).parquet(write_log(rows, tmp_path / "log")))
    assert [row["peer"] for row in links.connections(log).collect()] == ["admitted"]


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


def test_the_record_says_what_the_log_covers(measured: tuple[list[Json], Path]) -> None:
    rows, out = measured
    record = json.loads((out / "_run.json").read_text())
    moments = [min(row["at"] for row in rows), max(row["at"] for row in rows)]
    assert record["covers"] == [f"{at:%Y-%m-%dT%H:%M:%S}.{at.microsecond // 1000:03}Z" for at in moments]
    assert set(record["tables"]) == set(COLUMNS)


def test_what_is_no_event_is_in_quarantine_and_the_rest_goes_on(measured: tuple[list[Json], Path]) -> None:
    found = pq.read_table(measured[1] / "_quarantine").to_pylist()
    assert Counter(one["reason"] for one in found) == {
        "duplicate": 66,
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


def test_of_one_name_the_first_counts_and_the_others_are_kept_apart(measured: tuple[list[Json], Path]) -> None:
    _, out = measured
    (kept,) = {most for *_, instance, _, _, _, most in table(out, "waiting") if instance == "host9"}
    rejected = pq.read_table(out / "_quarantine").to_pylist()
    apart = [json.loads(one["raw"]) for one in rejected if one["reason"] == "duplicate"]
    assert (kept, sorted(one["depth"] for one in apart if one["source"] == "one name")) == (1, [2, 3, 4, 5])


def test_texts_may_have_dates_and_letters_of_windows(measured: tuple[list[Json], Path]) -> None:
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
def test_every_table_is_loaded_into_the_dashboard(measured: tuple[list[Json], Path]) -> None:
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
