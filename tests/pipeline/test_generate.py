"""Invented traffic: the same for the same seed, skewed, with nights, and an hour in which a link failed."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from benchmarks.estates import large_estate
from pipeline.evaluation.timeline import load_timeline
from pipeline.inputs.files import files_below
from pipeline.jobs.generate import GenerateOptions, generate
from pipeline.jobs.sampled_flows import sample_flows
from pipeline.runtime.session import SparkSettings
from pipeline.schemas import COLUMNS
from routing.common.errors import InputError
from tests.pipeline.delta_tables import rows_of
from tests.pipeline.estates import document, written

START = datetime(2026, 1, 5, tzinfo=UTC)
ROWS = 20_000
pytestmark = pytest.mark.usefixtures("spark")


@pytest.fixture(scope="module")
def estate(tmp_path_factory: pytest.TempPathFactory) -> str:
    small = large_estate(instances=10, databases=40, routes=400, names=80)
    return written(tmp_path_factory.mktemp("estate") / "estate.json", small)


def made(estate: str, out: Path, **rest: Any) -> list[dict[str, Any]]:
    generate(
        GenerateOptions(**{"estate": estate, "rows": ROWS, "seed": 1, "out": str(out), "start": START, **rest}),
        SETTINGS,
    )
    return sorted(rows_of(out), key=lambda one: one["conversation_id"])


SETTINGS = SparkSettings("local[2]")


@pytest.fixture(scope="module")
def drawn(spark: SparkSession, estate: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made") / "traffic"
    options = GenerateOptions(estate=estate, rows=ROWS, seed=1, out=str(folder), start=START)
    generate(options, SETTINGS)
    return folder


@pytest.fixture(scope="module")
def rows(drawn: Path) -> list[dict[str, Any]]:
    return rows_of(drawn)


def test_the_same_seed_gives_the_same_rows_and_another_one_others(estate: str, tmp_path: Path) -> None:
    few = {"estate": estate, "out": tmp_path / "one", "rows": 500}
    rows = made(**few)
    assert made(**few) == rows, "in the place of the first"
    assert made(**few, seed=2) != rows
    assert [path.name for path in tmp_path.iterdir()] == ["one"]
    record = json.loads((tmp_path / "one" / "_run.json").read_text())
    assert (record["arguments"]["seed"], record["counts"]["rows"]) == (2, 500)


def test_the_columns_are_those_of_the_traffic_format(rows: list[dict[str, Any]]) -> None:
    assert len(rows) == ROWS
    assert tuple(rows[0]) == COLUMNS
    assert len({one["conversation_id"] for one in rows}) == ROWS
    assert all(one["messages"] >= 1 and one["bytes"] >= 0 for one in rows)
    assert any(one["is_reply"] and one["from_database"] is None for one in rows)


def test_few_flows_have_most_of_the_traffic(rows: list[dict[str, Any]]) -> None:
    """Zipf: the busiest of thousands has far more than its share, and a tenth of them more than half."""
    keys = ("from_instance", "from_database", "from_service", "to_service", "to_broker_instance", "is_reply")
    counts = sorted(Counter(tuple(one[key] for key in keys) for one in rows).values(), reverse=True)
    assert counts[0] > 20 * ROWS / len(counts)
    assert sum(counts[: len(counts) // 10]) > ROWS / 2


def test_nights_are_quiet_and_days_are_not(rows: list[dict[str, Any]]) -> None:
    hours = Counter(one["at"].hour for one in rows)
    assert hours[12] > 3 * hours[0]
    assert {one["at"].date().day for one in rows} == set(range(5, 12))


def test_there_are_bursts(rows: list[dict[str, Any]]) -> None:
    minutes = sorted(Counter(one["at"].replace(second=0, microsecond=0) for one in rows).values())
    assert minutes[-1] > 3 * minutes[len(minutes) // 2]


def test_rows_come_in_the_order_of_time(drawn: Path) -> None:
    """To the minute, as in a log; but for those of the link that failed, which come late."""
    files = files_below(str(drawn))
    minutes = [one["at"].replace(second=0, microsecond=0) for path in files for one in pq.read_table(path).to_pylist()]
    late = [minute for minute in minutes if minute.replace(minute=0) == START + timedelta(hours=12)]
    others = [minute for minute in minutes if minute not in late]
    assert len(others) > 0.95 * ROWS
    assert others == sorted(others)


def test_one_link_fails_for_an_hour_and_catches_up(rows: list[dict[str, Any]]) -> None:
    """No conversation of that instance begins from 11 to 12 on the first day; what waited begins right after."""
    first = [one for one in rows if one["at"].date() == START.date()]
    hours = Counter((one["from_instance"], one["at"].hour) for one in first)
    silent = [name for name, hour in hours if hour == 10 and (name, 11) not in hours and hours[name, 12] > 30]
    assert len(silent) == 1
    soon = [one for one in first if one["from_instance"] == silent[0] and one["at"].hour == 12]
    assert sum(one["at"].minute < 5 for one in soon) > len(soon) / 3


def test_what_is_no_result_is_left_alone(estate: str, tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("mine")
    with pytest.raises(InputError, match="holds something else"):
        made(estate, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["precious.txt"]


def test_flows_need_no_spark_and_are_different(estate: str) -> None:
    drawn = sample_flows(load_timeline(estate).versions[0].estate, 500, 3)
    assert len(set(drawn)) == len(drawn) == 500


def test_an_estate_without_services_has_no_traffic(tmp_path: Path) -> None:
    bare = document()
    for instance in bare["instances"]:
        for database in instance["databases"]:
            database["services"] = []
    with pytest.raises(InputError, match="nothing to send to"):
        made(written(tmp_path / "bare.json", bare), tmp_path / "traffic")
