"""`pipeline lake history`, `compact` and `vacuum`: the rows stay, and `route` still knows which of them are new."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest
from deltalake import DeltaTable, Field
from pyspark.sql import SparkSession

from pipeline.cli import main
from pipeline.jobs.ingest import IngestOptions, ingest
from pipeline.jobs.lake_compact import CompactOptions, compact_lake
from pipeline.lake.lake import Lake
from pipeline.runtime.session import SparkSettings
from tests.extent import IS_ALL
from tests.pipeline.delta_tables import delta_tables, rows_of
from tests.pipeline.estates import TO_PARTS, document, row, written

Json = dict[str, Any]
SETTINGS = SparkSettings("local[2]")
DAYS = ("2026-03-01", "2026-03-02", "2026-03-03")
OF_URLS = "it is compacted by its URL, and read by its path"
pytestmark = pytest.mark.usefixtures("spark")


def came(folder: Path, number: int, days: Sequence[str] = DAYS) -> None:
    """A run with two new rows on each of these days, another on the first day, and one that came before."""
    new = [
        row(100 * number + 10 * day + one, at=f"{name}T{12 - number:02}:0{one}:00Z")
        for day, name in enumerate(DAYS)
        for one in range(2)
        if name in days
    ]
    rows = [*new, row(110, at="2026-03-02T11:00:00Z"), row(900 + number, to="Nobody", at=f"{DAYS[0]}T00:00:00Z")]
    ingest(IngestOptions(written(folder / "in" / f"{number}.jsonl", rows), str(folder / "lake")), SETTINGS)


@pytest.fixture(scope="module")
def busy_lake(spark: object, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A lake of three runs that no test alters."""
    folder = tmp_path_factory.mktemp("busy")
    for number in (1, 2, 3):
        came(folder, number)
    return folder / "lake"


@pytest.fixture
def lake(busy_lake: Path, tmp_path: Path) -> Path:
    return shutil.copytree(busy_lake, tmp_path / "lake")


def contents(spark: SparkSession, lake: Path, version: int | None = None) -> list[str]:
    return sorted(str(row) for row in Lake(lake).opened(version).silver(spark).collect())


def files(lake: Path, version: int | None = None) -> int:
    return len(Lake(lake).opened(version).files("silver"))


def command(*words: object) -> int:
    return main(["lake", *map(str, words), *(("--master", "local[2]") if "history" not in words else ())])


def routed(lake: Path, out: Path) -> Json:
    estate = written(lake.parent / "estate.json", document(TO_PARTS))
    assert main(["route", "--estate", estate, "--traffic", str(lake), "--out", str(out)]) == 0
    record: Json = json.loads((out / "_run.json").read_text(encoding="utf-8"))
    return record


def by_url(path: Path) -> str:
    return path.as_uri()


@pytest.fixture(scope="module", params=[pytest.param(str, marks=pytest.mark.thorough(OF_URLS)), by_url])
def a_compacted_lake(
    request: pytest.FixtureRequest, busy_lake: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, int]]:
    """The same lake after a compaction, and the counts of it."""
    lake = shutil.copytree(busy_lake, tmp_path_factory.mktemp("compacted") / "lake")
    return lake, compact_lake(CompactOptions(request.param(lake), 1), SETTINGS).counts


@pytest.fixture
def compacted(a_compacted_lake: tuple[Path, dict[str, int]], tmp_path: Path) -> Path:
    return shutil.copytree(a_compacted_lake[0], tmp_path / "lake")


def test_small_files_become_one_for_each_day(
    a_compacted_lake: tuple[Path, dict[str, int]], busy_lake: Path, spark: SparkSession
) -> None:
    before, (lake, counts) = contents(spark, busy_lake), a_compacted_lake
    assert counts["files now"] == 3
    assert (files(lake), contents(spark, lake)) == (3, before)
    assert [contents(spark, lake, version) == before for version in (1, 2, 3)] == [False, True, True]
    assert len(Lake(lake).sums()) == 3
    table = DeltaTable(lake / "silver")
    silver = table.to_pyarrow_dataset()
    assert silver is not None
    assert duckdb.sql("SELECT count(*) FROM silver").fetchall() == [(len(before),)]
    moments = [[one["at"] for one in fragment.to_table().to_pylist()] for fragment in silver.get_fragments()]
    assert [one == sorted(one) for one in moments] == [True] * 3, "in the order of time, as a log is"
    assert command("compact", by_url(lake)) == 0
    assert (files(lake), table.version()) == (3, 3), "the second time there is nothing to do"


@pytest.mark.thorough("a route after another program's compaction; of ours the same is known without Spark")
def test_route_knows_which_rows_are_new_after_a_compaction(lake: Path, spark: SparkSession) -> None:
    """And writes all again once a file of some day has rows that it knows beside others."""
    out, naive = lake.parent / "out", lake.parent / "naive"
    routed(lake, out)
    assert command("compact", lake) == 0
    came(lake.parent, 4)
    assert routed(lake, out)["taken_over"] > 0, "only the rows of the new run were routed"
    routed(lake, naive)
    assert delta_tables(out) == delta_tables(naive)
    came(lake.parent, 5, DAYS[2:])
    assert command("compact", lake) == 0
    assert len(contents(spark, lake)) == len(rows_of(out)) + 3
    record = routed(lake, out)
    assert (record["taken_over"], record["counts"]["out"]) == (0, len(contents(spark, lake)))


@pytest.mark.thorough("route takes over what lies apart, which is known of compactions without Spark")
def test_route_knows_which_rows_are_new_after_several_compactions(lake: Path) -> None:
    out, naive = lake.parent / "out", lake.parent / "naive"
    taken_over = [routed(lake, out)["taken_over"]]
    for number in (4, 5):
        assert command("compact", lake) == 0
        came(lake.parent, number)
        taken_over.append(routed(lake, out)["taken_over"])
    assert taken_over == sorted(set(taken_over))
    routed(lake, naive)
    assert delta_tables(out) == delta_tables(naive)


@pytest.mark.thorough("which files are small is said without Spark")
def test_only_files_below_half_the_size_are_written_again(lake: Path, spark: SparkSession) -> None:
    sizes = [file.bytes for file in Lake(lake).opened().state.silver]  # type: ignore[union-attr]  # it is opened
    assert max(sizes) < 1 << 19
    assert compact_lake(CompactOptions(str(lake), 1), SETTINGS).counts["files before"] == len(sizes)
    came(lake.parent, 4)
    assert compact_lake(CompactOptions(str(lake), 1), SETTINGS).counts["files before"] == 6
    assert files(lake) == 3


def test_files_of_other_programs_and_rows_that_they_removed(lake: Path, spark: SparkSession) -> None:
    """Files that others wrote stay, and rows that they removed do not come back."""
    DeltaTable(lake / "silver").delete("conversation_id = 'c100'")
    before, theirs = contents(spark, lake), [one for one in Lake(lake).files("silver") if "run=" not in str(one)]
    assert (len(before), len(theirs)) == (20, 1)
    assert command("compact", lake) == 0
    assert contents(spark, lake) == before
    assert theirs[0] in Lake(lake).files("silver")
    assert not Lake(lake).opened().is_apart(frozenset([*Lake(lake).commits()][:1]))


def test_a_column_that_this_version_does_not_know_is_not_lost(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    DeltaTable(lake / "silver").alter.add_columns([Field("colour", "string")])
    assert command("compact", lake) == 4
    assert "has columns that this version does not know: colour" in capsys.readouterr().err


def test_history_lists_the_versions(compacted: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lake = compacted
    DeltaTable(lake / "silver").delete(f"day = '{DAYS[2]}'")
    assert command("history", lake, "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert [(one["version"], one["operation"], one["rows"], one["files"]) for one in found] == [
        (4, "DELETE", 15, 2),
        (3, "compact", 21, 3),
        (2, "ingest", 21, files(lake, 2)),
        (1, "ingest", 14, files(lake, 1)),
        (0, "ingest", 7, files(lake, 0)),
    ]
    assert [one["run"] for one in found[2:]] == [*Lake(lake).commits()][::-1]
    assert found[0]["run"] is None
    assert all(one["time"].endswith("Z") for one in found)
    assert command("history", lake) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["version", "time", "operation", "rows", "files", "run"]
    assert lines[3].split()[3:6] == ["ingest", "21", str(files(lake, 2))]
    (lake / "silver" / "_delta_log" / f"{0:020}.json").unlink()
    assert command("history", lake, "--json") == 0
    assert [one["version"] for one in json.loads(capsys.readouterr().out)] == [4, 3, 2, 1]


def test_vacuum_removes_files_that_only_old_versions_name(
    compacted: Path, spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    lake = compacted
    before = contents(spark, lake)
    assert command("vacuum", lake) == 0
    assert contents(spark, lake, 2) == before, "within the week nothing goes"
    capsys.readouterr()
    assert command("vacuum", by_url(lake), "--retention-days", 0, "--dry-run") == 0
    listed = [line for line in capsys.readouterr().out.splitlines() if line.endswith(".parquet")]
    assert (len(listed), contents(spark, lake, 2)) == (files(lake, 2), before)
    assert command("vacuum", lake, "--retention-days", 0) == 0
    assert not any((lake / name).exists() for name in listed)
    assert contents(spark, lake) == before
    estate = written(lake.parent / "estate.json", document(TO_PARTS))
    arguments = ["route", "--estate", estate, "--traffic", str(lake), "--out", str(lake.parent / "out")]
    assert main([*arguments, "--version", "1"]) == 4
    assert "cannot be read as of version 1: vacuum removed some of its files" in capsys.readouterr().err
    if IS_ALL:
        assert main(arguments) == 0
        came(lake.parent, 4)
        assert len(contents(spark, lake)) == len(before) + 7


@pytest.mark.parametrize("words", [["history"], ["compact"], ["vacuum"]])
def test_what_is_no_lake_is_one_line(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(*words, tmp_path) == 4
    assert capsys.readouterr().err == f"error: {tmp_path}: is not a lake: ingest makes one\n"
    assert [*tmp_path.iterdir()] == []


def test_a_lake_without_runs_has_no_versions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "_commits").mkdir()
    assert command("history", tmp_path) == 0
    assert capsys.readouterr().out == "No versions yet.\n"
    assert command("compact", tmp_path) == 0
    assert command("vacuum", tmp_path) == 0


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["lake"], "the following arguments are required: COMMAND"),
        (["lake", "compact"], "the following arguments are required: LAKE"),
        (["lake", "vacuum", "x", "--retention-days", "-1"], "must be 0 or more, not -1"),
        (["lake", "compact", "x", "--megabytes", "0"], "must be 1 or more, not 0"),
    ],
)
def test_commands_on_a_lake_that_lack_an_argument_end_with_2(
    words: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    assert says in capsys.readouterr().err
