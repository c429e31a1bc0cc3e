"""The former result of `telemetry` that a run grows from: where its files are no longer those of now, there is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from pipeline.files.parquet import write_table
from pipeline.jobs.telemetry_parts import MEASURED, NAMED_FILES, former_telemetry
from pipeline.jobs.telemetry_removal import names_its_file
from pipeline.results.manifest import FORMAT, table_manifest
from pipeline.results.new_tables import new_tables
from pipeline.results.output_folder import RUN_RECORD
from pipeline.results.run_record import software_versions

Json = dict[str, Any]
ARGUMENTS: Json = {"events": "log", "out": "out", "estate": None, "unused_days": 30, "dates": "", "encoding": ""}

GONE = "run=result-20261127T041200Z-0badcafe/day=2026-03-01/part-0.parquet"


def part_of(record: Json) -> Json:
    found: Json = record["parts"]["measured"]
    return found


def file(name: str, size: int = 1_000, modified: int = 1) -> Json:
    return {"path": f"/log/{name}", "size": size, "modified": modified}


@pytest.fixture
def record(tmp_path: Path) -> Json:
    """The record of a run over three files beside an estate, whose part is there."""
    with new_tables(str(tmp_path)) as result:
        write_table(pa.table({"ms": [1]}), result.folders.table(MEASURED) / "day=2026-03-01" / "part.parquet")
        version = {"path": "estate.json", "sha256": "x", "since": "2026-01-01"}
        about = {
            "format": FORMAT,
            "job": "telemetry",
            "versions": software_versions(),
            "arguments": ARGUMENTS,
            "inputs": [version, file("a"), file("b"), file("c")],
            NAMED_FILES: True,
        }
        result.publish({**about, **table_manifest(result.folders)})
    found: Json = json.loads((tmp_path / RUN_RECORD).read_text())
    return found


def new_files(folder: Path, record: Json, now: list[Json], arguments: Json | None = None) -> list[str] | None:
    """The names of the files that a run reads beside the former result; None: it reads all."""
    (folder / RUN_RECORD).write_text(json.dumps(record))
    found = former_telemetry(str(folder), arguments or ARGUMENTS, now)
    return None if found is None else [Path(now[number]["path"]).name for number in found.new_among(now)]


def test_new_files_alone_are_read_wherever_they_stand(tmp_path: Path, record: Json) -> None:
    now = [file("A"), file("a"), file("b"), file("c")]
    assert new_files(tmp_path, record, now) == ["A"]
    assert new_files(tmp_path, record, now[1:]) == []
    other = ARGUMENTS | {"estate": "e.json", "unused_days": 3, "out": "other"}
    assert new_files(tmp_path, record, now, other) == ["A"], "these change no event"


@pytest.mark.parametrize(
    ("now", "new", "removed"),
    [
        ([file("a"), file("b")], [], {"/log/c"}),
        ([file("a"), file("b"), file("c", size=400)], ["c"], {"/log/c"}),
        ([file("a"), file("b"), file("c", size=400, modified=2)], ["c"], {"/log/c"}),
        ([file("a"), file("b"), file("d", size=400)], ["d"], {"/log/c"}),
    ],
    ids=["one has vanished", "one has another size", "one was written again", "one has another name"],
)
def test_files_that_are_gone_or_changed_are_taken_out(
    tmp_path: Path, record: Json, now: list[Json], new: list[str], removed: set[str]
) -> None:
    assert new_files(tmp_path, record, now) == new
    found = former_telemetry(str(tmp_path), ARGUMENTS, now)
    assert found is not None
    assert found.removed == removed


@pytest.mark.parametrize(
    "now",
    [
        [file("a")],
        [file("a"), file("b"), file("c", modified=2)],
        [file("a"), file("b"), file("c"), file("d", size=1_600)],
    ],
    ids=["most have vanished", "one was written again, which counts twice", "much is new"],
)
def test_with_many_other_files_everything_is_read(tmp_path: Path, record: Json, now: list[Json]) -> None:
    assert new_files(tmp_path, record, now) is None


@pytest.mark.parametrize(
    "change", [lambda record: record.pop(NAMED_FILES), lambda record: record.update(named_files=False)]
)
def test_where_events_do_not_name_their_files_none_is_taken_out(
    tmp_path: Path, record: Json, change: Callable[[Json], None]
) -> None:
    change(record)
    assert new_files(tmp_path, record, [file("a"), file("b")]) is None
    assert new_files(tmp_path, record, [file("a"), file("b"), file("c"), file("d")]) == ["d"]


def test_rows_of_a_link_do_not_name_it(tmp_path: Path) -> None:
    (tmp_path / "log").mkdir()
    for name in ("elsewhere.parquet", "log/a+b 100%.parquet"):
        (tmp_path / name).touch()
    (tmp_path / "log" / "link.parquet").symlink_to(tmp_path / "elsewhere.parquet")
    (tmp_path / "linked").symlink_to(tmp_path / "log")
    for root in (tmp_path / "log", tmp_path / "linked"):
        assert names_its_file(root / "a+b 100%.parquet", root)
        assert not names_its_file(root / "link.parquet", root)


@pytest.mark.parametrize(
    "change",
    [
        lambda record: record.update(format="brokerui.gold/0"),
        lambda record: record.update(job="route"),
        lambda record: record.update(versions={**software_versions(), "brokerui": "0"}),
        lambda record: record.update(arguments=ARGUMENTS | {"dates": "mdy"}),
        lambda record: record.update(arguments=ARGUMENTS | {"encoding": "cp1252"}),
        lambda record: record.update(arguments=ARGUMENTS | {"events": "other"}),
        lambda record: part_of(record)["files"][0].update(bytes=6),
        lambda record: part_of(record)["files"].append({"path": f"{MEASURED}/{GONE}", "rows": 1, "bytes": 1}),
        lambda record: part_of(record).update(version=1),
        lambda record: record.update(parts={"_parts/measured/day=2026-03-01/part.parquet": 5}),
        lambda record: record.pop("parts"),
    ],
)
def test_with_another_result_everything_is_read(tmp_path: Path, record: Json, change: Callable[[Json], None]) -> None:
    change(record)
    assert new_files(tmp_path, record, [file("a"), file("b"), file("c")]) is None


def test_without_a_result_everything_is_read(tmp_path: Path, record: Json) -> None:
    assert former_telemetry(str(tmp_path / "none"), ARGUMENTS, []) is None
    assert new_files(tmp_path, record, [file("a"), file("b"), file("c")]) == []
    (tmp_path / "_run.json").write_text("{")
    assert former_telemetry(str(tmp_path), ARGUMENTS, []) is None
