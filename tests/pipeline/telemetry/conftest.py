"""One run of a log with everything that a log may have, for the tests of its tables and of a log that changes."""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from pipeline.jobs.telemetry import TABLES
from pipeline.results.run_record import JobRun
from tests.extent import IS_ALL
from tests.pipeline.conftest import as_shipped
from tests.pipeline.telemetry import naive
from tests.pipeline.telemetry.changing_log import OWNERS, ChangingLog, Json, grown_log, run
from tests.pipeline.telemetry.event_logs import BEGIN, write_log

WINDOWS_AT = datetime(2026, 3, 1, 13, 5, 9, tzinfo=UTC)
"""Another day where the month stands second."""
LEAST_ROWS = 6
"""Of each table of the first run."""


@dataclass(frozen=True, slots=True)
class FirstRun:
    """A random log, and what the job made of it beside an estate."""

    changing: ChangingLog
    files: list[list[Json]]
    """The events of each file; the last three are not there yet."""
    rows: list[Json]
    """All events of the log."""
    result: Path
    """A copy of the result, which no later run alters."""
    run: JobRun


# Tests with a database run apart from those without, so that the folder is come to twice.
@pytest.fixture(scope="session")
def first_run(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> FirstRun:
    seed = random.getrandbits(32)
    print(f"seed {seed}")  # noqa: T201 - shown when a test fails
    changing = ChangingLog(tmp_path_factory.mktemp("changing"), dates="mdy", encoding="cp1252")
    files = _log_that_uses(("host1", "Orders", "r1"), random.Random(seed))
    changing.add(*files[:8])
    changing.packed(files[8])
    _add_dirt(changing.log, files[0][0])
    changing.repeat(files[0][0], "repeated", "repeated again")
    changing.files["one name"] = _add_events_of_one_name(changing.log, files[0][0])
    changing.files["log"] = [_add_text_of_windows(changing.log, files[0][0])]
    # Compiling the plans of fifteen tables takes half a minute; in `make test` those of route are.
    with as_shipped(spark, is_compiled=IS_ALL):
        found = run(changing.log, is_url=False, estate=changing.owners, **changing.options)
    assert found.counts == {"in": 620, "out": 547, "quarantined": 73}
    result = shutil.copytree(changing.log.with_name("out"), changing.log.with_name("first"))
    return FirstRun(changing, files, changing.rows, result, found)


def _log_that_uses(route: tuple[str, str, str], rng: random.Random) -> list[list[Json]]:
    """Now and then one does not, or has hardly a row for a table."""
    while True:
        files = grown_log(rng)
        rows = [row for rows in files[:9] for row in rows]
        tables = [*(getattr(naive, name)(rows) for name in TABLES), naive.disagreements(rows, OWNERS)]
        if min(map(len, tables)) >= LEAST_ROWS and not naive.unused_routes(rows, [route], 30):
            return files


def _add_dirt(log: Path, like: Json) -> None:
    """Files and rows that are no events, and a file that came twice."""
    shutil.copy(log / "events-00.parquet", log / "copy.parquet")
    content = bytearray((log / "events-01.parquet").read_bytes())
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
