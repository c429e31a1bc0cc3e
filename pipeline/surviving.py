"""Files that turn out to be damaged while they are read: they count as unreadable, and the rest goes on."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from pipeline.faults import FAILURES, damaged_file
from pipeline.files import File

UNREADABLE = "unreadable"


def surviving(files: Sequence[File], work: Callable[[list[File]], None], clear: Callable[[], None]) -> None:
    """Does the work with the files, and once more without each that is damaged, after what was begun is cleared away.

    How a Parquet file ends says nothing of what is in it; only reading it to its end does.
    """
    found = list(files)
    while (damaged := _attempted(work, found)) is not None:
        left = [_without(file, damaged) for file in found]
        assert left != found, damaged
        found = left
        clear()


def emptied(folder: Path) -> None:
    """Removes all that a folder holds."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def _attempted(work: Callable[[list[File]], None], files: list[File]) -> Path | None:
    """The file that is damaged, where one of these is."""
    try:
        work(files)
    except FAILURES as failure:
        damaged = damaged_file(failure)
        if damaged is None or not any(file.layout and file.path.resolve() == damaged.resolve() for file in files):
            raise
        return damaged
    return None


def _without(file: File, damaged: Path) -> File:
    is_it = file.path.resolve() == damaged.resolve()
    return replace(file, layout=None, fault=UNREADABLE, rows=0) if is_it else file
