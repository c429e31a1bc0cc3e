"""Small files of a former result become fewer within the commit of a run, wherever the run is killed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.files.file_system import FileSystems
from pipeline.files.local import LocalFiles
from pipeline.files.location import Location, location
from pipeline.files.parquet import parquet_source, write_table
from pipeline.results import merging
from pipeline.results.former_files import former_files
from pipeline.results.manifest import table_manifest
from pipeline.results.merging import PartitionFiles, merge_small_files, small_files
from pipeline.results.new_tables import new_tables
from pipeline.results.output_folder import read_record
from pipeline.results.run_record import RowCountError
from tests.pipeline.files.late_store import Killed, LateStore, steps

OUT, PART = "late://store/out", "_parts/events"
RUN = "_parts/events/run=result-20261127T041200Z-{:08}"


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> LateStore:
    found = LateStore()
    monkeypatch.setattr("pipeline.files.file_system.FILE_SYSTEMS", FileSystems(LocalFiles(), found))
    monkeypatch.setattr("pipeline.results.run_names.LEFT_FOR", timedelta(seconds=-1))
    return found


def values_in(file: Location) -> list[str]:
    with parquet_source(file) as source:
        found: list[str] = pq.read_table(source)["value"].to_pylist()
    return found


def round_with(value: str, *, loses: bool = False) -> None:
    """A run that adds a value to each of two classes, as a round of telemetry does; `loses`: merging loses a row."""
    with new_tables(OUT) as result:
        folders = result.folders
        for number in (138, 140):
            write_table(pa.table({"value": [value]}), folders.table(PART) / f"event_class={number}" / "part-0.parquet")

        def write(name: str, groups: Sequence[PartitionFiles]) -> None:
            for group in groups:
                values = [value for file in group.files for value in values_in(file)][loses:]
                write_table(
                    pa.table({"value": values}), folders.table(name) / group.partition / f"part-{value}.parquet"
                )

        record = read_record(folders.place)
        kept = (record and former_files(folders.place, record, [PART])) or {PART: {}}
        merge_small_files(folders, kept, write)
        result.publish({"format": "brokerui.gold/1", **table_manifest(folders, kept)})


def shown() -> dict[str, list[str]]:
    """The values of each class."""
    found: dict[str, list[str]] = {}
    for file in files_of_part():
        found.setdefault(file.parent.name, []).extend(values_in(file))
    return {name: sorted(values) for name, values in found.items()}


def files_of_part() -> list[Location]:
    record = read_record(location(OUT))
    assert record is not None
    return [location(OUT) / one["path"] for one in record["parts"]["events"]["files"]]


def files_shown() -> int:
    return len(files_of_part())


def both(values: str) -> dict[str, list[str]]:
    return {"event_class=138": [*values], "event_class=140": [*values]}


def test_a_round_that_merges_counts_as_a_whole_or_not_wherever_it_is_killed(
    store: LateStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "FEW", 3)
    for value in "abc":
        round_with(value)
    seen, objects = set[int](), dict(store.objects)
    for step in steps(store, lambda: round_with("d")):
        store.objects, store.made = dict(objects), dict.fromkeys(objects, -100_000)
        store.restarted(step)
        try:
            round_with("d")
        except Killed:
            pass
        else:
            break
        store.restarted()
        assert (shown(), files_shown()) in ((both("abc"), 6), (both("abcd"), 4))
        seen.add(files_shown())
        is_done = files_shown() == 4
        round_with("e")
        assert shown() in (both("abcde" if is_done else "abce"), both("e")), "a killed commit has all read anew"
    assert seen == {4, 6}, "killed before the record and after it"
    store.restarted()
    assert (shown(), files_shown()) == (both("abcd"), 4)
    round_with("e")
    assert (shown(), files_shown()) == (both("abcde"), 6)


def test_a_round_that_loses_a_row_in_merging_does_not_count(store: LateStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merging, "FEW", 2)
    round_with("a")
    round_with("b")
    with pytest.raises(RowCountError, match="4 rows of small files of _parts/events, 2 in their place"):
        round_with("c", loses=True)
    assert shown() == both("ab")


def about(run: int, octets: int, partition: str = "day=2026-03-01") -> tuple[Location, dict[str, int]]:
    return location(f"/out/{RUN.format(run)}/{partition}/part.parquet"), {"bytes": octets, "rows": 1}


def test_only_files_of_one_partition_and_one_size_become_one_and_none_too_large() -> None:
    small, large = [about(run, 1_000) for run in range(8)], [about(10 + run, 30 << 20) for run in range(8)]
    other = [about(20 + run, 1_000, "day=2026-03-02") for run in range(7)]
    found = [*small_files(dict([*large, *small, *other]))]
    assert [[*group.files] for group in found] == [
        [file for file, _ in small],
        [file for file, _ in large[:4]],
        [file for file, _ in large[4:]],
    ]
    assert {group.partition for group in found} == {"day=2026-03-01"}
    assert not [*small_files(dict([*small[:7], *large[:7], *other]))]
    assert not [*small_files(dict(about(run, 100 << 20) for run in range(20)))], "they are as large as files become"


@given(st.lists(st.integers(1, 1 << 20), max_size=300))
def test_files_stay_few_and_a_row_is_written_again_a_few_times(sizes: list[int]) -> None:
    files, written = dict[Location, dict[str, int]](), 0
    for run, octets in enumerate(sizes):
        groups = [*small_files(files)]
        for number, group in enumerate(groups):
            octets_of_group = sum(one["bytes"] for one in group.files.values())
            written += octets_of_group
            files = {file: one for file, one in files.items() if file not in group.files}
            place, _ = about(run, 0)
            files[place.with_name(f"merged-{number}")] = {"bytes": octets_of_group, "rows": 1}
        files |= dict([about(run, octets)])
        by_size = Counter(merging._size(one["bytes"]) for one in files.values())
        assert all(number <= merging.FEW for number in by_size.values())
    assert sum(one["bytes"] for one in files.values()) == sum(sizes)
    assert written <= 5 * sum(sizes) + len(sizes) * (1 << 16)
