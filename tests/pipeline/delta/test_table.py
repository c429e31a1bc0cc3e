"""A Delta table on this machine and in a store that lists late: one commit makes files count, for every reader."""

from __future__ import annotations

import io
import json
from datetime import UTC, date, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from pyspark.sql import types as T

from pipeline.delta.errors import OvertakenError
from pipeline.delta.rewriting import Rewriting
from pipeline.delta.table import DeltaLog, TableCommit, TableFile
from pipeline.delta.written_files import WrittenFile, written_file
from pipeline.files.file_system import FileSystems, file_system
from pipeline.files.local import LocalFiles
from pipeline.files.location import Location, location
from pipeline.files.parquet import write_table
from routing.common.errors import InputError
from tests.pipeline.files.late_store import Killed, LateStore, place

NAME, AT, DAY = "name", "at", "day"
SCHEMA = T.StructType(
    [
        T.StructField(NAME, T.StringType(), nullable=False),
        T.StructField(AT, T.TimestampType()),
        T.StructField("number", T.LongType()),
        T.StructField(DAY, T.DateType()),
    ]
)
NOON = datetime(2026, 3, 1, 12, 0, 0, 123_456, tzinfo=UTC)
TODAY = NOON.date()
LAST = datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC)


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> LateStore:
    found = LateStore()
    monkeypatch.setattr("pipeline.files.file_system.FILE_SYSTEMS", FileSystems(LocalFiles(), found))
    return found


@pytest.fixture(params=["path", "store"])
def root(request: pytest.FixtureRequest, tmp_path: Path) -> Location:
    """A table on this machine, and one that only the file system of the test reaches."""
    if request.param == "path":
        return tmp_path / "a b%20+ü"
    request.getfixturevalue("store")
    return place("table")


def log_of(root: Location, schema: T.StructType = SCHEMA) -> DeltaLog:
    return DeltaLog(root, schema, (DAY,))


def written(root: Location, name: str, *, day: date | None = TODAY, **columns: Any) -> WrittenFile:
    """A file with one row, as Spark names it."""
    value = "__HIVE_DEFAULT_PARTITION__" if day is None else day.isoformat()
    file = root / "run 1" / f"day={value}" / f"{name}.parquet"
    rows = {NAME: [name], AT: pa.array([NOON], pa.timestamp("us", "UTC")), "number": [7], **columns}
    write_table(pa.table(rows), file)
    return written_file(root, file, (DAY,))


def names(log: DeltaLog, version: int | None = None) -> list[str]:
    found = log.read(version)
    return sorted(file.path.rpartition("/")[2].removesuffix(".parquet") for file in (found.files if found else ()))


def test_files_count_from_their_commit_on(root: Location) -> None:
    log = log_of(root)
    first = written(root, "first")
    assert (log.read(), log.version(), log.exists()) == (None, None, False)
    assert log.commit(TableCommit([first], transactions={"one": 1}, about={"job": "test"}), None) == 0
    assert log.commit(TableCommit([written(root, "second", day=None)], transactions={"two": 2}), 0) == 1
    found = log.read()
    assert found is not None
    assert (found.version, dict(found.transactions), found.columns) == (1, {"one": 1, "two": 2}, tuple(SCHEMA.names))
    assert min(found.files, key=lambda file: file.path) == TableFile(
        "run 1/day=2026-03-01/first.parquet", root / first.path, {DAY: "2026-03-01"}, first.bytes, 1
    )
    assert {file.partition[DAY] for file in found.files} == {"2026-03-01", None}
    assert names(log, 0) == ["first"]
    assert log.commit(TableCommit([written(root, "third")], overwrite=True), 1) == 2
    assert (names(log), names(log, 1)) == (["third"], ["first", "second"])
    changes = log.changes()
    assert [(one.version, one.operation) for one in changes] == [(0, "CREATE TABLE"), (1, "WRITE"), (2, "WRITE")]
    assert changes[0].about["job"] == "test"
    assert [(len(one.added), len(one.removed)) for one in changes] == [(1, 0), (1, 0), (1, 2)]
    assert changes[0].added == {first.path: 1}
    assert all(one.at is not None for one in changes)


def test_of_two_commits_after_one_version_one_counts(root: Location) -> None:
    log = log_of(root)
    log.commit(TableCommit([written(root, "first")]), None)
    with pytest.raises(OvertakenError, match="was written by another run meanwhile; nothing of this one counts"):
        log.commit(TableCommit([written(root, "other")]), None)
    log.commit(TableCommit([written(root, "second")]), 0)
    for overwrite in (False, True):
        with pytest.raises(OvertakenError):
            log.commit(TableCommit([written(root, "late")], overwrite=overwrite), 0)
    assert names(log) == ["first", "second"]


def rewriting(log: DeltaLog, new: WrittenFile, *, of: int) -> Rewriting:
    found = log.read(of)
    assert found is not None
    return Rewriting([file.as_removed() for file in found.files], [new], transactions={"by": 5}, about={"job": "test"})


def test_files_take_the_place_of_others_with_the_same_rows(root: Location) -> None:
    log = log_of(root)
    log.commit(TableCommit([written(root, "a b%20+ü"), written(root, "null", day=None)], transactions={"one": 1}), None)
    log.commit(TableCommit([written(root, "other")]), 0)
    assert log.rewrite(rewriting(log, written(root, "new +%"), of=0), 1) == 2
    found = log.read()
    assert found is not None
    assert (names(log), dict(found.transactions)) == (["new +%", "other"], {"one": 1, "by": 5})
    assert names(log, 1) == ["a b%20+ü", "null", "other"], "former versions have the former files"
    assert [file.rows for file in found.files] == [1, 1]
    change = log.changes()[-1]
    assert (change.operation, change.about["job"]) == ("OPTIMIZE", "test")
    assert {path.rpartition("/")[2] for path in change.removed} == {"a b%20+ü.parquet", "null.parquet"}
    assert checkpoints(root) == ["02"]
    log.commit(TableCommit([written(root, "next")]), 2)
    assert names(log) == ["new +%", "next", "other"]


def test_a_rewriting_is_no_change_of_the_data(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.commit(TableCommit([written(tmp_path, "first"), written(tmp_path, "second")]), None)
    log.rewrite(rewriting(log, written(tmp_path, "new"), of=0), 0)
    actions = [json.loads(line) for line in (tmp_path / "_delta_log" / f"{1:020}.json").read_text().splitlines()]
    files = [one[kind] for one in actions for kind in ("add", "remove") if kind in one]
    assert [one["dataChange"] for one in files] == [False] * 3
    assert DeltaTable(tmp_path).to_pyarrow_table()[NAME].to_pylist() == ["new"]
    DeltaTable(tmp_path).create_checkpoint()
    assert names(log) == ["new"]


def test_of_a_rewriting_and_a_commit_after_one_version_one_counts(root: Location) -> None:
    log = log_of(root)
    log.commit(TableCommit([written(root, "first")]), None)
    wanted = rewriting(log, written(root, "new"), of=0)
    log.commit(TableCommit([written(root, "second")]), 0)
    with pytest.raises(OvertakenError):
        log.rewrite(wanted, 0)
    assert names(log) == ["first", "second"]
    log.rewrite(wanted, 1)
    with pytest.raises(OvertakenError):
        log.commit(TableCommit([written(root, "late")]), 1)
    assert names(log) == ["new", "second"]


def test_a_table_that_needs_a_newer_writer_is_not_rewritten(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.commit(TableCommit([written(tmp_path, "first")]), None)
    protocol = {"protocol": {"minReaderVersion": 1, "minWriterVersion": 4}}
    (tmp_path / "_delta_log" / f"{1:020}.json").write_text(json.dumps(protocol), encoding="utf-8")
    with pytest.raises(InputError, match="needs a writer of version 4 of Delta, not 2"):
        log.rewrite(rewriting(log, written(tmp_path, "new"), of=0), 1)


def test_files_that_count_no_more_go_and_the_others_stay(root: Location) -> None:
    log = log_of(root)
    log.commit(TableCommit([written(root, "a"), written(root, "b", day=None), written(root, "c")]), None)
    before = log.read()
    assert before is not None
    gone = [file for file in before.files if file.place.name != "a.parquet"]
    assert log.commit(TableCommit([written(root, "d")], removed=gone), 0) == 1
    assert (names(log), names(log, 0)) == (["a", "d"], ["a", "b", "c"])
    for version in range(1, 12):
        log.commit(TableCommit([written(root, f"e{version:02}")]), version)
    assert names(log) == ["a", "d", *(f"e{version:02}" for version in range(1, 12))], "from a checkpoint too"


def test_a_commit_without_files_counts_too(root: Location) -> None:
    log = log_of(root)
    log.commit(TableCommit([], transactions={"one": 1}), None)
    log.commit(TableCommit([], transactions={"two": 2}), 0)
    found = log.read()
    assert found is not None
    assert (found.files, dict(found.transactions)) == ((), {"one": 1, "two": 2})


def test_who_committed_outlasts_checkpoints_and_a_cleaned_log(root: Location, tmp_path: Path) -> None:
    log = log_of(root)
    log.commit(TableCommit([written(root, "f00")], transactions={"app 0": 0}), None)
    for number in range(1, 25):
        log.commit(TableCommit([written(root, f"f{number:02}")], transactions={f"app {number}": number}), number - 1)
    everything = {f"app {number}": number for number in range(25)}
    assert checkpoints(root) == ["09", "19"]
    assert read_transactions(log) == everything
    for name in [name for name in logged(root) if name.endswith(".json") and int(name[:20]) < 19]:
        file_system(root).delete(root / "_delta_log" / name)
    assert read_transactions(log) == everything
    assert names(log) == [f"f{number:02}" for number in range(25)]
    assert read_transactions(log, 21) == {name: number for name, number in everything.items() if number <= 21}
    log.commit(TableCommit([written(root, "f25")], transactions={"app 25": 25}), 24)
    assert read_transactions(log) == everything | {"app 25": 25}
    with pytest.raises(InputError, match="has no version 99: the last is 25"):
        log.read(99)


def read_transactions(log: DeltaLog, version: int | None = None) -> dict[str, int]:
    found = log.read(version)
    assert found is not None
    return dict(found.transactions)


def logged(root: Location) -> list[str]:
    return sorted(file.name for file, _ in file_system(root).listed(root / "_delta_log"))


def checkpoints(root: Location) -> list[str]:
    return [name[18:20] for name in logged(root) if name.endswith(".checkpoint.parquet")]


def test_a_column_more_is_null_in_the_files_of_before(tmp_path: Path) -> None:
    log_of(tmp_path).commit(TableCommit([written(tmp_path, "old")]), None)
    wide = log_of(tmp_path, T.StructType([*SCHEMA.fields, T.StructField("colour", T.StringType())]))
    assert wide.commit(TableCommit([written(tmp_path, "new", colour=["red"])]), 0) == 2
    rows = DeltaTable(tmp_path).to_pyarrow_table().select([NAME, "colour"]).to_pylist()
    assert sorted(map(str, rows)) == ["{'name': 'new', 'colour': 'red'}", "{'name': 'old', 'colour': None}"]
    # A former version of the pipeline goes on writing what it knows.
    log_of(tmp_path).commit(TableCommit([written(tmp_path, "older")]), 2)
    assert DeltaTable(tmp_path).to_pyarrow_table()["colour"].to_pylist().count(None) == 2


def test_other_readers_see_the_committed_rows(tmp_path: Path) -> None:
    written(tmp_path, "lost")
    log_of(tmp_path).commit(TableCommit([written(tmp_path, "first"), written(tmp_path, "null", day=None)]), None)
    table = DeltaTable(tmp_path)
    expected = [("first", NOON, 7, NOON.date()), ("null", NOON, 7, None)]
    assert sorted(tuple(row.values()) for row in table.to_pyarrow_table().to_pylist()) == expected
    assert sorted(table.to_pandas()[NAME]) == ["first", "null"]
    traffic = table.to_pyarrow_dataset()
    assert traffic is not None
    found = duckdb.sql(f"SELECT {NAME} FROM traffic WHERE day = DATE '2026-03-01'").fetchall()
    assert found == [("first",)]


def test_statistics_are_bounds(tmp_path: Path) -> None:
    rows = {
        NAME: ["é" * 40, "a"],
        AT: pa.array([NOON, NOON + timedelta(days=1)], pa.timestamp("us", "UTC")),
        "number": pa.array([None, 3], pa.int64()),
    }
    write_table(pa.table(rows), tmp_path / "day=2026-03-01" / "x.parquet")
    found = written_file(tmp_path, tmp_path / "day=2026-03-01" / "x.parquet", (DAY,))
    assert json.loads(found.statistics) == {
        "numRecords": 2,
        "minValues": {NAME: "a", AT: "2026-03-01T12:00:00.123Z", "number": 3},
        "maxValues": {AT: "2026-03-02T12:00:00.124Z", "number": 3},
        "nullCount": {NAME: 0, AT: 0, "number": 1},
    }


@pytest.mark.parametrize(
    ("values", "bounds"),
    [
        (pa.array([LAST], pa.timestamp("us", "UTC")), ("9999-12-31T23:59:59.999Z", None)),
        (pa.array([0], pa.timestamp("us", "UTC")), ("1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z")),
        (pa.array([TODAY]), ("2026-03-01", "2026-03-01")),
        (pa.array([0], pa.timestamp("us")), (None, None)),
        (pa.array([float("nan"), 1.0]), (None, None)),
        (pa.array([[1], [2]]), (None, None)),
        (pa.array([True, False]), (None, None)),
        (pa.array([None, None], pa.int64()), (None, None)),
        (pa.array([], pa.int64()), (None, None)),
    ],
    ids=["end of time", "moment", "day", "no zone", "not a number", "lists", "truth", "nulls", "nothing"],
)
def test_what_is_no_bound_is_left_out(values: pa.Array, bounds: tuple[Any, Any], tmp_path: Path) -> None:
    write_table(pa.table({AT: values}), tmp_path / "x.parquet")
    found = json.loads(written_file(tmp_path, tmp_path / "x.parquet", ()).statistics)
    assert found["numRecords"] == len(values)
    assert (found["minValues"].get(AT), found["maxValues"].get(AT)) == bounds


def test_statistics_of_several_groups_are_those_of_all(tmp_path: Path) -> None:
    pq.write_table(pa.table({"number": [5, 3, 9, 1]}), tmp_path / "x.parquet", row_group_size=2)
    found = json.loads(written_file(tmp_path, tmp_path / "x.parquet", ()).statistics)
    assert (found["minValues"], found["maxValues"]) == ({"number": 1}, {"number": 9})
    pq.write_table(pa.table({"number": [5, 3]}), tmp_path / "y.parquet", write_statistics=False)
    found = json.loads(written_file(tmp_path, tmp_path / "y.parquet", ()).statistics)
    assert found == {"numRecords": 2, "minValues": {}, "maxValues": {}, "nullCount": {}}


# ---------------------------------------------------------------- in a store


@pytest.mark.parametrize("lag", [0, 10_000], ids=["prompt", "late"])
def test_a_commit_counts_as_a_whole_or_not_wherever_its_writer_is_killed(store: LateStore, lag: int) -> None:
    root = place("table")
    log = log_of(root)
    log.commit(TableCommit([written(root, "f0")]), None)
    for number in range(1, 9):
        log.commit(TableCommit([written(root, f"f{number}")]), number - 1)
    new, seen = written(root, "new"), set[int]()
    store.lag, objects = lag, dict(store.objects)
    for step in count(1):
        store.objects = dict(objects)
        store.restarted(step)
        try:
            log.commit(TableCommit([new], transactions={"new": 1}), 8)
        except Killed:
            pass
        else:
            break
        store.restarted()
        found = log.version()
        assert found in (8, 9)
        assert ("new" in names(log)) == (found == 9)
        seen.add(found)
        log.commit(TableCommit([written(root, "next")]), found)
        assert "next" in names(log)
    assert seen == {8, 9}, "killed before the commit, and between it and its checkpoint"


def test_what_a_store_shows_of_half_a_commit_does_not_count(store: LateStore) -> None:
    root = place("table")
    log = log_of(root)
    log.commit(TableCommit([written(root, "first")]), None)
    half = root / "_delta_log" / f"{1:020}.json"
    store.put(half, b'{"commitInfo":{}}\n{"add":{"pa')
    assert (log.version(), names(log)) == (0, ["first"])
    with pytest.raises(OvertakenError):
        log.commit(TableCommit([written(root, "other")]), 0)
    log.clear_unfinished()  # its time of change is long ago
    assert log.commit(TableCommit([written(root, "other")]), 0) == 1
    assert names(log) == ["first", "other"]


def test_a_commit_of_spark_whose_last_line_ends_counts_and_one_of_here_was_cut_off(store: LateStore) -> None:
    root = place("table")
    log = log_of(root)
    log.commit(TableCommit([written(root, "first")]), None)
    log.commit(TableCommit([written(root, "second")]), 0)
    second = root / "_delta_log" / f"{1:020}.json"
    whole = store.objects[str(second)]
    info = whole.partition(b"\n")[0]
    store.put(second, info + b"\n")
    assert names(log) == ["first"]
    store.put(second, whole.replace(b'"engineInfo":"delta-rs', b'"engineInfo":"Apache-Spark/4') + b"\n")
    assert names(log) == ["first", "second"]
    log.commit(TableCommit([written(root, "third")]), 1)
    log.rewrite(rewriting(log, written(root, "new"), of=2), 2)
    third = root / "_delta_log" / f"{3:020}.json"
    assert log.version() == 3
    for file in [name for name in store.objects if "checkpoint" in name]:
        del store.objects[file]
    store.put(third, b"\n".join(store.objects[str(third)].splitlines()[:2]) + b"\n")
    assert names(log) == ["first", "second", "third"]


@pytest.fixture
def unread(store: LateStore, monkeypatch: pytest.MonkeyPatch) -> LateStore:
    """A store whose answers fail."""

    def refuse(_file: object) -> io.BufferedReader:
        raise PermissionError(13, "no permission", "late://store/table")

    log_of(place("table")).commit(TableCommit([written(place("table"), "first")]), None)
    monkeypatch.setattr(store, "opened", refuse)
    return store


def test_a_log_without_permission_is_told(unread: LateStore) -> None:
    with pytest.raises(PermissionError, match="no permission"):
        log_of(place("table")).read()


def test_a_damaged_log_is_one_line(tmp_path: Path) -> None:
    log = log_of(tmp_path)
    log.commit(TableCommit([written(tmp_path, "first")]), None)
    (tmp_path / "_delta_log" / f"{0:020}.json").write_text("no log", encoding="utf-8")
    with pytest.raises(InputError, match=f"the file {0:020}.json of its log is cut off or has garbage") as found:
        log.read()
    assert "\n" not in str(found.value)
    assert location(str(tmp_path)) == tmp_path
