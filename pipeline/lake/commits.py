"""The runs that count in a lake: those that the log of `silver` names. Their records are in `_commits`.

A run puts its record there before its commit, under a name that no other run has. Former lakes have no log: a record
`run=N.json` was the commit. Such runs count as before, and the next run that commits takes them into the log.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pipeline.delta.table import TableFile, TableVersion
from pipeline.delta.written_files import partition_of
from pipeline.files.file_system import exists, file_system, files_in, read_bytes
from pipeline.files.location import Location, RemoteLocation, relative_name
from pipeline.lake.tables import SILVER, silver_log
from pipeline.results.output_folder import read_record
from pipeline.results.parquet_counts import parquet_files_in
from pipeline.transforms.day_partition import DAY
from routing.common.errors import InputError
from routing.common.sentence import say

COMMITS: Final = "_commits"
FOLDER, FILES, COVERS = "folder", "files", "covers"
"""Fields of the record of a run: the name of its folders, its files by table, and for a compaction the runs whose rows
its files have, by day."""
RUN: Final = "run="
NEW_RUN: Final = f"{RUN}new-"
"""How the names of the runs begin that a log names."""
_FORMER_RECORD: Final = re.compile(r"run=[0-9]+[.]json")
_READ: Final[dict[tuple[RemoteLocation, int, int], bytes]] = {}
"""Records behind URLs that this process has read, by size and time of change: a record is never altered."""


@dataclass(frozen=True, slots=True)
class LakeRun:
    """A run that counts, with its record."""

    name: str
    number: int
    content: bytes
    record: Mapping[str, Any]
    is_former: bool = False
    """Return whether the log does not name it yet."""

    @property
    def folder(self) -> str:
        """The name of its folder in each table."""
        found: str = self.record.get(FOLDER, self.name)
        return found

    @property
    def rows(self) -> int:
        """The number of clean rows that it added."""
        found: int = self.record.get("counts", {}).get("out", 0)
        return found

    @property
    def is_compaction(self) -> bool:
        """Return whether it added no rows, and only wrote those of other runs into fewer files."""
        return COVERS in self.record

    def runs_on(self, day: str | None) -> Sequence[str]:
        """Return the names of the runs whose rows are in its files of a day."""
        covered: Sequence[str] = self.record[COVERS].get(day, ()) if self.is_compaction else (self.name,)
        return covered

    def files(self, root: Location, table: str) -> list[Location]:
        """Return its files of a table; for clean rows only of a former run."""
        folder = root / table / self.folder
        if FILES not in self.record:
            return parquet_files_in(folder)
        return [folder / name for name in self.record[FILES].get(table, ())]


@dataclass(frozen=True, slots=True)
class LakeState:
    """A lake at one moment: its runs in their order, and the files of the clean rows."""

    version: int | None
    """The version of `silver`; None: it has no log yet."""
    runs: tuple[LakeRun, ...]
    silver: tuple[TableFile, ...]
    by_folder: Mapping[str, LakeRun]
    """The runs and the compactions that count, by the name of their folders."""

    @property
    def names(self) -> frozenset[str]:
        """The names of all runs."""
        return frozenset(run.name for run in self.runs)

    @property
    def compactions(self) -> frozenset[str]:
        """The names of the compactions."""
        return frozenset(run.name for run in self.by_folder.values() if run.is_compaction)

    def runs_in(self, file: TableFile) -> frozenset[str]:
        """Return the runs whose rows are in a file; of one that another program wrote, all of them may be."""
        run = self.by_folder.get(file.path.partition("/")[0])
        return frozenset(run.runs_on(file.partition[DAY]) if run else ()) or self.names

    def has_rows_of(self, earlier: LakeState) -> bool:
        """Return whether all commits since an earlier state were compactions: the rows are the same."""
        if self.version is None or earlier.version is None or self.names != earlier.names:
            return False
        return self.version - earlier.version == len(self.compactions - earlier.compactions)


def read_state(root: Location, version: int | None = None) -> LakeState:
    """Return a lake as it is, or as it was in a version of `silver`. Raises `InputError` if it is damaged, or vacuum
    removed files of the version."""
    found = silver_log(root).read(version)
    if found is None:
        check_never_had_log(root)
    if version is not None:
        _check_version(root, version, found)
    logged = {} if found is None else found.transactions
    records = [_logged(root, name, number) for name, number in logged.items() if name.startswith(RUN)]
    former = [] if version is not None else [run for run in _former(root) if run.name not in logged]
    runs = [run for run in [*records, *former] if not run.is_compaction]
    files = [] if found is None else found.files
    return LakeState(
        version=None if found is None else found.version,
        runs=tuple(sorted(runs, key=lambda run: (run.number, run.name))),
        silver=(*files, *(file for run in former for file in _silver_of(root, run))),
        by_folder={run.folder: run for run in [*records, *former]},
    )


def check_never_had_log(root: Location) -> None:
    """Raise `InputError` if a run has committed to the log of this lake, which is not there: nothing would count."""
    run = str((read_record(root) or {}).get(FOLDER, ""))
    # Behind a URL runs had such folders before there was a log; their records had names of numbers.
    if run.startswith(NEW_RUN) and exists(record_file(root, run)):
        raise InputError(str(root / SILVER), "", say("is damaged: the beginning of its log is not there"))


def _check_version(root: Location, version: int, found: TableVersion | None) -> None:
    """Raise `InputError` unless all files of a former version are there: vacuum removes those that count no more."""
    last = silver_log(root).read()
    if found is None or last is None:
        raise InputError(str(root), "", say("has no versions yet: a run that adds rows makes the first"))
    counting = {file.path for file in last.files}
    if not all(file.path in counting or exists(file.place) for file in found.files):
        problem = say("cannot be read as of version {version}: vacuum removed some of its files", version=version)
        raise InputError(str(root), "", problem)


def put_record(root: Location, name: str, content: bytes) -> None:
    """Put the record of a run beside the others. It counts when the log names the run."""
    file_system(root).put(record_file(root, name), content)


def record_file(root: Location, name: str) -> Location:
    """Return the place of the record of a run."""
    return root / COMMITS / f"{name}.json"


def _logged(root: Location, name: str, number: int) -> LakeRun:
    content = _content(record_file(root, name))
    try:
        return LakeRun(name, number, content, json.loads(content))
    except ValueError:
        problem = say("is damaged: the record of the run {name} is not there", name=name)
        raise InputError(str(root), "", problem) from None


def _former(root: Location) -> Iterator[LakeRun]:
    """Yield the runs of before there was a log. A record that is not whole was never committed."""
    for file in _former_records(root):
        content = _content(file)
        try:
            yield LakeRun(file.stem, _number(file), content, json.loads(content), is_former=True)
        except ValueError:
            if isinstance(file, Path):
                raise
            continue


def _former_records(root: Location) -> list[Location]:
    """Return the files of former records in their order, also of those that a listing does not show yet."""
    found = [place for place in files_in(root / COMMITS) if _FORMER_RECORD.fullmatch(place.name)]
    last = max(map(_number, found), default=0)
    while isinstance(root, RemoteLocation) and exists(following := record_file(root, f"{RUN}{last + 1:06}")):
        found.append(following)
        last += 1
    return found


def _number(record: Location) -> int:
    return int(record.stem.removeprefix(RUN))


def _silver_of(root: Location, run: LakeRun) -> Iterator[TableFile]:
    for place in run.files(root, SILVER):
        path = relative_name(place, root / SILVER)
        yield TableFile(path, place, partition_of(path, (DAY,)), 0, None)


def _content(file: Location) -> bytes:
    state = file_system(file).state(file)
    if state is None:
        return b""
    if isinstance(file, Path):
        return read_bytes(file)
    key = (file, state.size, state.modified)
    if key not in _READ:
        _READ[key] = read_bytes(file)
    return _READ[key]
