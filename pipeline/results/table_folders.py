"""Where the tables of a result are: each is a folder, which has a folder for the files of each run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pipeline.files.file_system import delete, delete_empty, file_system, is_folder
from pipeline.files.location import Location, location
from pipeline.results.output_folder import QUARANTINE

SUMMARY: Final = "_summary"
"""Folder of the tables beside the rows of a result. Spark skips it when the rows are read by their folder."""
PARTS: Final = "_parts"
"""Folder of the tables that a result keeps for the next run. They are divided by a column, and so are their folders."""
PREFIX: Final = "result-"
"""How the names of the folders begin that have the files of a run."""
LOG: Final = "_delta_log"
WORK: Final = "_work"
_RUN: Final = "run="
_OF_A_RUN: Final = re.compile(rf"(?:{_RUN})?({PREFIX}[0-9]{{8}}T[0-9]{{6}}Z-[0-9a-f]{{8}})")


def result_place(name: str) -> Location:
    """Return the folder of a result, whatever folder this process is in later."""
    place = location(name)
    return place.absolute() if isinstance(place, Path) else place


@dataclass(frozen=True, slots=True)
class TableFolders:
    """The folders that one run writes into."""

    place: Location
    """The folder of the result, and of its rows."""
    own: str
    """The name of the folders of this run, which no other run has."""

    @property
    def rows(self) -> Location:
        """The folder for rows that are read by the folder of the result."""
        return folder_of_run(self.place, self.own)

    def table(self, name: str) -> Location:
        """Return the folder for the files of a table."""
        return folder_of_run(self.place / name, self.own)

    @property
    def quarantine(self) -> Location:
        """The folder for the rows that were rejected."""
        return self.table(QUARANTINE)

    @property
    def work(self) -> Location:
        """The folder for tables that only this run reads."""
        return self.table(WORK)

    @property
    def begun(self) -> Location:
        """The file that is there as long as the run is at work."""
        return self.work / "begun"

    def written(self) -> Iterator[tuple[Location, Location]]:
        """Yield each table that this run wrote: its folder, and the one with the files of this run."""
        for table in table_folders(self.place):
            if table.name != WORK and is_folder(own := folder_of_run(table, self.own)):
                yield table, own

    def clear(self) -> None:
        """Remove what this run wrote, and the folders that hold nothing else."""
        for table in reversed([*table_folders(self.place)]):
            delete(folder_of_run(table, self.own))
            delete_empty(table)


def table_folders(place: Location) -> Iterator[Location]:
    """Yield the folders that may be tables of a result: its own, those in it, and those of its summary and parts."""
    if not is_folder(place):
        return
    yield place
    for folder in _folders_in(place):
        yield folder
        if folder.name in (SUMMARY, PARTS):
            yield from _folders_in(folder)


def _folders_in(folder: Location) -> list[Location]:
    found = file_system(folder).listed(folder)
    return [place for place, state in found if state.is_folder and not is_of_files(place.name)]


def folder_of_run(table: Location, run: str) -> Location:
    """Return the folder with the files that a run wrote of a table. That of a part is named like one of a partition:
    Spark takes no other above those of partitions."""
    return table / (f"{_RUN}{run}" if table.parent.name == PARTS else run)


def run_of(name: str) -> str | None:
    """Return the run whose files a folder has; None: its name is of another kind."""
    found = _OF_A_RUN.fullmatch(name)
    return found[1] if found else None


def is_of_files(name: str) -> bool:
    """Return whether a folder has the files of a run or the log of a table."""
    return name == LOG or run_of(name) is not None
