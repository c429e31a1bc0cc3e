"""The command line of the pipeline: `brokerui pipeline JOB …`."""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TextIO

from pipeline.files.location import is_url
from pipeline.job_arguments import JOBS, add_spark
from routing.common.command_line import CommandParser, write_error
from routing.common.errors import InputError
from routing.common.sentence import Sentence, say

if TYPE_CHECKING:
    from pipeline.results.run_record import JobRun

BAD_INPUT, INTERRUPTED, FAILED, BROKEN_PIPE = 4, 130, 1, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one job; 0, 1 for a job that failed, 2 for bad usage, 4 for bad input."""
    options = argparse.Namespace()
    status = _written(lambda: _parser().parse_args(arguments, options))
    if status:
        return status
    try:
        run = _run(options)
    except InputError as error:
        write_error(f"error: {error}\n")
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as failure:
        explained = _explained(failure)
        if explained is None:
            raise
        write_error(f"error: {explained}\n")
        return BAD_INPUT if explained.path or is_url(explained.where) else FAILED
    if options.watched:
        from pipeline.jobs.progress import write_progress

        write_progress(counts=run.counts)
        return 0
    return _report(run)


def _report(run: JobRun) -> int:
    """Print what the job counted."""
    return _written(run.report, say("the job is done, and its result complete"))


def _written(write: Callable[[], object], done: Sentence | None = None) -> int:
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


def _run(options: argparse.Namespace) -> JobRun:
    if options.watched:
        from pipeline.jobs.progress import start_progress

        start_progress()
    run: JobRun = options.run(options)
    return run


def _explained(failure: Exception) -> InputError | None:
    """Return an error message for a failure of Spark; None: unknown, so the traceback is shown."""
    from pipeline.runtime.spark_errors import GraphError, damaged_file, denied, spark_has_ended

    if (damaged := damaged_file(failure)) is not None:
        return InputError(damaged, "Parquet", say("is damaged: it cannot be read to its end"))
    if isinstance(failure, GraphError):
        return InputError("Spark", "", say("rejected the graph of the tables; its output says why"))
    if (words := denied(failure)) is not None:
        return InputError("Spark", "", say("has no permission: {reason}", reason=words))
    if isinstance(failure, OSError) and isinstance(failure.filename, str) and is_url(failure.filename):
        return InputError(failure.filename, "", say("{reason}", reason=failure.strerror or str(failure)))
    if spark_has_ended(failure):
        return InputError("Spark", "", say("ended before the job was done; nothing was published"))
    return None


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="brokerui pipeline",
        description="Spark jobs that apply the routing rules to the traffic of a whole estate.",
        allow_abbrev=False,
    )
    jobs = parser.add_subparsers(metavar="JOB", required=True)
    for name, (summary, add_arguments, run) in JOBS.items():
        job = jobs.add_parser(name, help=summary, description=f"{summary.capitalize()}.", allow_abbrev=False)
        add_arguments(job)
        add_spark(job)
        job.set_defaults(run=run)
    return parser


# ---------------------------------------------------------------- the jobs


# ---------------------------------------------------------------- values
