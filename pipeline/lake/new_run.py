"""A new run of a lake: its tables count from the moment at which its record stands in `_commits`.

In a plain folder the tables are written beside the lake and moved into it, under a lock. Behind a URL nothing is moved
or locked: each run has folders of its own, its record names their files, and of two runs one can write the next record.
"""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Protocol

from pipeline.files.file_system import delete, exists, file_system
from pipeline.files.location import Location, RemoteLocation, location, relative_name
from pipeline.lake.commits import COMMITS, FILES, FOLDER, put_record, record_files, run_after
from pipeline.lake.lake import BRONZE, TABLES, Lake, is_lake
from pipeline.results.new_result import is_left, unique_name, unwritable
from pipeline.results.output_folder import write_record
from pipeline.results.parquet_counts import parquet_files_in
from routing.common.errors import InputError
from routing.common.sentence import say

STAGING, LOCK = "_staging", "_lock"
MARK: Final = "_lake"
"""The file by which a folder behind a URL is a lake before its first run."""
_PREFIX: Final = "run=new-"


class NewRun(Protocol):
    """A run that is being written."""

    @property
    def work(self) -> Location:
        """The folder for copies that only this run reads."""

    def table(self, name: str) -> Location:
        """Return the folder in which the run writes a table."""

    def commit(self, record: dict[str, Any]) -> None:
        """Let the tables count from now on, all or none."""


def new_run(lake: Lake) -> NewRun:
    """Begin a run of a lake that is open for writing."""
    if isinstance(lake.root, Path):
        return StagedRun(lake, lake.root)
    return NamedRun(lake, lake.root, run_after(record_files(lake.root)), unique_name(_PREFIX))


@contextmanager
def lake_for_writing(name: str) -> Iterator[Lake]:
    """Open the lake of this name for runs; make it if it does not exist.

    Raises `InputError` if it cannot be written, is another kind of folder, or is locked by another run.
    """
    root = location(name)
    try:
        with _locked(name, root.absolute()) if isinstance(root, Path) else _shared(name, root) as lake:
            yield lake
    except PermissionError as error:
        raise unwritable(name, error) from None


def _folders_of(lake: Lake) -> set[str]:
    """Return the names of the folders of all committed runs."""
    return {record.get(FOLDER, run) for run, record in lake.commits().items()}


def _check_free(name: str, root: Location, *ours: str) -> None:
    state = file_system(root).state(root)
    if state is None or is_lake(name):
        return
    if not state.is_folder or any(place.name not in ours for place, _ in file_system(root).listed(root)):
        raise InputError(name, "", say("holds something else than a lake: name a new folder"))


# ---------------------------------------------------------------- plain folders


@dataclass(frozen=True, slots=True)
class StagedRun:
    """Tables in `_staging`, which are moved into the lake."""

    lake: Lake
    root: Path

    @property
    def work(self) -> Path:
        """The folder for copies that only this run reads."""
        return self.root / STAGING

    def table(self, name: str) -> Path:
        """Return the folder in which the run writes a table."""
        return self.work / name

    def commit(self, record: dict[str, Any]) -> None:
        """Move the tables first, write the record last."""
        run = run_after(record_files(self.root))
        for table in TABLES:
            if self.table(table).is_dir():
                (self.root / table).mkdir(exist_ok=True)
                self.table(table).rename(self.root / table / run)
        put_record(self.root, run, record)
        write_record(self.root, record)


@contextmanager
def _locked(name: str, root: Path) -> Iterator[Lake]:
    _check_free(name, root, LOCK)
    (root / COMMITS).mkdir(parents=True, exist_ok=True)
    with (root / LOCK).open("a", encoding="utf-8") as lock:
        _lock_file(lock.fileno(), name)
        lake = Lake(root)
        _roll_back(lake, root)
        yield lake
        shutil.rmtree(root / STAGING)


def _lock_file(file: int, name: str) -> None:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(name, "", say("is being written by another run")) from None


def _roll_back(lake: Lake, root: Path) -> None:
    """Remove the leftovers of a run that was killed."""
    shutil.rmtree(root / STAGING, ignore_errors=True)
    known = _folders_of(lake)
    for table in TABLES:
        for folder in (root / table).glob("run=*"):
            if folder.name not in known:
                shutil.rmtree(folder)
    (root / STAGING).mkdir()


# ---------------------------------------------------------------- behind a URL


@dataclass(frozen=True, slots=True)
class NamedRun:
    """Tables in folders of a name that no other run has."""

    lake: Lake
    root: RemoteLocation
    run: str
    """The name that was free when the run began."""
    folder: str

    @property
    def work(self) -> RemoteLocation:
        """The folder for copies that only this run reads."""
        return self.root / STAGING / self.folder

    def table(self, name: str) -> RemoteLocation:
        """Return the folder in which the run writes a table."""
        return self.root / name / self.folder

    def commit(self, record: dict[str, Any]) -> None:
        """Write the record as the next one. Raises `InputError` if another run wrote one since this run began."""
        files = {table: self._names(table) for table in TABLES if table != BRONZE}
        about = {**record, FOLDER: self.folder, FILES: {table: names for table, names in files.items() if names}}
        try:
            put_record(self.root, self.run, about)
        except FileExistsError:
            raise _overtaken(self.root) from None
        delete(self.work)
        write_record(self.root, about)

    def _names(self, table: str) -> list[str]:
        folder = self.table(table)
        return [relative_name(file, folder) for file in parquet_files_in(folder)]


def _overtaken(root: Location) -> InputError:
    return InputError(
        str(root), "", say("was written by another run meanwhile; nothing of this one counts: run it again")
    )


@contextmanager
def _shared(name: str, root: RemoteLocation) -> Iterator[Lake]:
    try:
        _check_free(name, root)
        if not exists(root / COMMITS / MARK):
            file_system(root).put(root / COMMITS / MARK, b"")
        lake = Lake(root)
        _clear_left(lake, root)
    except OSError as error:
        raise unwritable(name, error) from None
    yield lake


def _clear_left(lake: Lake, root: RemoteLocation) -> None:
    """Remove what runs left that were killed long ago; one that began lately may still be at work."""
    known = _folders_of(lake)
    for table in (*TABLES, STAGING):
        folder = root / table
        if exists(folder):
            for place, _ in list(file_system(folder).listed(folder)):
                if place.name not in known and is_left(place.name, _PREFIX):
                    delete(place)
