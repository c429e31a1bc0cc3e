"""A new run of a lake: its tables count from the moment at which the log of `silver` names it.

Nothing is moved or locked: each run writes into folders of its own, puts its record beside those of the others, and
commits. Of two runs at one time the log takes one. Where a run is killed, nothing of it counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pipeline.delta.errors import OvertakenError
from pipeline.delta.rewriting import Rewriting
from pipeline.delta.table import TableCommit
from pipeline.delta.written_files import WrittenFile, written_file
from pipeline.files.file_system import delete, exists, file_system
from pipeline.files.location import Location, location, relative_name
from pipeline.lake.commits import COMMITS, FILES, FOLDER, NEW_RUN, LakeState, put_record, read_state, record_file
from pipeline.lake.lake import Lake, is_lake
from pipeline.lake.tables import BRONZE, SILVER, TABLES, silver_log
from pipeline.results.free_folder import unwritable
from pipeline.results.output_folder import record_text, write_record
from pipeline.results.parquet_counts import parquet_files_in
from pipeline.results.run_names import is_left, unique_name
from pipeline.runtime.shutdown import SHUTDOWN
from pipeline.transforms.day_partition import DAY
from routing.common.errors import InputError
from routing.common.sentence import say

STAGING: Final = "_staging"
MARK: Final = "_lake"
"""The file by which a folder is a lake before its first run."""
_FORMER_FOLDER: Final = re.compile(r"run=[0-9]+")
"""The folders of the runs of before there was a log."""


@dataclass(slots=True)
class NewRun:
    """Tables in folders of a name that no other run has."""

    lake: Lake
    """The lake as it was when the run began: it is committed only if no other run was since."""
    name: str
    is_committing: bool = False

    @property
    def work(self) -> Location:
        """The folder for copies that only this run reads."""
        return self.lake.root / STAGING / self.name

    def table(self, name: str) -> Location:
        """Return the folder in which the run writes a table."""
        return self.lake.root / name / self.name

    def commit(self, record: dict[str, Any]) -> None:
        """Let the tables count from now on, all or none. A signal waits. Raises `InputError` if another run has
        committed since this one began; a compaction may have."""
        root = self.lake.root
        names = {table: self._names(table) for table in TABLES if table not in (BRONZE, SILVER)}
        about = {**record, FOLDER: self.name, FILES: {table: found for table, found in names.items() if found}}
        with SHUTDOWN.deferred():
            put_record(root, self.name, record_text(about))
            with self._committing():
                self._commit_after(self.state)
            delete(self.work)
            write_record(root, about)

    def commit_rewriting(self, rewriting: Rewriting, record: dict[str, Any]) -> None:
        """Let files of this run take the place of others with the same rows. A signal waits. Runs and compactions may
        have committed since this one began. Raises `InputError` if one of the others does not count any more."""
        root, about = self.lake.root, {**record, FOLDER: self.name, FILES: {}}
        with SHUTDOWN.deferred():
            put_record(root, self.name, record_text(about))
            with self._committing():
                self._rewrite_after(self.state, rewriting)
            delete(self.work)

    @contextmanager
    def _committing(self) -> Iterator[None]:
        """Keep the files from now on, unless the log has taken another commit: whether this one counts, only the log
        knows."""
        self.is_committing = True
        try:
            yield
        except OvertakenError:
            self.is_committing = False
            raise OvertakenError(self.lake.root) from None

    def _commit_after(self, state: LakeState) -> None:
        try:
            silver_log(self.lake.root).commit(self._commit(state), state.version)
        except OvertakenError:
            if not (later := read_state(self.lake.root)).has_rows_of(state):
                raise
            self._commit_after(later)

    def _rewrite_after(self, state: LakeState, rewriting: Rewriting) -> None:
        assert state.version is not None, "a lake with files to rewrite has a log"
        try:
            silver_log(self.lake.root).rewrite(rewriting, state.version)
        except OvertakenError:
            later = read_state(self.lake.root)
            if not {one.logged for one in rewriting.removed} <= {file.logged for file in later.silver}:
                raise
            self._rewrite_after(later, rewriting)

    def discard(self) -> None:
        """Remove all that the run wrote."""
        for folder in (*map(self.table, TABLES), self.work):
            delete(folder)
        delete(record_file(self.lake.root, self.name))

    @property
    def state(self) -> LakeState:
        """The lake as it was when the run began."""
        assert self.lake.state is not None, "a run begins with a lake that is opened"
        return self.lake.state

    def _commit(self, state: LakeState) -> TableCommit:
        """Return the commit of the run, and of the former runs that the log does not name yet."""
        root, former = self.lake.root, [run for run in state.runs if run.is_former]
        taken = [file for run in former for file in run.files(root, SILVER)]
        return TableCommit(
            [*(_written(root, file) for file in taken), *self.written()],
            transactions={**{run.name: run.number for run in former}, self.name: next_number(state)},
            about={"job": "ingest", "run": self.name},
        )

    def written(self) -> list[WrittenFile]:
        """Return the files with the clean rows that it wrote."""
        return [_written(self.lake.root, file) for file in parquet_files_in(self.table(SILVER))]

    def _names(self, table: str) -> list[str]:
        folder = self.table(table)
        return [relative_name(file, folder) for file in parquet_files_in(folder)]


def next_number(state: LakeState) -> int:
    """Return the number of a run that begins with a lake."""
    return max((run.number for run in state.runs), default=0) + 1


def _written(root: Location, file: Location) -> WrittenFile:
    return written_file(root / SILVER, file, (DAY,))


@contextmanager
def new_run(lake: Lake) -> Iterator[NewRun]:
    """Begin a run of a lake that is open for writing. Unless it is committed, nothing of it stays; the next run
    removes the files of a killed one."""
    run = NewRun(lake if lake.state else lake.opened(), unique_name(NEW_RUN))
    try:
        yield run
    finally:
        if not run.is_committing:
            with suppress(Exception):
                run.discard()


@contextmanager
def lake_for_writing(name: str) -> Iterator[Lake]:
    """Open the lake of this name for runs; make it if it does not exist.

    Raises `InputError` if it cannot be written, or is another kind of folder.
    """
    place = location(name)
    root = place.absolute() if isinstance(place, Path) else place
    try:
        _check_free(name, root)
        if not exists(root / COMMITS / MARK):
            file_system(root).put(root / COMMITS / MARK, b"")
        silver_log(root).clear_unfinished()
        _clear_left(root)
    except OSError as error:
        raise unwritable(name, error) from None
    try:
        yield Lake(root)
    except PermissionError as error:
        raise unwritable(name, error) from None
    finally:
        if isinstance(root, Path):
            with suppress(OSError):
                (root / STAGING).rmdir()


def _check_free(name: str, root: Location) -> None:
    state = file_system(root).state(root)
    if state is None or is_lake(name):
        return
    if not state.is_folder or any(True for _ in file_system(root).listed(root)):
        raise InputError(name, "", say("holds something else than a lake: name a new folder"))


def _clear_left(root: Location) -> None:
    """Remove the files of runs that were killed long ago; one that began lately may still be at work."""
    folders = read_state(root).by_folder
    known = {*folders, *(f"{name}.json" for name in folders)}
    for table in (*TABLES, STAGING, COMMITS):
        folder = root / table
        if exists(folder):
            for place, _ in list(file_system(folder).listed(folder)):
                if place.name not in known and _is_left(place.name, in_staging=table == STAGING):
                    delete(place)


def _is_left(name: str, *, in_staging: bool) -> bool:
    """Return whether a folder or a record is of a run that nobody goes on with, also of one from before there was a
    log."""
    is_former = name in TABLES if in_staging else bool(_FORMER_FOLDER.fullmatch(name))
    return is_former or is_left(name.removesuffix(".json"), NEW_RUN)
