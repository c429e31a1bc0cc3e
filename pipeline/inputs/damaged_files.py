"""Repeat a job without the files that turn out to be damaged while it reads them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pipeline.files.location import decoded_uri
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


def _damaged_in(work: Callable[[list[InputFile]], None], files: list[InputFile]) -> str | None:
    """Run `work`. Returns the file that Spark found damaged, or None."""
    try:
        work(files)
    except SPARK_FAILURES as failure:
        damaged = damaged_file(failure)
        if damaged is None or not any(file.layout and decoded_uri(file.path) == damaged for file in files):
            raise
        return damaged
    return None


def _without(file: InputFile, damaged: str) -> InputFile:
    is_it = decoded_uri(file.path) == damaged
    return replace(file, layout=None, fault=UNREADABLE, rows=0) if is_it else file
