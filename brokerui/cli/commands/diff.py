"""`brokerui diff`: list every class of traffic whose outcome a change alters."""

from __future__ import annotations

import argparse
import gc
import re
import sys
from collections.abc import Iterator

from brokerui.analysis.effect.diff_report import DiffReport, report_as_json
from brokerui.analysis.lint.finding_text import one_line
from brokerui.cli.arguments import (
    add_at,
    add_estate,
    add_format,
    add_max_size,
    must_be_given,
    now_unless,
    one_from_standard_input,
)
from brokerui.cli.diff_report import report_as_text
from brokerui.cli.inputs import load_estate
from brokerui.cli.traffic_weights import load_weights
from brokerui.core.languages import here, local
from routing.classes.traffic_class import Vocabulary
from routing.common.sentence import say
from routing.diff.result import CHANGED, UNCHANGED, WORSE
from routing.diff.run import compare

LIMIT = 100_000
STATUS = {UNCHANGED: 0, CHANGED: 1, WORSE: 3}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_estate(parser, "before")
    add_estate(parser, "after")
    help_text = local(say("JSON lines or CSV: weigh the classes by their messages"))
    parser.add_argument("--traffic", metavar="FILE", help=help_text)
    help_text = local(say("rows at the most (default: {limit})", limit=LIMIT))
    parser.add_argument("--limit", metavar="N", type=_whole, default=LIMIT, help=help_text)
    add_at(parser)
    add_format(parser)
    add_max_size(parser)


def run(options: argparse.Namespace) -> int:
    """0 when nothing changes, 1 when something does, 3 when something that a route or the traffic names is worse."""
    gc.disable()  # this process makes no cycles worth collecting, and ends soon
    one_from_standard_input(options.before, options.after, options.traffic)
    before = load_estate(options.before, options.max_size)
    after = load_estate(options.after, options.max_size)
    weights = load_weights(options.traffic, Vocabulary(before, after)) if options.traffic else None
    at = now_unless(options.at)
    report = DiffReport(compare(before, after, at), weights, options.limit, after, at)
    for remark in report.remarks:
        sys.stderr.write(f"{one_line(remark.render(here()))}\n")
    _write(report_as_json(report) if options.format == "json" else report_as_text(report, here()))
    return STATUS[report.verdict]


def _write(pieces: Iterator[str]) -> None:
    for piece in pieces:
        sys.stdout.write(piece)


def _whole(text: str) -> int:
    if not re.fullmatch(r"[0-9]{1,18}", text):
        raise must_be_given(say("a whole number"), text)
    return int(text)
