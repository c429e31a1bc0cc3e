"""Results and lakes in a store that lists late and renames nothing, written by jobs that are killed at each step."""

from __future__ import annotations

import json
from datetime import timedelta
from itertools import count
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.files.file_system import FileSystems, read_bytes
from pipeline.files.local import LocalFiles
from pipeline.files.location import RemoteLocation
from pipeline.files.parquet import parquet_source, write_table
from pipeline.lake.lake import Lake
from pipeline.lake.new_run import lake_for_writing, new_run
from pipeline.lake.tables import SILVER
from pipeline.results.new_result import new_result
from routing.common.errors import InputError
from tests.pipeline.files.late_store import Killed, LateStore, place

Json = dict[str, Any]
OUT, LAKE = "late://store/out", "late://store/lake"
LAGS = pytest.mark.parametrize("lag", [0, 10_000], ids=["prompt", "late"])


@pytest.fixture
def store(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> LateStore:
    found = LateStore()
    monkeypatch.setattr("pipeline.files.file_system.FILE_SYSTEMS", FileSystems(LocalFiles(), found))
    return found


def publish(*values: str) -> None:
    """A result with two files, as a job writes it."""
    with new_result(OUT) as result:
        names = [f"part-{number}.parquet" for number in range(2)]
        for name in names:
            write_table(pa.table({"value": values}), result.folder / name)
        result.publish({"tables": {"rows": {"rows": 2, "files": [{"path": name} for name in names]}}})


def shown() -> list[str] | None:
    """What a reader sees, who reads nothing but what the record names."""
    try:
        record = json.loads(read_bytes(place("out") / "_run.json"))
    except FileNotFoundError:
        return None
    return [value for file in record["tables"]["rows"]["files"] for value in values_in(place("out") / file["path"])]


def values_in(file: RemoteLocation) -> list[str]:
    with parquet_source(file) as source:
        found: list[str] = pq.read_table(source)["value"].to_pylist()
    return found


@LAGS
def test_a_result_is_the_former_or_the_new_one_wherever_its_job_is_killed(
    store: LateStore, lag: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.results.new_result.LEFT_FOR", timedelta(seconds=-1))
    publish("old")
    store.lag, seen = lag, set[str]()
    objects = dict(store.objects)
    for step in count(1):
        store.objects, store.made = dict(objects), dict.fromkeys(objects, -10 * max(lag, 1_000))
        store.restarted(step)
        try:
            publish("new")
        except Killed:
            pass
        else:
            break
        store.restarted()
        found = shown()
        assert found in (["old", "old"], ["new", "new"])
        seen.add(str(found))
        publish("next")
        assert shown() == ["next", "next"]
        if not lag:
            assert {name.split("/")[4] for name in store.objects} == {"_run.json", record_folder()}
    assert len(seen) == 2, "killed before the record and after it"
    store.restarted()
    assert shown() == ["new", "new"]


def record_folder() -> str:
    folder: str = json.loads(read_bytes(place("out") / "_run.json"))["folder"]
    return folder


def ingest(value: str, *, meanwhile: str | None = None) -> None:
    """A run of a lake with one row, as `ingest` writes it; another run may commit while it is at work."""
    with lake_for_writing(LAKE) as lake, new_run(lake) as run:
        write_table(pa.table({"value": [value]}), run.table(SILVER) / "day=2026-03-01" / "part-0.parquet")
        if meanwhile is not None:
            ingest(meanwhile)
        run.commit({"inputs": [], "counts": {"in": 1, "out": 1}})


def rows() -> list[str]:
    return sorted(value for file in Lake(place("lake")).files(SILVER) for value in values_in(file))  # type: ignore[arg-type]  # all of the store


def test_a_run_of_a_lake_counts_as_a_whole_or_not_wherever_it_is_killed(
    store: LateStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.results.new_result.LEFT_FOR", timedelta(seconds=-1))
    ingest("first")
    seen, objects = set[str](), dict(store.objects)
    for step in count(1):
        store.objects, store.made = dict(objects), dict.fromkeys(objects, -10_000)
        store.restarted(step)
        try:
            ingest("second")
        except Killed:
            pass
        else:
            break
        store.restarted()
        found = rows()
        assert found in (["first"], ["first", "second"])
        seen.add(str(found))
        ingest("third")
        assert rows() == sorted([*found, "third"])
        assert len({name.split("/")[5] for name in store.objects if "/silver/run=" in name}) == len(rows())
        assert len({name for name in store.objects if "/_commits/run=" in name}) == len(rows())
    assert len(seen) == 2, "killed before the record and after it"


def test_a_listing_that_is_late_hides_no_run(store: LateStore) -> None:
    ingest("first")
    store.restarted()
    ingest("second")
    store.lag = 10_000
    for folder in ("_commits", "silver"):
        assert [name for name, _ in store.listed(place("lake") / folder)] == []
    assert rows() == ["first", "second"]
    assert Lake(place("lake")).opened().state.version == 1  # type: ignore[union-attr]  # it was opened


def test_of_two_runs_that_began_beside_each_other_one_counts(store: LateStore) -> None:
    ingest("first")
    with pytest.raises(InputError, match="was written by another run meanwhile; nothing of this one counts"):
        ingest("lost", meanwhile="other")
    assert rows() == ["first", "other"]
    ingest("lost")
    assert rows() == ["first", "lost", "other"]


def test_a_run_that_is_still_at_work_is_not_cleared_away(store: LateStore) -> None:
    ingest("first")
    with lake_for_writing(LAKE) as lake, new_run(lake) as run:
        file = run.table(SILVER) / "day=2026-03-01" / "part-0.parquet"
        write_table(pa.table({"value": ["slow"]}), file)
        with lake_for_writing(LAKE):
            assert read_bytes(file)
        run.commit({"inputs": []})
    assert rows() == ["first", "slow"]
    publish("old")
    with new_result(OUT) as slow:
        write_table(pa.table({"value": ["slow"]}), slow.folder / "part-0.parquet")
        publish("quick")
        assert read_bytes(slow.folder / "part-0.parquet")
    assert shown() == ["quick", "quick"]
