"""`pipeline round`: several jobs one after the other in one process, with one Python, one Java and one session."""

from __future__ import annotations

import argparse
import logging
import os
import shlex
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import NamedTuple, NoReturn

from pipeline.job_arguments import add_jobs
from pipeline.outcome import BAD_INPUT, FAILED, outcome_of, say_error
from routing.common.command_line import CommandParser
from routing.common.errors import InputError
from routing.common.sentence import say

logger = logging.getLogger(__name__)
FROM_INPUT = "-"
_OF_SESSION = ("master", "memory", "conf", "watched")
"""Options that the jobs of a round share."""


class RoundJob(NamedTuple):
    """A job as its line says it, with its arguments."""

    line: str
    arguments: argparse.Namespace


class JobResult(NamedTuple):
    """How a job ended."""

    status: int
    error: str
    """The line that names the problem; empty: the job was done."""


def run_round(options: argparse.Namespace) -> int:
    """Run each job, also after one that failed. Returns the status of the first that failed, else 0.

    Raises `InputError` for a line that is no job: before the first job begins, if all lines are there by then.
    """
    from pipeline.jobs.progress import start_progress

    is_asked = options.lines == FROM_INPUT
    if options.watched:
        start_progress(ends_with_input=not is_asked)
        if is_asked:
            return _first_failure(AskedJobs(options).statuses())
    lines = sys.stdin.read() if is_asked else _text(options.lines)
    found = enumerate((line.strip() for line in lines.splitlines()), 1)
    jobs = [_job(line, number, options) for number, line in found if line and not line.startswith("#")]
    return _first_failure(_status(job, f"{number} of {len(jobs)}") for number, job in enumerate(jobs, 1))


def _first_failure(statuses: Iterator[int]) -> int:
    return next(iter([status for status in statuses if status]), 0)


def _text(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(name, "", say("cannot be read: {reason}", reason=reason or str(error))) from None


def _status(job: RoundJob, place: str) -> int:
    if not job.arguments.watched:
        sys.stdout.write(f"{place}: {job.line}\n")
        sys.stdout.flush()
    return _result(job).status


def _result(job: RoundJob) -> JobResult:
    """Run a job; one that fails in a way that nobody can explain shows its traceback, too."""
    from pipeline.runtime.session import release_session

    problems: list[str] = []

    def on_error(problem: object) -> None:
        problems.append(str(problem))
        say_error(problem)

    try:
        status = outcome_of(job.arguments, on_error)
    except Exception as failure:
        logger.exception("%s failed", job.line)
        problems.append(f"{type(failure).__name__}: {failure}")
        status = FAILED
    release_session()
    return JobResult(status, "".join(problems))


class AskedJobs:
    """Jobs that the program that started the round asks for, each when it has seen the status of the one before."""

    def __init__(self, options: argparse.Namespace) -> None:
        self._options = options
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._is_running = False
        Thread(target=self._listen, daemon=True).start()

    def statuses(self) -> Iterator[int]:
        """Run each job that is asked for, until standard input is closed."""
        from pipeline.jobs.progress import write_progress

        for number, line in enumerate(iter(self._lines.get, None), 1):
            self._is_running = True
            result = self._answer(line, number)
            self._is_running = False  # from now on, the end of standard input is the end of the round
            write_progress(**result._asdict())
            yield result.status

    def _answer(self, line: str, number: int) -> JobResult:
        try:
            return _result(_job(line.strip(), number, self._options))
        except InputError as error:
            say_error(error)
            return JobResult(BAD_INPUT, str(error))

    def _listen(self) -> None:
        """Pass on lines. The end of standard input ends a job that runs: its starter was killed."""
        for line in sys.stdin:
            self._lines.put(line)
        self._lines.put(None)
        if self._is_running:
            os.kill(os.getpid(), signal.SIGTERM)


def _job(line: str, number: int, options: argparse.Namespace) -> RoundJob:
    name = "standard input" if options.lines == FROM_INPUT else options.lines
    shared = argparse.Namespace(**{option: getattr(options, option) for option in _OF_SESSION})
    try:
        arguments = _line_parser().parse_args(shlex.split(line), shared)
    except ValueError as fault:
        raise InputError(name, f"line {number}", say("{reason}", reason=str(fault))) from None
    if getattr(arguments, "follow", False):
        raise InputError(name, f"line {number}", say("ingest --follow does not end: start it by itself"))
    return RoundJob(line, arguments)


class LineParser(CommandParser):
    """Reads the arguments of a line. Raises `ValueError` with the fault of a line."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def _line_parser() -> LineParser:
    parser = LineParser(add_help=False, allow_abbrev=False)
    for _ in add_jobs(parser.add_subparsers(metavar="JOB", required=True), add_help=False):
        pass
    return parser
