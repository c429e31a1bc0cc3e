"""The command line of the pipeline: `brokerui pipeline JOB …`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from pipeline.job_arguments import add_jobs, add_spark
from pipeline.outcome import BAD_INPUT, INTERRUPTED, outcome_of, say_error, written
from pipeline.round import FROM_INPUT, run_round
from routing.common.command_line import CommandParser
from routing.common.errors import InputError


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one job, or the jobs of a round; 0, 1 for a job that failed, 2 for bad usage, 4 for bad input."""
    options = argparse.Namespace()
    status = written(lambda: _parser().parse_args(arguments, options))
    if status:
        return status
    try:
        if options.job == "round":
            return run_round(options)
        if options.watched:
            from pipeline.jobs.progress import start_progress

            start_progress(ends_with_input=True)
        return outcome_of(options)
    except InputError as error:
        say_error(error)
        return BAD_INPUT
    except KeyboardInterrupt:
        return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = CommandParser(
        prog="brokerui pipeline",
        description="Spark jobs that apply the routing rules to the traffic of a whole estate.",
        allow_abbrev=False,
    )
    jobs = parser.add_subparsers(metavar="JOB", dest="job", required=True)
    for job in add_jobs(jobs):
        add_spark(job)
    summary = "several jobs, one after the other, in one session of Spark"
    in_turn = jobs.add_parser("round", help=summary, description=f"{summary.capitalize()}.", allow_abbrev=False)
    help_text = f"a file with a job on each line, as after `brokerui pipeline`; {FROM_INPUT}: standard input"
    in_turn.add_argument("lines", metavar="FILE", help=help_text)
    add_spark(in_turn)
    return parser
