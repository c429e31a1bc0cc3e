"""Run one job to its end: the lines that it prints, and its exit status."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Protocol, TextIO

from pipeline.files.location import is_url
from routing.common.command_line import write_error
from routing.common.errors import InputError
from routing.common.sentence import Sentence, say

BAD_INPUT, INTERRUPTED, FAILED, BROKEN_PIPE = 4, 130, 1, 141
SPARK: Final = "Spark"
"""The place that an error names where no file is at fault."""


class Ended(Protocol):
    """A job that was done."""

    @property
    def counts(self) -> Mapping[str, int]:
        """The numbers that a program gets that started the job."""

    def report(self) -> None:
        """Print them, with whatever else a person wants to know."""


OF_A_PLACE: Final = frozenset(
    (
        *(errno.ENAMETOOLONG, errno.ENOTDIR, errno.ELOOP, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC),
        *(errno.EDQUOT, errno.EFBIG, errno.EMFILE),
    )
)
"""Errors of the operating system about a file that the user named, or about its volume."""


def say_error(problem: object) -> None:
    """Write the line that names the problem."""
    write_error(f"error: {problem}\n")


def outcome_of(options: argparse.Namespace, on_error: Callable[[object], None] = say_error) -> int:
    """Run a job and return its exit status: 0, 1 if it failed, 4 for bad input. Raises failures that have no words."""
    try:
        run: Ended = options.run(options)
    except InputError as error:
        on_error(error)
        return BAD_INPUT
    except Exception as failure:
        explained = _explained(failure, _output_of(options))
        if explained is None:
            raise
        on_error(explained)
        return FAILED if explained.where == SPARK else BAD_INPUT
    if options.watched:
        from pipeline.jobs.progress import write_progress

        write_progress(counts=run.counts)
        return 0
    return written(run.report, say("the job is done, and its result complete"))


def written(write: Callable[[], object], done: Sentence | None = None) -> int:
    """Write to standard output. Returns 4 if that fails, after saying that the job is done, and 141 if its reader has
    gone."""
    output: TextIO | None = sys.stdout
    try:
        if output is None:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        write()
        output.flush()
    except OSError as error:
        if output is not None:  # Python's own flush at exit must not meet the same fault again
            os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())
        if isinstance(error, BrokenPipeError):
            return BROKEN_PIPE
        write_error(f"error: -: cannot be written: {error.strerror}{f'; {done}' if done else ''}\n")
        return BAD_INPUT
    return 0


def _output_of(options: argparse.Namespace) -> str:
    """Return the place that a job writes, as its user named it."""
    return str(getattr(options, "out", getattr(options, "lake", SPARK)))


def _explained(failure: Exception, output: str) -> InputError | None:
    """Return an error message for a failure of Spark or of a file; None: unknown, so the traceback is shown."""
    from pipeline.runtime.spark_errors import (
        GraphError,
        damaged_file,
        denied,
        missing_file,
        refused_place,
        spark_has_ended,
    )

    if (damaged := damaged_file(failure)) is not None:
        return InputError(damaged, "Parquet", say("is damaged: it cannot be read to its end"))
    if (missing := missing_file(failure)) is not None:
        return InputError(missing, "", say("is not there any more: lake vacuum, or another program, removed it"))
    if isinstance(failure, GraphError):
        return InputError(SPARK, "", say("rejected the graph of the tables; its output says why"))
    if (words := denied(failure)) is not None:
        return InputError(SPARK, "", say("has no permission: {reason}", reason=words))
    if (refused := refused_place(failure)) is not None:
        return InputError(refused.place or output, "", say("cannot be written: {reason}", reason=refused.reason))
    if isinstance(failure, OSError):
        name = str(failure.filename) if isinstance(failure.filename, str | Path) else output
        if is_url(name) or failure.errno in OF_A_PLACE:
            return InputError(name, "", say("{reason}", reason=failure.strerror or str(failure)))
    if spark_has_ended(failure):
        return InputError(SPARK, "", say("ended before the job was done; nothing was published"))
    return None
