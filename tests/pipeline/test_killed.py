"""Killed in the middle of a write: the next run gives what an undisturbed one gives, and nothing twice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.cli import main
from pipeline.lake.lake import Lake
from pipeline.schemas import COLUMNS
from tests.extent import IS_ALL
from tests.pipeline.delta_tables import names_beside_tables, table_of
from tests.pipeline.estates import TO_PARTS, document, row, written
from tests.pipeline.processes import is_writing_rows, java_killed_when

ROWS = 20_000
pytestmark = [pytest.mark.usefixtures("spark"), pytest.mark.slow]


@pytest.fixture(scope="module")
def given(spark: object, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    """An estate and enough traffic that writing it takes a while."""
    folder = tmp_path_factory.mktemp("given")
    estate = written(folder / "estate.json", document(TO_PARTS))
    (folder / "traffic").mkdir()
    start, minute = datetime(2026, 1, 5, tzinfo=UTC), timedelta(minutes=1)
    rows = [row(number, at=start + number * minute, bytes=number) for number in range(ROWS)]
    pq.write_table(pa.Table.from_pylist(rows), folder / "traffic" / "rows.parquet")
    return estate, str(folder / "traffic")


def job(name: str, given: tuple[str, str], out: Path) -> list[str]:
    estate, traffic = given
    arguments = {"ingest": ["--in", traffic], "route": ["--estate", estate, "--traffic", traffic]}[name]
    return [name, *arguments, "--out", str(out)]


def rows(name: str, out: Path) -> pa.Table:
    if name == "route":
        return table_of(out).sort_by("conversation_id")
    folders = Lake(out).folders("silver")
    return pa.concat_tables([pq.read_table(folder) for folder in folders]).sort_by("conversation_id")


def named(out: Path) -> set[str]:
    """What stands in a result beside its rows."""
    return {name for name in names_beside_tables(out) if "/" not in name}


@pytest.mark.parametrize(
    "name", ["ingest", pytest.param("route", marks=pytest.mark.thorough("ingest is killed at the same place"))]
)
def test_the_next_run_gives_the_same_as_an_undisturbed_one(name: str, given: tuple[str, str], tmp_path: Path) -> None:
    out, undisturbed = tmp_path / "killed" / "out", tmp_path / "undisturbed"
    status, output = java_killed_when(lambda: is_writing_rows(tmp_path / "killed"), job(name, given, out))
    assert status == 1
    assert output == "error: Spark: ended before the job was done; nothing was published\n"
    assert not (out / "_run.json").exists()
    assert main(job(name, given, out)) == 0
    found = rows(name, out)
    assert found.num_rows == ROWS
    assert found.select(COLUMNS).to_pylist() == pq.read_table(given[1]).sort_by("conversation_id").to_pylist()
    if IS_ALL:
        assert main(job(name, given, undisturbed)) == 0
        assert found.equals(rows(name, undisturbed))
        assert named(out) == named(undisturbed)
    assert [path.name for path in out.parent.iterdir()] == ["out"]
