"""Where the tables of a result are: each is a folder, which has a folder for the files of each run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pipeline.files.file_system import delete, file_system, is_folder
from pipeline.files.location import Location, location
from pipeline.results.output_folder import QUARANTINE

SUMMARY: Final = "_summary"
"""Folder of the tables beside the rows of a result. Spark skips it when the rows are read by their folder."""
PREFIX: Final = "result-"
"""How the names of the folders begin that have the files of a run."""
LOG: Final = "_delta_log"
WORK: Final = "_work"
_OF_A_RUN: Final = re.compile(rf"{PREFIX}[0-9]{{8}}T[0-9]{{6}}Z-[0-9a-f]{{8}}")


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
        return self.place / self.own

    def table(self, name: str) -> Location:
        """Return the folder for the files of a table."""
        return self.place / name / self.own

    @property
    def quarantine(self) -> Location:
        """The folder for the rows that fit nothing."""
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
            if table.name != WORK and is_folder(table / self.own):
                yield table, table / self.own

    def clear(self) -> None:
        """Remove what this run wrote, and the folders that hold nothing else."""
        for table in reversed([*table_folders(self.place)]):
            delete(table / self.own)
            remove_empty(table)


def table_folders(place: Location) -> Iterator[Location]:
    """Yield the folders that may be tables of a result: its own, those in it, and those of its summary."""
    if not is_folder(place):
        return
    yield place
    for folder in _folders_in(place):
        yield folder
        if folder.name == SUMMARY:
            yield from _folders_in(folder)


def _folders_in(folder: Location) -> list[Location]:
    found = file_system(folder).listed(folder)
    return [place for place, state in found if state.is_folder and not is_of_files(place.name)]


def is_of_files(name: str) -> bool:
    """Return whether a folder has the files of a run or the log of a table."""
    return name == LOG or _OF_A_RUN.fullmatch(name) is not None


def remove_empty(folder: Location) -> None:
    """Remove a folder that holds nothing."""
    if is_folder(folder) and not any(file_system(folder).listed(folder)):
        delete(folder)
