"""An event log whose files come and go, and what a plain reading says of those that are there."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.jobs.telemetry import TABLES, TelemetryOptions, telemetry
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


class ChangingLog:
    """A log whose files come and go, some with rows that are rejected, and what a run says of those that are there."""

    def __init__(self, folder: Path, **options: str) -> None:
        self.log, self.owners = folder / "log", written(folder / "estate.json", document(TO_PARTS, LOCAL))
        self.files: dict[str, list[Json]] = {}
        self.options = options

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

    @property
    def rows(self) -> list[Json]:
        """All events that are there."""
        return [row for rows in self.files.values() for row in rows]

    def run(self, *, is_url: bool = False, has_estate: bool = False) -> tuple[dict[str, int], dict[str, int], int]:
        """Return the counts of a run whose tables are right, its reasons, and how many files it took over."""
        found = run(self.log, is_url=is_url, estate=self.owners if has_estate else None, **self.options)
        assert is_what_all_files_say(self.log, [*self.files.values()], has_estate=has_estate)
        return found.counts, found.reasons, found.extra["taken_over"]
