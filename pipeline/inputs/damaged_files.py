"""Repeat a job without the files that turn out to be damaged while it reads them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from pipeline.inputs.files import InputFile
from pipeline.runtime.spark_errors import SPARK_FAILURES, damaged_file

UNREADABLE = "unreadable"


def without_damaged_files(
    files: Sequence[InputFile], work: Callable[[list[InputFile]], None], clear: Callable[[], None]
) -> None:
    """Run `work`; if a file is damaged, mark it as unreadable, call `clear` and run `work` again without it.

    A Parquet file with an intact footer may still be damaged: only reading it to its end shows that.
    """
    found = list(files)
    while (damaged := _damaged_in(work, found)) is not None:
        left = [_without(file, damaged) for file in found]
        assert left != found, damaged
        found = left
        clear()


def empty_folder(folder: Path) -> None:
    """Remove everything in a folder."""
    for path in folder.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()


def _damaged_in(work: Callable[[list[InputFile]], None], files: list[InputFile]) -> Path | None:
    """Run `work`. Returns the file that Spark found damaged, or None."""
    try:
        work(files)
    except SPARK_FAILURES as failure:
        damaged = damaged_file(failure)
        if damaged is None or not any(file.layout and file.path.resolve() == damaged.resolve() for file in files):
            raise
        return damaged
    return None


def _without(file: InputFile, damaged: Path) -> InputFile:
    is_it = file.path.resolve() == damaged.resolve()
    return replace(file, layout=None, fault=UNREADABLE, rows=0) if is_it else file
