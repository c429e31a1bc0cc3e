"""Compaction of a lake: the small files of a day become one, with the same rows.

The rows are those of the same runs, so sums, classes and what `route` takes over hold. The files of before are there
until `vacuum` removes them: versions that name them can be read until then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pipeline.delta.rewriting import Rewriting
from pipeline.delta.table import TableFile
from pipeline.delta.written_files import WrittenFile
from pipeline.files.file_system import delete
from pipeline.lake.commits import COVERS, RUN, LakeState
from pipeline.lake.new_run import NewRun, next_number
from pipeline.lake.tables import SILVER, SILVER_TYPE, silver_log
from pipeline.results.run_record import RowCountError
from pipeline.transforms.day_partition import DAY
from routing.common.errors import InputError
from routing.common.sentence import say

SMALL: Final = 0.5
"""Files below this part of the wanted size are small. The others stay, so that no row is written again each time."""


@dataclass(frozen=True, slots=True)
class FileGroup:
    """Files of a day that become one."""

    day: str
    files: tuple[TableFile, ...]

    @property
    def rows(self) -> int:
        """The number of their rows."""
        return sum(file.rows or 0 for file in self.files)

    @property
    def bytes(self) -> int:
        """Their size together."""
        return sum(file.bytes for file in self.files)


Write = Callable[[NewRun, Sequence[FileGroup]], None]
"""Write each group as one file into the folder of the run."""


@dataclass(frozen=True, slots=True)
class Compaction:
    """Files that a compaction put in place of others."""

    groups: Sequence[FileGroup]
    written: Sequence[WrittenFile]

    def counts(self) -> dict[str, int]:
        """Return the counts of a run."""
        return {
            "rows": sum(file.rows for file in self.written),
            "files before": sum(len(group.files) for group in self.groups),
            "files now": len(self.written),
            "bytes before": sum(group.bytes for group in self.groups),
            "bytes now": sum(file.bytes for file in self.written),
        }


Record = Callable[[Compaction], dict[str, Any]]
"""Return the record of the run when its files are written."""


def small_files(state: LakeState, wanted_bytes: int) -> list[FileGroup]:
    """Return the files that belong together, in the order of days: at least two, of one day, that become one file of
    about this size.

    Files that another program wrote stay as they are: nobody knows which run their rows came with.
    """
    by_day: dict[str, list[TableFile]] = {}
    for file in sorted(state.silver, key=lambda file: file.path):
        if _is_ours(state, file) and file.bytes < SMALL * wanted_bytes:
            by_day.setdefault(str(file.partition[DAY]), []).append(file)
    packed = ((day, group) for day, files in sorted(by_day.items()) for group in _packed(files, wanted_bytes))
    return [FileGroup(day, tuple(group)) for day, group in packed if len(group) > 1]


def _is_ours(state: LakeState, file: TableFile) -> bool:
    """Return whether a run wrote the file, and the log has it with its rows."""
    has_run = file.path.startswith(RUN) and file.path.partition("/")[0] in state.by_folder
    return has_run and bool(file.logged) and file.rows is not None and file.partition[DAY] is not None


def _packed(files: Sequence[TableFile], wanted_bytes: int) -> Iterator[list[TableFile]]:
    """Yield neighbours that are together no larger than this."""
    group: list[TableFile] = []
    for file in files:
        if group and sum(one.bytes for one in [*group, file]) > wanted_bytes:
            yield group
            group = []
        group.append(file)
    if group:
        yield group


def check_columns(run: NewRun) -> None:
    """Raise `InputError` if the table has columns that this version of the pipeline would lose."""
    found = silver_log(run.lake.root).read()
    more = sorted(set(found.columns if found else ()) - set(SILVER_TYPE.names))
    if more:
        problem = say("has columns that this version does not know: {columns}", columns=", ".join(more))
        raise InputError(str(run.lake.root), "", problem)


def compact(run: NewRun, groups: Sequence[FileGroup], write: Write, record: Record) -> None:
    """Write groups of files as one file each, and commit.

    Raises `InputError` if another compaction or program was quicker, `RowCountError` if rows were lost.
    """
    check_columns(run)
    delete(run.table(SILVER))
    write(run, groups)
    found = Compaction(groups, run.written())
    _check_rows(found)
    state = run.state
    rewriting = Rewriting(
        [file.as_removed() for group in groups for file in group.files],
        found.written,
        transactions={run.name: next_number(state)},
        about={"job": "compact", "run": run.name},
    )
    run.commit_rewriting(rewriting, {**record(found), COVERS: _covered(state, groups)})


def _check_rows(found: Compaction) -> None:
    """Raise `RowCountError` unless each day has as many rows as before."""
    before, now = dict[str, int](), dict[str, int]()
    for group in found.groups:
        before[group.day] = before.get(group.day, 0) + group.rows
    for file in found.written:
        day = str(file.partition[DAY])
        now[day] = now.get(day, 0) + file.rows
    if before != now:
        raise RowCountError(f"{sum(before.values())} rows in, {sum(now.values())} out of a compaction")


def _covered(state: LakeState, groups: Sequence[FileGroup]) -> dict[str, list[str]]:
    """Return the runs whose rows are in the new files, by day."""
    found: dict[str, set[str]] = {}
    for group in groups:
        found.setdefault(group.day, set()).update(*(state.runs_in(file) for file in group.files))
    return {day: sorted(runs) for day, runs in found.items()}
