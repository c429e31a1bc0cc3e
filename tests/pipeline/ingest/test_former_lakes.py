"""Lakes of before `silver` was a Delta table: jobs read them, and the first run that writes takes their runs over."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from pipeline.cli import main
from pipeline.files.location import location
from pipeline.jobs.ingest import IngestOptions, ingest
from pipeline.lake.lake import Lake
from pipeline.runtime.session import SparkSettings
from tests.pipeline.delta_tables import rows_of
from tests.pipeline.estates import TO_PARTS, document, row, written

Json = dict[str, Any]
SETTINGS = SparkSettings("local[2]")
pytestmark = pytest.mark.usefixtures("spark")


def plain(lake: Path, name: str, number: int, record: Json) -> Json:
    """Return the record of a run of a plain folder, whose folders had its number."""
    for table in lake.iterdir():
        if (table / name).is_dir():
            (table / name).rename(table / f"run={number:06}")
    return {field: value for field, value in record.items() if field not in ("folder", "files")}


def behind_a_url(lake: Path, name: str, _number: int, record: Json) -> Json:
    """Return the record of a run behind a URL, which named its folder and the files of each table."""
    folder = lake / "silver" / name
    files = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*.parquet"))]
    return {**record, "files": {**record["files"], **({"silver": files} if files else {})}}


def made_former(lake: Path, kind: Callable[[Path, str, int, Json], Json]) -> None:
    """Give a lake the format that it had before."""
    found = Lake(lake).opened().state
    assert found is not None
    for run in found.runs:
        (lake / "_commits" / f"{run.name}.json").unlink()
        record = kind(lake, run.name, run.number, dict(run.record))
        (lake / "_commits" / f"run={run.number:06}.json").write_text(json.dumps(record), encoding="utf-8")
    shutil.rmtree(lake / "silver" / "_delta_log")
    (lake / "_commits" / "_lake").unlink()


@pytest.fixture
def former(request: pytest.FixtureRequest, three_runs: Path, tmp_path: Path) -> Path:
    """A copy of a lake in a former format, without the files that it has read."""
    shutil.copytree(three_runs, tmp_path / "lake")
    made_former(tmp_path / "lake", request.param)
    return tmp_path / "lake"


def formats(seldom: Callable[[Path, str, int, Json], Json]) -> pytest.MarkDecorator:
    """Both formats; `make test` reads each by one test."""
    reason = "the other test reads this format, and by the same steps"
    both = {"plain": plain, "behind a URL": behind_a_url}
    params = [
        pytest.param(kind, id=name, marks=pytest.mark.thorough(reason) if kind is seldom else ())
        for name, kind in both.items()
    ]
    return pytest.mark.parametrize("former", params, indirect=True)


def names(lake: Path) -> list[str]:
    files = Lake(lake).files("silver")
    return sorted(name for file in files for name in pq.ParquetFile(str(file)).read()["conversation_id"].to_pylist())


def routed(lake: Path, out: str) -> tuple[list[str], Json]:
    estate = written(lake.parent / "estate.json", document(TO_PARTS))
    assert main(["route", "--estate", estate, "--traffic", str(lake), "--out", str(lake.parent / out)]) == 0
    record: Json = json.loads((lake.parent / out / "_run.json").read_text(encoding="utf-8"))
    return sorted(map(str, rows_of(lake.parent / out))), record


@formats(seldom=behind_a_url)
def test_a_former_lake_is_read_as_it_stands_and_the_first_run_takes_it_over(former: Path) -> None:
    before = sorted(path for path in former.rglob("*"))
    assert names(former) == ["c1", "c2", "c3"]
    assert len(Lake(former).commits()) == 3
    assert len(Lake(former).sums()) == 2
    assert sorted(path for path in former.rglob("*")) == before
    written(former.parent / "in" / "new.jsonl", [row(1), row(4)])
    run = ingest(IngestOptions(str(former.parent / "in"), str(former)), SETTINGS)
    assert (run.counts, run.reasons) == ({"in": 2, "out": 1, "quarantined": 1}, {"duplicate": 1})
    assert names(former) == ["c1", "c2", "c3", "c4"]
    assert sorted(DeltaTable(former / "silver").to_pyarrow_table()["conversation_id"].to_pylist()) == names(former)
    state = Lake(former).opened().state
    assert state is not None
    assert [(one.name, one.is_former) for one in state.runs[:3]] == [(f"run={n:06}", False) for n in (1, 2, 3)]
    assert (state.version, state.runs[3].number) == (0, 4)
    again = ingest(IngestOptions(str(former.parent / "in"), str(former)), SETTINGS)
    assert again.counts == {"in": 0, "out": 0, "quarantined": 0}


@pytest.mark.thorough("a route takes over what lies apart, and runs that were taken over are runs like others")
@formats(seldom=behind_a_url)
def test_a_result_of_a_former_lake_goes_on_after_it_was_taken_over(former: Path) -> None:
    before = sorted(path for path in former.rglob("*"))
    first, record = routed(former, "out")
    assert (len(first), record["counts"]["out"]) == (3, 3)
    assert sorted(path for path in former.rglob("*")) == before
    written(former.parent / "in" / "new.jsonl", [row(4)])
    ingest(IngestOptions(str(former.parent / "in"), str(former)), SETTINGS)
    rows, record = routed(former, "out")
    assert set(first) < set(rows)
    assert record["taken_over"]


@formats(seldom=plain)
def test_a_former_lake_is_taken_over_by_its_url_and_what_a_killed_run_left_is_cleared_away(former: Path) -> None:
    shutil.copytree(next((former / "silver").glob("run=*")), former / "silver" / "run=000009")
    written(former.parent / "in" / "new.jsonl", [row(4)])
    url = former.as_uri()
    assert ingest(IngestOptions(str(former.parent / "in"), url), SETTINGS).counts["out"] == 1
    assert names(former) == ["c1", "c2", "c3", "c4"]
    assert not (former / "silver" / "run=000009").exists()
    assert [run.name for run in Lake(location(url)).opened().state.runs] == [*Lake(former).commits()]  # type: ignore[union-attr]  # it was opened
