"""Results as Delta tables, in a folder and in a store that renames nothing, by jobs that are killed at each step."""

from __future__ import annotations

import json
import shutil
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable

from pipeline.delta.errors import OvertakenError
from pipeline.files.file_system import FileSystems, exists, read_bytes
from pipeline.files.local import LocalFiles
from pipeline.files.location import Location, location
from pipeline.files.parquet import parquet_source, write_table
from pipeline.inputs.files import files_below
from pipeline.results.manifest import table_manifest
from pipeline.results.new_tables import NewTables, new_tables
from pipeline.results.output_folder import write_record
from routing.common.errors import InputError
from tests.pipeline.files.late_store import Killed, LateStore

Json = dict[str, Any]
OUT = "late://store/out"


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
    monkeypatch.setattr("pipeline.results.new_result.LEFT_FOR", timedelta(seconds=-1))
    publish(OUT, one="old", other="old")
    seen, objects = set[str](), dict(store.objects)
    for step in count(1):
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


def test_what_a_killed_first_job_left_is_no_obstacle(store: LateStore) -> None:
    for step in count(1):
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
        before = table.DeltaLog.version

        def version(log: table.DeltaLog) -> int | None:
            found = before(log)
            patch.undo()
            publish(out, one="quick")
            return found

        patch.setattr(table.DeltaLog, "version", version)
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
