"""`pipeline telemetry` of a log that changed: only new files are read, the tables are those of all that are there."""

from __future__ import annotations

import json
import random
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from pipeline.jobs.telemetry import TelemetryOptions, _TelemetryJob, telemetry
from pipeline.jobs.telemetry_parts import EVENTS, REPEATED, USES, FormerTelemetry, former_telemetry
from pipeline.jobs.telemetry_removal import RepeatedEventError, remainder
from pipeline.jobs.telemetry_tables import TableWriter
from pipeline.results import merging
from pipeline.results.new_tables import NewTables, new_tables
from pipeline.results.output_folder import QUARANTINE, write_rows
from pipeline.results.run_record import JobRun
from pipeline.runtime.session import SparkSettings
from pipeline.schemas import EVENT
from pipeline.telemetry.touched import NO_HOURS
from pipeline.transforms.events import FILE
from tests.pipeline.estates import TO_PARTS, document, written
from tests.pipeline.telemetry import naive
from tests.pipeline.telemetry.changing_log import (
    EVENTS_OF_FILE,
    FILES,
    FILES_OF_RUN,
    LOCAL,
    ChangingLog,
    Json,
    add,
    files_of_parts,
    grown_log,
    is_what_all_files_say,
    run,
)
from tests.pipeline.telemetry.conftest import FirstRun
from tests.pipeline.telemetry.event_logs import random_log

pytestmark = pytest.mark.usefixtures("spark")


@pytest.mark.thorough("one log comes, changes and goes in `make test`, with hours and conversations at random")
# Without true random numbers the first example is always the same.
@settings(max_examples=6, deadline=None)
@given(rng=st.randoms(use_true_random=True))
def test_files_that_come_in_any_order_give_what_all_of_them_say(rng: random.Random) -> None:
    files, order = grown_log(rng), rng.sample(range(FILES), FILES)
    arrivals = (8, rng.randint(9, 11), FILES)
    few = rng.choice((2, 3, merging.FEW))
    with tempfile.TemporaryDirectory() as folder, patch.object(merging, "FEW", few):
        log = Path(folder) / "log"
        estate = written(Path(folder) / "estate.json", document(TO_PARTS, LOCAL))
        arrived: list[list[Json]] = []
        for number, until in enumerate(arrivals):
            has_estate = rng.random() < 0.6
            new = [files[place] for place in order[len(arrived) : until]]
            for file in new:
                add(log, file)
            known = len(arrived)
            arrived += new
            found = run(log, is_url=number % 2 == 1, estate=estate if has_estate else None)
            assert found.extra["taken_over"] == known
            events = EVENTS_OF_FILE * len(arrived)
            assert found.counts == {"in": events, "out": events, "quarantined": 0}
            assert is_what_all_files_say(log, arrived, has_estate=has_estate)
            assert max(files_of_parts(log).values()) <= few - 1 + FILES_OF_RUN


@pytest.mark.thorough("one log comes, changes and goes in `make test`, with hours and conversations at random")
# Without true random numbers the first example is always the same.
@settings(max_examples=6, deadline=None)
@given(rng=st.randoms(use_true_random=True))
def test_files_that_come_and_go_give_what_those_say_that_are_there(rng: random.Random) -> None:
    files = {rows[0]["source"]: rows for rows in grown_log(rng)}
    names = rng.sample(sorted(files), FILES)
    there, away = names[:9], names[9:]
    with tempfile.TemporaryDirectory() as folder, patch.object(merging, "FEW", rng.choice((2, merging.FEW))):
        log = Path(folder) / "log"
        estate = written(Path(folder) / "estate.json", document(TO_PARTS, LOCAL))
        for name in there:
            add(log, files[name])
        run(log, is_url=False)
        for number in range(3):
            gone, changed = rng.sample(there, 2)
            (log / f"{gone}.parquet").unlink()
            files[changed] = files[changed][rng.randrange(3) :]
            # Of fewer files more than half would be other ones, and all would be read again.
            new = [away.pop(rng.randrange(len(away)))] if len(there) > 8 and rng.random() < 0.7 else []
            for name in (changed, *new):
                add(log, files[name])
            there = [name for name in (*there, *new) if name != gone]
            away.append(gone)
            has_estate = rng.random() < 0.6
            found = run(log, is_url=number % 2 == 1, estate=estate if has_estate else None)
            assert found.extra["taken_over"] == len(there) - len(new) - 1
            events = sum(len(files[name]) for name in there)
            assert found.counts == {"in": events, "out": events, "quarantined": 0}
            assert is_what_all_files_say(log, [files[name] for name in there], has_estate=has_estate)


def test_a_log_that_changes_gives_what_those_files_say_that_are_there(
    first_run: FirstRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first run has read all kinds of files, and rejected all kinds of rows."""
    monkeypatch.setattr(merging, "FEW", 2)
    files, changing = first_run.files, first_run.changing
    changing.add(*files[9:])
    (changing.log / "worse.jsonl").write_text("{\n")
    changing.remove("events-03.parquet", "packed.jsonl.gz", "lines.jsonl", "repeated again.parquet")
    changing.add(files[5][2:])
    counts = {"in": 674, "out": 605, "quarantined": 69}
    reasons = {"duplicate": 65, "unreadable": 2, "no_event_columns": 1, "not_json": 1}
    assert changing.run(is_url=True, has_estate=random.random() < 0.6) == (counts, reasons, 17)
    record: Json = json.loads((changing.log.with_name("out") / "_run.json").read_text())
    runs = {file["path"].split("/")[1] for file in record["_quarantine"]["files"]}
    assert len(runs) == 1, "rows of the first run are written again beside those of the second"
    assert max(files_of_parts(changing.log).values()) <= 1 + FILES_OF_RUN


def writer_of(former: FormerTelemetry, spark: SparkSession, result: NewTables) -> TableWriter:
    """Return the writer of a run that has written its new events."""
    return _TelemetryJob(spark, TelemetryOptions("", ""), None, result, JobRun("telemetry", {}))._writer(former)


def test_of_a_log_that_only_grows_all_files_are_kept_and_what_was_used_last_is_known_of_all(
    first_run: FirstRun, spark: SparkSession, tmp_path: Path
) -> None:
    """Its tables are written by the same steps as those of a log that has lost files, too."""
    former, new = former_without(first_run), str(add(tmp_path / "log", first_run.files[9]))
    with new_tables(str(first_run.result)) as result:
        events = spark.read.schema(EVENT).parquet(new).withColumn(FILE, F.lit(f"file:{new}"))
        write_rows(events, result.folders.table(EVENTS), "event_class")
        writer = writer_of(former, spark, result)
        assert writer.growth is not None
        assert (writer.growth.removed_hours, writer.rows_kept, writer.kept) == (
            NO_HOURS,
            620,
            {name: former.files[name] for name in (EVENTS, QUARANTINE, REPEATED)},
        )
        assert writer.log.events.count() == 547 + EVENTS_OF_FILE
        writer._write_uses()
        found = {tuple(row)[:3]: tuple(row)[3].replace(tzinfo=UTC) for row in writer.read(USES).collect()}
    assert found == last_uses([*first_run.rows, *first_run.files[9]])


def last_uses(rows: list[Json]) -> dict[tuple[str, str, str], datetime]:
    uses = sorted(naive._uses(rows), key=naive.order)
    return {(one["instance"], one["database"], one["route"]): one["at"] for one in uses}


def former_without(first_run: FirstRun, *names: str) -> FormerTelemetry:
    """Return the first result for a log in which these files are no more."""
    record: Json = json.loads((first_run.result / "_run.json").read_text())
    files = [one for one in record["inputs"] if "size" in one and Path(one["path"]).name not in names]
    former = former_telemetry(str(first_run.result), record["arguments"], files)
    assert former is not None
    assert sorted(Path(path).name for path in former.removed) == [*names]
    return former


def test_an_event_of_a_new_file_that_came_before_has_all_files_read(first_run: FirstRun, spark: SparkSession) -> None:
    former = former_without(first_run)
    with new_tables(str(first_run.result)) as result:
        write_rows(former.part(spark, EVENTS).limit(1), result.folders.table(EVENTS), "event_class")
        with pytest.raises(RepeatedEventError):
            writer_of(former, spark, result)


def test_an_event_of_a_removed_file_that_another_has_too_has_all_files_read(
    first_run: FirstRun, spark: SparkSession
) -> None:
    """Those of the removed file came first."""
    former = former_without(first_run, "copy.parquet")
    with new_tables(str(first_run.result)) as result, pytest.raises(RepeatedEventError):
        remainder(spark, former, result.folders, first_run.changing.log)


def test_after_an_event_that_is_in_several_files_nothing_is_kept_and_all_of_them_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a job that finds it once it has begun to write."""
    for rows in (random_log(random.Random(5), 100), random_log(random.Random(6), 200)[100:]):
        add(tmp_path / "log", rows)
    read: list[tuple[int, bool]] = []

    def write(self: Any, files: list[Any], former: Any) -> None:
        read.append((len(files), any(self.result.folders.table("depths").parent.rglob("left"))))
        left = self.result.folders.table("depths") / "left"
        left.parent.mkdir(parents=True)
        left.touch()
        if former is not None:
            raise RepeatedEventError

    former = SimpleNamespace(new_among=lambda _: [1])
    monkeypatch.setattr("pipeline.jobs.telemetry.former_telemetry", lambda *_: former)
    monkeypatch.setattr(_TelemetryJob, "_write", write)
    options = TelemetryOptions(str(tmp_path / "log"), str(tmp_path / "out"))
    assert telemetry(options, SparkSettings("local[2]")).extra["taken_over"] == 0
    assert read == [(1, False), (2, False)]


@pytest.mark.thorough("each way to find an event of several files has a test, and so has the run that follows")
def test_where_an_event_is_in_several_files_all_of_them_are_read_again(tmp_path: Path) -> None:
    rows = random_log(random.Random(5), 300)
    files, changing = [rows[begin : begin + 100] for begin in range(0, 300, 100)], ChangingLog(tmp_path)
    changing.add(*files)
    changing.repeat(files[0][0], "repeated")
    assert changing.run() == ({"in": 301, "out": 300, "quarantined": 1}, {"duplicate": 1}, 0)
    changing.remove("events-0.parquet")
    changing.files["repeated"] = files[0][:1]
    assert changing.run() == ({"in": 201, "out": 201, "quarantined": 0}, {}, 0), "that of the removed file came first"
    changing.repeat(files[1][0] | {"text": "another"}, "a file before all others")
    assert changing.run() == ({"in": 202, "out": 201, "quarantined": 1}, {"duplicate": 1}, 0)
