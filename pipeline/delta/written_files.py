"""Files that Spark wrote below a table, as a commit names them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Final
from urllib.parse import unquote

from pipeline.delta.statistics import statistics_text
from pipeline.files.file_system import state_of
from pipeline.files.location import Location, relative_name
from pipeline.files.parquet import parquet_metadata

_NULL: Final = "__HIVE_DEFAULT_PARTITION__"
"""The folder of rows whose partition column is NULL."""
_MILLISECOND: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file that is there, and does not count yet."""

    path: str
    """Below the root of the table, with slashes."""
    partition: Mapping[str, str | None]
    bytes: int
    modified: int
    """Milliseconds since 1970."""
    rows: int
    statistics: str


def written_file(root: Location, file: Location, partitions: tuple[str, ...]) -> WrittenFile:
    """Describe a file below the root of a table, by its place and its footer."""
    state, footer, path = state_of(file), parquet_metadata(file), relative_name(file, root)
    return WrittenFile(
        path=path,
        partition=partition_of(path, partitions),
        bytes=state.size,
        modified=state.modified // _MILLISECOND,
        rows=footer.num_rows,
        statistics=statistics_text(footer),
    )


def partition_of(path: str, partitions: tuple[str, ...]) -> dict[str, str | None]:
    """Return the value of each partition column, which the name of a folder has (`day=2026-03-01`)."""
    named = dict(part.split("=", 1) for part in PurePosixPath(path).parent.parts if "=" in part)
    return {name: None if named[name] == _NULL else unquote(named[name]) for name in partitions}
