"""Results as Delta tables, in a folder and in a store that renames nothing, by jobs that are killed at each step."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable
from pyspark.sql.types import StructType

from pipeline.delta.errors import OvertakenError
from pipeline.delta.table import DeltaLog
from pipeline.files.file_system import FileSystems, exists, read_bytes, state_of
from pipeline.files.local import LocalFiles
from pipeline.files.location import Location, location, relative_name
from pipeline.files.parquet import parquet_source, write_table
from pipeline.inputs.files import files_below
from pipeline.results.former_files import former_files
from pipeline.results.manifest import table_manifest
from pipeline.results.new_tables import NewTables, new_tables
from pipeline.results.output_folder import read_record, write_record
from pipeline.results.table_logs import as_fields
from pipeline.runtime.shutdown import Shutdown
from routing.common.errors import InputError
from tests.pipeline.files.late_store import Killed, LateStore, steps
from tests.pipeline.signals import interrupted_at

Json = dict[str, Any]
OUT = "late://store/out"
PART = "_parts/measured"


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> LateStore:
    found = LateStore()
    monkeypatch.setattr("pipeline.files.file_system.FILE_SYSTEMS", FileSystems(LocalFiles(), found))
    return found


def publish(out: str, **tables: str) -> None:
    """A result of these tables with a row each, as a job writes it; `rows` lie in the folder of the result."""
    with new_tables(out) as result:
        write(result, tables)


def write(result: NewTables, tables: dict[str, str]) -> None:
    for name, value in tables.items():
        folder = result.folders.table("" if name == "rows" else name)
        write_table(pa.table({"value": [value]}), folder / f"part-{value}.parquet")
    result.publish({"format": "brokerui.gold/1", **table_manifest(result.folders)})


def record_of(out: str) -> Json:
    found: Json = json.loads(read_bytes(location(out) / "_run.json"))
    return found


def shown(out: str) -> dict[str, list[str]]:
    """Return the rows of each table as a reader of the record sees them."""
    tables = record_of(out)["tables"]
    return {
        name: [row for one in about["files"] for row in values_in(location(out) / one["path"])]
        for name, about in tables.items()
    }


def values_in(file: Location) -> list[str]:
    with parquet_source(file) as source:
        found: list[str] = pq.read_table(source)["value"].to_pylist()
    return found


def of_delta(table: Path, version: int | None = None) -> list[str]:
    """Return the rows as a reader of Delta tables sees them."""
    found: list[str] = DeltaTable(str(table), version).to_pyarrow_table()["value"].to_pylist()
    return found


def test_a_result_is_the_former_or_the_new_one_wherever_its_job_is_killed(
    store: LateStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.results.run_names.LEFT_FOR", timedelta(seconds=-1))
    publish(OUT, one="old", other="old")
    seen, objects = set[str](), dict(store.objects)
    for step in steps(store, lambda: publish(OUT, one="new", other="new")):
        store.objects, store.made = dict(objects), dict.fromkeys(objects, -10_000)
        store.restarted(step)
        try:
            publish(OUT, one="new", other="new")
        except Killed:
            pass
        else:
            break
        store.restarted()
        found = shown(OUT)
        assert found in ({"one": ["old"], "other": ["old"]}, {"one": ["new"], "other": ["new"]})
        seen.add(str(found))
        publish(OUT, one="next", other="next")
        assert shown(OUT) == {"one": ["next"], "other": ["next"]}
        assert not [name for name in store.objects if "/_work/" in name]
    assert len(seen) == 2, "killed before the record and after it"
    store.restarted()
    assert shown(OUT) == {"one": ["new"], "other": ["new"]}


def publish_days(out: str, days: Mapping[str, str]) -> int:
    """A result whose part has a file for each day, with one value; where a value is that of the former result, its file
    is taken over. Returns how many are."""
    with new_tables(out) as result:
        place, folder = result.folders.place, result.folders.table(PART)
        kept = kept_days(place, days)
        files = [*kept.values()]
        for day in days.keys() - {file.parent.name.partition("=")[2] for file in kept}:
            file = folder / f"day={day}" / f"part-{days[day]}.parquet"
            write_table(pa.table({"value": [days[day]]}), file)
            files.append({"path": relative_name(file, place), "rows": 1, "bytes": state_of(file).size})
        fields = as_fields({PART: {"rows": len(files), "files": files}})
        result.publish({"format": "brokerui.gold/1", **fields})
    return len(kept)


def kept_days(place: Location, days: Mapping[str, str]) -> dict[Location, Json]:
    record = read_record(place)
    former = (record and former_files(place, record, [PART])) or {PART: {}}
    return {
        file: about
        for file, about in former[PART].items()
        if days.get(file.parent.name.partition("=")[2]) == values_in(file)[0]
    }


def shown_days(out: str) -> dict[str, str]:
    """Return the value of each day, for readers of the record."""
    files = [location(out) / one["path"] for one in record_of(out)["parts"]["measured"]["files"]]
    return {file.parent.name.partition("=")[2]: values_in(file)[0] for file in files}


OLD = {"2026-03-01": "a", "2026-03-02": "b"}
NEW = OLD | {"2026-03-02": "late", "2026-03-03": "c"}
NEXT = NEW | {"2026-03-04": "d"}


@pytest.mark.parametrize("lag", [0, 10_000], ids=["prompt", "late"])
def test_files_are_taken_over_by_their_names_wherever_a_job_is_killed(
    lag: int, store: LateStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.results.run_names.LEFT_FOR", timedelta(seconds=-1))
    publish_days(OUT, OLD)
    store.lag, seen = lag, set[str]()
    objects = dict(store.objects)
    for step in steps(store, lambda: publish_days(OUT, NEW)):
        store.objects, store.made = dict(objects), dict.fromkeys(objects, -10 * max(lag, 1_000))
        store.restarted(step)
        try:
            kept = publish_days(OUT, NEW)
        except Killed:
            pass
        else:
            break
        store.restarted()
        found = shown_days(OUT)
        assert found in (OLD, NEW)
        seen.add(str(found))
        publish_days(OUT, NEXT)
        assert shown_days(OUT) == NEXT
        assert names_in_log() == {one["path"] for one in record_of(OUT)["parts"]["measured"]["files"]}
    assert len(seen) == 2, "killed before the record and after it"
    store.restarted()
    assert kept == 1
    assert (shown_days(OUT), publish_days(OUT, NEXT)) == (NEW, len(NEW))
    assert names_in_log() == {one["path"] for one in record_of(OUT)["parts"]["measured"]["files"]}


def names_in_log() -> set[str]:
    found = DeltaLog(location(OUT) / PART, StructType()).read()
    assert found is not None
    return {f"{PART}/{file.path}" for file in found.files}


def test_a_part_is_a_table_with_its_days_for_any_reader(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert [publish_days(str(out), days) for days in (OLD, NEW, NEXT)] == [0, 1, 3]
    assert sorted(of_delta(out / PART)) == ["a", "c", "d", "late"]
    assert sorted(of_delta(out / PART, 0)) == ["a", "b"]
    table = DeltaTable(str(out / PART))
    assert table.metadata().partition_columns == ["day"]
    assert {str(day) for day in table.to_pyarrow_table(filters=[("value", "=", "c")])["day"].to_pylist()} == {
        "2026-03-03"
    }
    age(out, timedelta(days=2))
    publish_days(str(out), NEXT | {"2026-03-05": "e"})
    assert not list(out.rglob("part-b.parquet")), "a part keeps former files for a day"
    assert not [folder for folder in out.rglob("day=*") if not any(folder.iterdir())]


def test_a_signal_between_two_tables_waits_for_the_record(store: LateStore, ending: Shutdown) -> None:
    publish(OUT, one="old", other="old")
    with interrupted_at("write_record", "pipeline.results.new_tables", ending):
        publish(OUT, one="new", other="new")
    assert shown(OUT) == {"one": ["new"], "other": ["new"]}


def test_what_a_killed_first_job_left_is_no_obstacle(store: LateStore) -> None:
    for step in steps(store, lambda: publish(OUT, rows="a", one="b")):
        store.objects, store.made = {}, {}
        store.restarted(step)
        try:
            publish(OUT, rows="a", one="b")
        except Killed:
            store.restarted()
            publish(OUT, rows="c", one="d")
            assert shown(OUT) == {"rows": ["c"], "one": ["d"]}
        else:
            break
    assert step > 10


def test_each_version_can_be_read_by_any_reader_until_it_is_a_week_old(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for value in ("first", "second"):
        publish(str(out), rows=value, one=value)
    for table, name in ((out, "rows"), (out / "one", "one")):
        assert (of_delta(table), of_delta(table, 0)) == (["second"], ["first"])
        assert record_of(str(out))["tables"][name]["version"] == 1
    age(out, timedelta(days=6))
    publish(str(out), rows="third", one="third")
    assert of_delta(out, 0) == ["first"]
    age(out, timedelta(days=2))
    publish(str(out), rows="fourth", one="fourth")
    assert not list(out.rglob("part-first.parquet"))
    assert (of_delta(out), of_delta(out, 2)) == (["fourth"], ["third"])


def age(out: Path, by: timedelta) -> None:
    """Let the log say that files were removed earlier than they were."""
    for commit in out.rglob("_delta_log/*.json"):
        lines = [json.loads(line) for line in commit.read_text().splitlines()]
        for line in lines:
            if "remove" in line:
                line["remove"]["deletionTimestamp"] -= by // timedelta(milliseconds=1)
        commit.write_text("".join(json.dumps(line) + "\n" for line in lines))


def test_tables_that_a_result_has_no_more_are_gone(tmp_path: Path) -> None:
    out = tmp_path / "out"
    publish(str(out), rows="a", **{"_summary/outcomes": "b"})
    publish(str(out), differential="c")
    assert {path.name for path in out.rglob("*.parquet")} == {"part-c.parquet"}
    assert sorted(path.name for path in out.iterdir() if any(path.rglob("*"))) == ["differential"]
    publish(str(out), rows="d")
    assert of_delta(out) == ["d"]
    assert not (out / "differential").exists()


def test_of_two_jobs_that_write_one_table_the_first_counts(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    publish(out, one="old")
    with (
        pytest.raises(OvertakenError, match="was written by another run meanwhile; nothing of this one counts"),
        new_tables(out) as slow,
    ):
        overtaken_at_commit(slow, out)
    assert shown(out) == {"one": ["quick"]}
    assert of_delta(tmp_path / "out" / "one") == ["quick"]
    assert not list((tmp_path / "out").rglob("part-slow.parquet"))


def overtaken_at_commit(slow: NewTables, out: str) -> None:
    """Another job writes after this one has looked which version is the last."""
    from pipeline.delta import table

    with pytest.MonkeyPatch.context() as patch:
        before = table.DeltaLog.read

        def read(log: table.DeltaLog) -> table.TableVersion | None:
            found = before(log)
            patch.undo()
            publish(out, one="quick")
            return found

        patch.setattr(table.DeltaLog, "read", read)
        write(slow, {"one": "slow"})


def test_a_job_that_is_still_at_work_keeps_its_files(tmp_path: Path) -> None:
    out = str(tmp_path / "out")
    publish(out, one="old")
    with new_tables(out) as slow:
        write_table(pa.table({"value": ["slow"]}), slow.folders.table("one") / "part-slow.parquet")
        publish(out, one="quick")
        assert list((tmp_path / "out").rglob("part-slow.parquet"))
        slow.publish({"format": "brokerui.gold/1", **table_manifest(slow.folders)})
    assert shown(out) == {"one": ["slow"]}


def test_a_result_of_telemetry_of_before_there_were_logs_is_replaced(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for name in ("depths/part-0", "_parts/events/event_class=138/part-0", "_parts/uses/part-0", "_quarantine/files"):
        write_table(pa.table({"value": ["old"]}), out / f"{name}.parquet")
    tables = {"depths": {"rows": 1, "files": [{"path": "depths/part-0.parquet", "rows": 1, "bytes": 1}]}}
    write_record(out, {"format": "brokerui.gold/1", "tables": tables, "parts": {"_parts/uses/part-0.parquet": 1}})
    publish(str(out), depths="new", **{"_parts/uses": "newer"})
    assert {path.name for path in out.rglob("*.parquet")} == {"part-new.parquet", "part-newer.parquet"}
    assert (of_delta(out / "depths"), of_delta(out / "_parts" / "uses")) == (["new"], ["newer"])


def test_the_files_of_a_result_of_before_there_were_logs_are_read_behind_a_url(store: LateStore) -> None:
    place = location(OUT)
    for folder in ("result-20260101T000000Z-0badcafe", "result-20260102T000000Z-0badcafe"):
        write_table(pa.table({"value": ["x"]}), place / folder / "part-0.parquet")
    write_record(place, {"format": "brokerui.gold/1", "folder": "result-20260101T000000Z-0badcafe"})
    store.restarted()
    assert [str(file) for file in files_below(OUT)] == [f"{OUT}/result-20260101T000000Z-0badcafe/part-0.parquet"]


@pytest.mark.parametrize("is_url", [False, True], ids=["path", "URL"])
def test_results_of_before_there_were_logs_are_replaced(is_url: bool, tmp_path: Path) -> None:
    out = tmp_path / "out"
    below = "result-20260101T000000Z-0badcafe/" if is_url else ""
    names = [f"{below}part-0.parquet", f"{below}_summary/outcomes/part-0.parquet", f"{below}_quarantine/files.parquet"]
    for name in names:
        write_table(pa.table({"value": ["old"]}), out / name)
    tables = {
        name: {"rows": 1, "files": [{"path": path}]} for name, path in zip(("rows", "outcomes"), names, strict=False)
    }
    write_record(out, {"format": "brokerui.gold/1", "tables": tables} | ({"folder": below[:-1]} if is_url else {}))
    publish(str(out), rows="new")
    assert {path.name for path in out.rglob("*.parquet")} == {"part-new.parquet"}
    assert of_delta(out) == ["new"]


def test_a_folder_of_the_users_is_left_alone(tmp_path: Path) -> None:
    for name in ("result-2024/data.parquet", "_delta_log", "one/notes.txt"):
        mine = tmp_path / "mine"
        (mine / name).parent.mkdir(parents=True)
        (mine / name).write_text("mine")
        with pytest.raises(InputError, match="holds something else than a result"), new_tables(str(mine)):
            pass
        assert [path.read_text() for path in mine.rglob("*") if path.is_file()] == ["mine"]
        shutil.rmtree(mine)


def publish_half(result: NewTables) -> None:
    write_table(pa.table({"value": ["lost"]}), result.folders.table("one") / "part-0.parquet")
    result.publish({"tables": {"one": {}}})


def test_nothing_stays_of_a_job_that_failed(tmp_path: Path) -> None:
    with pytest.raises(KeyError), new_tables(str(tmp_path / "out")) as result:
        publish_half(result)
    assert list(tmp_path.iterdir()) == []


def test_the_rows_of_a_result_are_a_traffic(tmp_path: Path) -> None:
    for value in ("first", "second"):
        publish(str(tmp_path / "out"), rows=value, one=value)
    assert [file.name for file in files_below(str(tmp_path / "out"))] == ["part-second.parquet"]
    publish(str(tmp_path / "other"), one="only")
    assert [file.name for file in files_below(str(tmp_path / "other"))] == ["part-only.parquet"]
    assert exists(location(str(tmp_path / "out")) / "one")
