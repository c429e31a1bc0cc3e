"""Lakes in a store that lists late and renames nothing, written by jobs that are killed at each step."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from random import Random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.files.file_system import FileSystems, read_bytes
from pipeline.files.local import LocalFiles
from pipeline.files.location import RemoteLocation
from pipeline.files.parquet import parquet_source, write_table
from pipeline.lake.compaction import FileGroup, compact, small_files
from pipeline.lake.lake import Lake
from pipeline.lake.new_run import NewRun, lake_for_writing, new_run
from pipeline.lake.tables import SILVER
from pipeline.lake.vacuum import former_files, remove
from pipeline.results.run_record import RowCountError
from pipeline.runtime.shutdown import Shutdown
from routing.common.errors import InputError
from tests.pipeline.files.late_store import Killed, LateStore, place, steps
from tests.pipeline.signals import interrupted_at

LAKE = "late://store/lake"


@pytest.fixture
def store(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> LateStore:
    found = LateStore()
    monkeypatch.setattr("pipeline.files.file_system.FILE_SYSTEMS", FileSystems(LocalFiles(), found))
    return found


def values_in(file: RemoteLocation) -> list[str]:
    with parquet_source(file) as source:
        found: list[str] = pq.read_table(source)["value"].to_pylist()
    return found


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
    monkeypatch.setattr("pipeline.results.run_names.LEFT_FOR", timedelta(seconds=-1))
    ingest("first")
    seen, objects = set[str](), dict(store.objects)
    for step in steps(store, lambda: ingest("second")):
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


def test_a_former_record_that_is_cut_off_was_never_committed(store: LateStore) -> None:
    ingest("first")
    store.put(place("lake") / "_commits" / "run=000002.json", b'{"format": "brok')
    assert rows() == ["first"]
    ingest("second")
    assert (rows(), len(Lake(place("lake")).commits())) == (["first", "second"], 2)


def compact_now(*, meanwhile: str | None = None) -> int:
    """Compact a lake without Spark; a run may commit while it is at work. Returns the number of groups."""

    def write(run: NewRun, groups: Sequence[FileGroup]) -> None:
        for group in groups:
            values = [value for file in group.files for value in values_in(file.place)]  # type: ignore[arg-type]  # all of the store
            write_table(pa.table({"value": values}), run.table(SILVER) / f"day={group.day}" / "part-0.parquet")
        if meanwhile is not None:
            ingest(meanwhile)

    with lake_for_writing(LAKE) as lake, new_run(lake) as run:
        groups = small_files(run.state, 1 << 20)
        if groups:
            compact(run, groups, write, lambda found: {"inputs": [], "counts": found.counts()})
    return len(groups)


def files() -> int:
    return len(Lake(place("lake")).files(SILVER))


def test_a_compaction_counts_as_a_whole_or_not_wherever_it_is_killed(store: LateStore) -> None:
    for value in ("a", "b", "c"):
        ingest(value)
    seen, objects = set[int](), dict(store.objects)
    for step in steps(store, compact_now):
        store.objects, store.made = dict(objects), dict.fromkeys(objects, -100_000)
        store.restarted(step)
        try:
            compact_now()
        except Killed:
            pass
        else:
            break
        store.restarted()
        assert (rows(), files()) in ((["a", "b", "c"], 3), (["a", "b", "c"], 1))
        seen.add(files())
        former = [set(Lake(place("lake")).opened(version).files(SILVER)) for version in range(3)]
        assert ([*map(len, former)], former[0] < former[1] < former[2]) == ([1, 2, 3], True)
        ingest("next")
        assert rows() == ["a", "b", "c", "next"]
    assert seen == {1, 3}, "killed before the commit and after it"
    store.restarted()
    assert (rows(), files()) == (["a", "b", "c"], 1)


def test_only_files_below_half_the_size_become_one(store: LateStore) -> None:
    for value in ("a", "b", Random(1).randbytes(2_000).hex()):
        ingest(value)
    state = Lake(place("lake")).opened().state
    assert state is not None
    octets = sorted(file.bytes for file in state.silver)
    groups = [
        len(group.files) for half in (octets[0], octets[2], octets[2] + 1) for group in small_files(state, 2 * half)
    ]
    assert groups == [2, 3]


def test_a_compaction_whose_file_is_listed_late_does_not_count(store: LateStore) -> None:
    ingest("a")
    ingest("b")
    store.restarted()
    store.lag = 10_000
    with pytest.raises(RowCountError, match="2 rows in, 0 out"):
        compact_now()
    assert (rows(), files()) == (["a", "b"], 2)


def test_a_run_beside_a_compaction_counts_and_the_compaction_too(store: LateStore) -> None:
    ingest("a")
    ingest("b")
    assert compact_now(meanwhile="c") == 1
    assert (rows(), files()) == (["a", "b", "c"], 2)
    with lake_for_writing(LAKE) as lake, new_run(lake) as run:
        write_table(pa.table({"value": ["d"]}), run.table(SILVER) / "day=2026-03-01" / "part-0.parquet")
        assert compact_now() == 1
        run.commit({"inputs": [], "counts": {"in": 1, "out": 1}})
    assert (rows(), files()) == (["a", "b", "c", "d"], 2)
    assert [len(Lake(place("lake")).opened(version).files(SILVER)) for version in range(6)] == [1, 2, 3, 2, 1, 2]


def test_of_two_compactions_of_the_same_files_one_counts(store: LateStore) -> None:
    ingest("a")
    ingest("b")

    def write(run: NewRun, groups: Sequence[FileGroup]) -> None:
        write_table(pa.table({"value": ["a", "b"]}), run.table(SILVER) / "day=2026-03-01" / "part-0.parquet")
        compact_now()

    with (
        pytest.raises(InputError, match="was written by another run meanwhile"),
        lake_for_writing(LAKE) as lake,
        new_run(lake) as run,
    ):
        compact(run, small_files(run.state, 1 << 20), write, lambda _found: {"inputs": []})
    assert (rows(), files()) == (["a", "b"], 1)
    assert len({name.split("/")[5] for name in store.objects if "/silver/run=" in name}) == 3, "nothing of it stays"


def test_a_compaction_that_lost_a_row_does_not_count(store: LateStore) -> None:
    ingest("a")
    ingest("b")

    def write(run: NewRun, groups: Sequence[FileGroup]) -> None:
        write_table(pa.table({"value": ["a"]}), run.table(SILVER) / "day=2026-03-01" / "part-0.parquet")

    with pytest.raises(RowCountError, match="2 rows in, 1 out"), lake_for_writing(LAKE) as lake, new_run(lake) as run:
        compact(run, small_files(run.state, 1 << 20), write, lambda _found: {"inputs": []})
    assert (rows(), files()) == (["a", "b"], 2)


def test_which_runs_are_new_is_known_after_a_compaction(store: LateStore) -> None:
    lake = Lake(place("lake"))
    ingest("a")
    ingest("b")
    routed = frozenset(lake.commits())
    before = lake.as_input(routed)
    compact_now()
    assert lake.commits().keys() == routed, "a compaction adds no rows, so it is no run"
    ingest("c")
    ingest("d")
    now = lake.opened()
    assert (now.is_apart(routed), now.as_input(routed)) == (True, before)
    new = now.only_runs(now.commits().keys() - routed)
    assert sorted(value for file in new.files(SILVER) for value in values_in(file)) == ["c", "d"]  # type: ignore[arg-type]  # all of the store
    compact_now()
    assert (rows(), files(), lake.opened().is_apart(routed)) == (["a", "b", "c", "d"], 1, False)
    assert lake.opened().is_apart(frozenset(lake.commits()))


def test_vacuum_takes_what_no_version_within_its_time_names(store: LateStore) -> None:
    ingest("a")
    ingest("b")
    compact_now()
    root = place("lake")
    assert former_files(root, datetime.now(UTC) - timedelta(days=7)) == []
    found = former_files(root, datetime.now(UTC) + timedelta(seconds=1))
    assert [file.path.rpartition("/")[2] for file in found] == ["part-0.parquet"] * 2
    assert Lake(root).opened(1).files(SILVER)
    objects = dict(store.objects)
    for step in steps(store, lambda: remove(root, former_files(root, datetime.now(UTC) + timedelta(seconds=1)))):
        store.objects = dict(objects)
        store.restarted(step)
        try:
            remove(root, former_files(root, datetime.now(UTC) + timedelta(seconds=1)))
        except Killed:
            pass
        else:
            break
        store.restarted()
        assert rows() == ["a", "b"]
    store.restarted()
    assert (rows(), files()) == (["a", "b"], 1)
    with pytest.raises(InputError, match="cannot be read as of version 1: vacuum removed some of its files"):
        Lake(root).opened(1)


def test_vacuum_takes_nothing_of_a_run_at_work(store: LateStore) -> None:
    ingest("a")
    with lake_for_writing(LAKE) as lake, new_run(lake) as run:
        write_table(pa.table({"value": ["slow"]}), run.table(SILVER) / "day=2026-03-01" / "part-0.parquet")
        assert former_files(lake.root, datetime.now(UTC) + timedelta(days=1)) == []
        run.commit({"inputs": []})
    assert former_files(place("lake"), datetime.now(UTC) + timedelta(days=1)) == []
    assert rows() == ["a", "slow"]


def test_vacuum_knows_its_own_files_where_the_log_has_forgotten_them(store: LateStore) -> None:
    for value in ("a", "b"):
        ingest(value)
    compact_now()
    root = place("lake")
    log = {name: name.rpartition("/")[2] for name in store.objects if "_delta_log/0" in name}
    for name in [name for name, file in log.items() if file.endswith(".json") and int(file[:20]) < 2]:
        del store.objects[name]
    assert rows() == ["a", "b"]
    assert len(former_files(root, datetime.now(UTC) + timedelta(seconds=1))) == 2
    ingest("c")
    del store.objects[next(name for name, file in log.items() if file == f"{2:020}.json")]
    soon = datetime.now(UTC) + timedelta(days=1)
    assert len(former_files(root, soon)) == 2, "the commit that removed them is gone, but was made before"
    long_ago = datetime.now(UTC) - timedelta(days=7)
    assert former_files(root, long_ago) == [], "nobody knows when they were removed"


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


def test_a_signal_in_the_commit_of_a_run_waits_for_it(store: LateStore, ending: Shutdown) -> None:
    ingest("first")
    with interrupted_at("put_record", "pipeline.lake.new_run", ending):
        ingest("second")
    assert (rows(), files()) == (["first", "second"], 2)


def test_a_signal_in_the_commit_of_a_compaction_waits_for_it(store: LateStore, ending: Shutdown) -> None:
    ingest("first")
    ingest("second")
    with interrupted_at("put_record", "pipeline.lake.new_run", ending):
        compact_now()
    assert (rows(), files()) == (["first", "second"], 1)
