"""`brokerui pipeline`: the Spark jobs, in a process of their own."""

from __future__ import annotations

import argparse
import os
import sys

from brokerui.cli.standard_output import need_output
from brokerui.core.languages import local
from routing.common.sentence import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    help_text = local(say("the job and its arguments; --help lists the jobs"))
    parser.add_argument("arguments", nargs=argparse.REMAINDER, metavar="JOB …", help=help_text)


def run(options: argparse.Namespace) -> int:
    """Becomes `python -m pipeline`: signals, streams and the exit status are the job's own."""
    command = [sys.executable, "-m", "pipeline", *options.arguments]
    need_output()
    sys.stdout.flush()
    os.execv(sys.executable, command)  # noqa: S606 - our own module
