"""`pipeline telemetry` of a log that changed: only new files are read, the tables are those of all that are there."""

from __future__ import annotations

import gzip
import json
import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.jobs.telemetry import TABLES, TelemetryOptions, telemetry
from pipeline.results import merging
from pipeline.results.run_record import JobRun
from pipeline.runtime.session import SparkSettings
from tests.extent import IS_ALL
from tests.pipeline.estates import TO_PARTS, document, written
from tests.pipeline.telemetry import naive
from tests.pipeline.telemetry.event_logs import HOPS, SCHEMA, random_log
from tests.pipeline.telemetry.tables import alike, table

Json = dict[str, Any]
FILES, EVENTS_OF_FILE, GROUPS = 12, 60, 6
GROUP_APART = timedelta(hours=11)
FILES_OF_RUN = 2
"""Files that a run adds to a partition, one for each task."""
OWNERS = {address: name for address, name in HOPS.items() if name != "host3"}
LOCAL = {"name": "r1", "remote_service_name": None, "address": "LOCAL"}
KNOWN = [
    ("host1", "Orders", "Local", None, "LOCAL"),
    ("host1", "Orders", "ToParts", "Stock", "tcp://host2.example:4022"),
    ("host1", "Orders", "r1", None, "LOCAL"),
    ("host2", "Parts", "Local", None, "LOCAL"),
    ("host2", "msdb", "Local", None, "LOCAL"),
]
"""The routes of the estate."""
pytestmark = pytest.mark.usefixtures("spark")


def grown_log(rng: random.Random) -> list[list[Json]]:
    """Files of events, most of each file of a group of conversations and connections with hours of its own, and some of
    any: late ones."""
    rows = random_log(rng, FILES * EVENTS_OF_FILE)
    rng.shuffle(rows)
    for number, row in enumerate(rows):
        file, position = divmod(number, EVENTS_OF_FILE)
        group = file * GROUPS // FILES if rng.random() < 0.9 else rng.randrange(GROUPS)
        row |= {"source": f"events-{file:02}", "position": position, "at": row["at"] + group * GROUP_APART}
        for name in ("conversation_id", "conversation_handle", "connection_id"):
            if row.get(name) is not None:
                row[name] = f"{row[name]}/{group}"
    return [rows[begin : begin + EVENTS_OF_FILE] for begin in range(0, len(rows), EVENTS_OF_FILE)]


def add(log: Path, rows: list[Json]) -> Path:
    """A file of the log."""
    log.mkdir(exist_ok=True)
    file = log / f"{rows[0]['source']}.parquet"
    pq.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), file)
    return file


def run(log: Path, *, is_url: bool, **more: Any) -> JobRun:
    """A run into the folder beside the log, by its path or its URL."""
    out = log.with_name("out")
    options = TelemetryOptions(str(log), out.as_uri() if is_url else str(out), **more)
    return telemetry(options, SparkSettings("local[2]"))


def expected(rows: list[Json], *, has_estate: bool) -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    """Each table by a plain reading of all events."""
    for name in TABLES:
        evaluate: Callable[[list[Json]], list[tuple[Any, ...]]] = getattr(naive, name)
        yield name, evaluate(rows)
    owners = OWNERS if has_estate else None
    yield "hops", naive.hops(rows, owners)
    yield "disagreements", naive.disagreements(rows, owners)
    if has_estate:
        yield "unused_routes", naive.unused_routes(rows, KNOWN, 30)


def is_what_all_files_say(log: Path, files: list[list[Json]], *, has_estate: bool = False) -> bool:
    rows = [row for file in files for row in file]
    return all(alike(table(log.with_name("out"), name), found) for name, found in expected(rows, has_estate=has_estate))


def files_of_parts(log: Path) -> Counter[tuple[str, str]]:
    """The number of files of each partition of each part."""
    record: Json = json.loads((log.with_name("out") / "_run.json").read_text())
    paths = [(name, Path(file["path"])) for name, about in record["parts"].items() for file in about["files"]]
    return Counter((name, path.parent.name) for name, path in paths if name != "uses")


# Without true random numbers the first example is always the same.
@settings(max_examples=6 if IS_ALL else 1, deadline=None)
@given(rng=st.randoms(use_true_random=True))
def test_files_that_come_in_any_order_give_what_all_of_them_say(rng: random.Random) -> None:
    files, order = grown_log(rng), rng.sample(range(FILES), FILES)
    arrivals = (8, rng.randint(9, 11), FILES) if IS_ALL else (rng.randint(8, 11), FILES)
    few = rng.choice((2, 3, merging.FEW)) if IS_ALL else 2
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


def test_rows_of_new_files_go_into_quarantine_and_an_event_that_came_before_has_all_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "FEW", 2)
    log, rows = tmp_path / "log", random_log(random.Random(4), 320)
    files = [rows[begin : begin + 100] for begin in range(0, 320, 100)]
    for file in files[:3]:
        add(log, file)
    (log / "bad.jsonl").write_text('{"source": "bad"}\n{\n')
    (log / "bad.parquet").write_text("PAR1")
    assert run(log, is_url=True).counts == {"in": 303, "out": 300, "quarantined": 3}
    add(log, files[3])
    (log / "worse.jsonl").write_text("{\n")
    found = run(log, is_url=True)
    assert (found.counts, found.extra["taken_over"]) == ({"in": 324, "out": 320, "quarantined": 4}, 5)
    assert found.reasons == {"no_position": 1, "not_json": 2, "unreadable": 1}
    runs = {file["path"].split("/")[1] for file in found.as_json()["_quarantine"]["files"]}
    assert len(runs) == 1, "rows of the first run are written again beside those of the second"
    assert max(files_of_parts(log).values()) <= 1 + FILES_OF_RUN
    assert is_what_all_files_say(log, files)
    again = files[0][0] | {"text": "another"}
    pq.write_table(pa.Table.from_pylist([again], schema=SCHEMA), log / "a file before all others.parquet")
    found = run(log, is_url=True)
    assert (found.counts, found.extra["taken_over"]) == ({"in": 325, "out": 320, "quarantined": 5}, 0)
    assert found.reasons == {"duplicate": 1, "no_position": 1, "not_json": 2, "unreadable": 1}


# Without true random numbers the first example is always the same.
@settings(max_examples=6 if IS_ALL else 1, deadline=None)
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
        for number in range(3 if IS_ALL else 1):
            gone, changed = rng.sample(there, 2)
            (log / f"{gone}.parquet").unlink()
            files[changed] = files[changed][rng.randrange(3) :]
            new = [away.pop(rng.randrange(len(away)))] if away and rng.random() < 0.7 else []
            for name in (changed, *new):
                add(log, files[name])
            there = [name for name in (*there, *new) if name != gone]
            away = [*away, gone] if IS_ALL else away
            has_estate = rng.random() < 0.6
            found = run(log, is_url=number % 2 == 1, estate=estate if has_estate else None)
            assert found.extra["taken_over"] == len(there) - len(new) - 1
            events = sum(len(files[name]) for name in there)
            assert found.counts == {"in": events, "out": events, "quarantined": 0}
            assert is_what_all_files_say(log, [files[name] for name in there], has_estate=has_estate)


def test_rejected_rows_go_with_their_files_and_an_event_that_another_file_has_too_has_all_read(tmp_path: Path) -> None:
    log, rows = tmp_path / "log", random_log(random.Random(5), 500)
    files = [rows[begin : begin + 100] for begin in range(0, 500, 100)]
    for file in files[:4]:
        add(log, file)
    with gzip.open(log / "packed.jsonl.gz", "wt", encoding="utf-8") as packed:
        packed.writelines(f"{json.dumps(row, default=str)}\n" for row in files[4])
    (log / "bad.jsonl").write_text('{"source": "bad"}\n{\n')
    (log / "broken.parquet").write_text("PAR1")
    again = pa.Table.from_pylist([files[0][0]], schema=SCHEMA)
    for name in ("repeated", "repeated again"):
        pq.write_table(again, log / f"{name}.parquet")
    assert run(log, is_url=False).reasons == {"duplicate": 2, "no_position": 1, "not_json": 1, "unreadable": 1}

    def without(*names: str) -> JobRun:
        for name in names:
            (log / name).unlink()
        return run(log, is_url=False)

    found = without("bad.jsonl", "broken.parquet", "repeated again.parquet", "packed.jsonl.gz", "events-1.parquet")
    assert found.reasons == {"duplicate": 1}
    assert (found.counts, found.extra["taken_over"]) == ({"in": 301, "out": 300, "quarantined": 1}, 4)
    assert is_what_all_files_say(log, [files[0], *files[2:4]])
    found = without("events-0.parquet")
    assert (found.counts, found.extra["taken_over"]) == ({"in": 201, "out": 201, "quarantined": 0}, 0)
    assert is_what_all_files_say(log, [files[0][:1], *files[2:4]])
