"""Small files that a result takes over from the former one, written again as fewer.

It is part of the commit of the run: the former files count until the new result does. Only files of about one size
become one, so that a row is written again when its file has grown eightfold, and not in each run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pipeline.files.location import Location
from pipeline.results.former_files import rows_of_former
from pipeline.results.parquet_counts import parquet_files_in, rows_of
from pipeline.results.run_record import RowCountError
from pipeline.results.table_folders import TableFolders, run_of

Record = dict[str, Any]
FEW: Final = 8
"""As many files of one size become one."""
LARGEST_BYTES: Final = 1 << 27
"""No file becomes larger by it."""
_SMALLEST_BITS: Final = 16
"""Files below 64 KiB count as of one size, files of up to 8 times as many bytes as of the next, and so on."""
_BITS_OF_SIZE: Final = 3


@dataclass(frozen=True, slots=True)
class PartitionFiles:
    """Files of one partition that become one."""

    partition: str
    """The name of its folder, as in `day=2026-03-01`; empty: the table has no partitions."""
    files: Mapping[Location, Record]


Write = Callable[[str, Sequence[PartitionFiles]], None]
"""Write the groups of a table as one file each into the folder of the run."""


def merge_small_files(folders: TableFolders, kept: dict[str, dict[Location, Record]], write: Write) -> None:
    """Write small files again where they have become many, and take them out of those that are kept.

    Raises `RowCountError` if rows were lost.
    """
    for name, files in kept.items():
        groups = [*small_files(files)]
        if not groups:
            continue
        merged = {file for group in groups for file in group.files}
        before = {*parquet_files_in(folders.table(name))}
        write(name, groups)
        found = rows_of(file for file in parquet_files_in(folders.table(name)) if file not in before)
        wanted = sum(rows_of_former(group.files) for group in groups)
        if found != wanted:
            raise RowCountError(f"{wanted} rows of small files of {name}, {found} in their place")
        kept[name] = {file: about for file, about in files.items() if file not in merged}


def small_files(files: Mapping[Location, Record]) -> Iterator[PartitionFiles]:
    """Yield the files that become one: of one partition and about one size, in the order of runs."""
    by_size: dict[tuple[str, int], dict[Location, Record]] = {}
    for file, about in sorted(files.items(), key=lambda item: item[0].parts):
        by_size.setdefault((_partition(file), _size(about["bytes"])), {})[file] = about
    for (partition, _), some in by_size.items():
        if len(some) >= FEW:
            yield from (PartitionFiles(partition, group) for group in _packed(some) if len(group) > 1)


def files_by_partition(files: Mapping[Location, Record]) -> Iterator[PartitionFiles]:
    """Yield all files, those of one partition together as far as they make no file that is too large."""
    by_partition: dict[str, dict[Location, Record]] = {}
    for file, about in sorted(files.items(), key=lambda item: item[0].parts):
        by_partition.setdefault(_partition(file), {})[file] = about
    for partition, some in by_partition.items():
        yield from (PartitionFiles(partition, group) for group in _packed(some))


def _partition(file: Location) -> str:
    name = file.parent.name
    return "" if run_of(name) is not None else name


def _size(octets: int) -> int:
    return max(octets.bit_length() - _SMALLEST_BITS + _BITS_OF_SIZE - 1, 0) // _BITS_OF_SIZE


def _packed(files: Mapping[Location, Record]) -> Iterator[dict[Location, Record]]:
    """Yield neighbours that are together no larger than a file may become."""
    group: dict[Location, Record] = {}
    octets = 0
    for file, about in files.items():
        if octets + about["bytes"] > LARGEST_BYTES and group:
            yield group
            group, octets = {}, 0
        group[file] = about
        octets += about["bytes"]
    yield group
