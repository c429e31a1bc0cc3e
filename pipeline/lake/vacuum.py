"""Files of a lake that no version names which anybody may still read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from pipeline.delta.changes import TableChange
from pipeline.files.file_system import delete, file_system
from pipeline.files.location import Location, is_url, relative_name
from pipeline.files.state import FileState
from pipeline.lake.commits import LakeState, read_state
from pipeline.lake.tables import SILVER, silver_log
from pipeline.results.parquet_counts import parquet_files_in


@dataclass(frozen=True, slots=True)
class FormerFile:
    """A file of clean rows that counts no more."""

    path: str
    """Below the lake, with slashes."""
    place: Location
    bytes: int


def former_files(root: Location, before: datetime) -> list[FormerFile]:
    """Return the files that no version has named since this moment, sorted.

    Folders that the log does not name are passed over: a run may be at work there, and be about to commit.
    """
    state = read_state(root)
    if state.version is None:
        return []
    changes = silver_log(root).changes()
    kept = {file.path for file in state.silver} | set(_kept(changes, before, state.version))
    found = (_former(root, path) for path in sorted(_candidates(root, state, changes, before) - kept))
    return [file for file in found if file is not None]


def remove(root: Location, files: Sequence[FormerFile]) -> None:
    """Remove files, and the folders of this machine that are empty then."""
    for file in files:
        delete(file.place)
    if isinstance(root, Path):
        folders = {folder for file in files for folder in Path(file.path).parents if len(folder.parts) > 1}
        for folder in sorted(folders, key=lambda folder: -len(folder.parts)):
            with suppress(OSError):
                (root / folder).rmdir()


def _kept(changes: Sequence[TableChange], before: datetime, version: int) -> Iterator[str]:
    """Yield the files that counted at this moment or later, and do not any more, and those of later commits."""
    for change in changes:
        yield from (path for path, moment in change.removed.items() if moment >= before)
        if change.version > version:
            yield from change.added


def _candidates(root: Location, state: LakeState, changes: Sequence[TableChange], before: datetime) -> set[str]:
    """Return the files that the log calls removed, and those in folders of committed runs: in time, the log forgets
    removed files."""
    removed = {path for change in changes for path in change.removed if not is_url(path)}
    return removed | (set(_written(root, state, before)) if _knows_all_since(changes, before) else set())


def _knows_all_since(changes: Sequence[TableChange], before: datetime) -> bool:
    """Return whether the log still has each commit since this moment."""
    first = changes[0] if changes else None
    return first is not None and (first.version == 0 or (first.at is not None and first.at < before))


def _written(root: Location, state: LakeState, before: datetime) -> Iterator[str]:
    """Yield the files in folders of committed runs that were written before this moment."""
    for folder in state.by_folder:
        for file in parquet_files_in(root / SILVER / folder):
            found = file_system(file).state(file)
            if found is not None and _written_at(found) < before:
                yield relative_name(file, root / SILVER)


def _written_at(state: FileState) -> datetime:
    return datetime.fromtimestamp(state.modified / 1e9, UTC)


def _former(root: Location, path: str) -> FormerFile | None:
    """Return a file; None: somebody removed it by now."""
    place = root / SILVER / path
    state = file_system(place).state(place)
    return None if state is None else FormerFile(f"{SILVER}/{path}", place, state.size)
