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
            new = [away.pop(rng.randrange(len(away)))] if away and rng.random() < 0.7 else []
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


class ChangingLog:
    """A log whose files come and go, some with rows that are rejected, and what a run says of those that are there."""

    def __init__(self, folder: Path) -> None:
        self.log, self.owners = folder / "log", written(folder / "estate.json", document(TO_PARTS, LOCAL))
        self.files: dict[str, list[Json]] = {}

    def add(self, *files: list[Json]) -> None:
        for rows in files:
            add(self.log, rows)
            self.files[rows[0]["source"]] = rows

    def remove(self, *names: str) -> None:
        """Remove files of any kind."""
        for name in names:
            (self.log / name).unlink()
            self.files.pop(name.partition(".")[0], None)

    def packed(self, rows: list[Json]) -> None:
        """Add a text with the rows of a file."""
        self.files["packed"] = rows
        with gzip.open(self.log / "packed.jsonl.gz", "wt", encoding="utf-8") as packed:
            packed.writelines(f"{json.dumps(row, default=str)}\n" for row in rows)

    def repeat(self, row: Json, *names: str) -> None:
        """Add files with an event that another file has too."""
        for name in names:
            pq.write_table(pa.Table.from_pylist([row], schema=SCHEMA), self.log / f"{name}.parquet")

    def run(self, *, is_url: bool = False, has_estate: bool = False) -> tuple[dict[str, int], dict[str, int], int]:
        """Return the counts of a run whose tables are right, its reasons, and how many files it took over."""
        found = run(self.log, is_url=is_url, estate=self.owners if has_estate else None)
        assert is_what_all_files_say(self.log, [*self.files.values()], has_estate=has_estate)
        return found.counts, found.reasons, found.extra["taken_over"]


def test_a_log_that_changes_gives_what_those_files_say_that_are_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "FEW", 2)
    rng = random.Random(random.getrandbits(64))
    files, changing = grown_log(rng), ChangingLog(tmp_path)
    changing.add(*files[:8])
    changing.packed(files[8])
    (changing.log / "bad.jsonl").write_text('{"source": "bad"}\n{\n')
    (changing.log / "bad.parquet").write_text("PAR1")
    changing.repeat(files[0][0], "repeated", "repeated again")
    reasons = {"duplicate": 2, "no_position": 1, "not_json": 1, "unreadable": 1}
    assert changing.run(has_estate=True) == ({"in": 545, "out": 540, "quarantined": 5}, reasons, 0)

    changing.add(*files[9:])
    (changing.log / "worse.jsonl").write_text("{\n")
    reasons["not_json"] = 2
    assert changing.run(is_url=True, has_estate=True) == ({"in": 726, "out": 720, "quarantined": 6}, reasons, 13)
    record: Json = json.loads((changing.log.with_name("out") / "_run.json").read_text())
    runs = {file["path"].split("/")[1] for file in record["_quarantine"]["files"]}
    assert len(runs) == 1, "rows of the first run are written again beside those of the second"
    assert max(files_of_parts(changing.log).values()) <= 1 + FILES_OF_RUN

    changing.remove("events-03.parquet", "packed.jsonl.gz", "bad.jsonl", "bad.parquet", "repeated again.parquet")
    changing.add(files[5][2:])
    counts = {"in": 600, "out": 598, "quarantined": 2}
    assert changing.run(has_estate=rng.random() < 0.6) == (counts, {"duplicate": 1, "not_json": 1}, 11)


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
