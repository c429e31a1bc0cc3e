"""`brokerui test`: judge routing tests on an estate."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from datetime import datetime
from time import perf_counter

from brokerui.analysis.lint.finding_text import one_line
from brokerui.analysis.routing_tests.files import RoutingTestFile, check_entries, judged, read_tests
from brokerui.analysis.routing_tests.yaml_values import MAX_TEXT_BYTES
from brokerui.cli.arguments import add_at, add_max_size, must_be_given, now_unless, one_from_standard_input
from brokerui.cli.inputs import load_bytes, load_estate
from brokerui.cli.junit import junit
from brokerui.cli.outputs import STANDARD_OUTPUT, write_output
from brokerui.cli.test_report import FileReport, TimedJudgement, report_as_text
from brokerui.core.languages import here, local
from routing.common.sentence import Sentence, say
from routing.model.estate import Estate
from routing.testing.coverage import coverage
from routing.testing.judging import unknown_places


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "files", metavar="FILE", nargs="+", help=local(say("routing tests, YAML, - for standard input"))
    )
    parser.add_argument(
        "--estate", required=True, metavar="ESTATE", help=local(say("estate document, - for standard input"))
    )
    help_text = local(say("write the results as JUnit XML to this file; - for standard output, instead of the text"))
    parser.add_argument("--junit", metavar="F", help=help_text)
    help_text = local(say("fail if the outcomes of the tests use fewer routes of the estate, in percent"))
    parser.add_argument("--fail-under", metavar="P", type=_percent, default=0.0, help=help_text)
    add_at(parser)
    add_max_size(parser)


def run(options: argparse.Namespace) -> int:
    """0 when all tests hold and use enough routes, else 1."""
    one_from_standard_input(options.estate, *options.files)
    estate = load_estate(options.estate, options.max_size)
    files = [_load(name, estate) for name in options.files]
    at = now_unless(options.at)
    reports = [_judged(file, estate, at) for file in files]
    covered = coverage(estate, (one.judgement.used for report in reports for one in report.results))
    for remark in (one for file in files for one in _remarks(file, estate)):
        sys.stderr.write(f"{one_line(remark.render(here()))}\n")
    if options.junit is not None:
        write_output(options.junit, junit(reports, here()))
    if options.junit != STANDARD_OUTPUT:
        sys.stdout.writelines(report_as_text(reports, covered, options.fail_under, here()))
    return int(any(report.failed for report in reports) or covered.is_under(options.fail_under))


def _load(name: str, estate: Estate) -> RoutingTestFile:
    file = read_tests(load_bytes(name, MAX_TEXT_BYTES, is_fixed=True), name)
    check_entries(file, estate)
    return file


def _remarks(file: RoutingTestFile, estate: Estate) -> Iterator[Sentence]:
    """Names that the estate lacks: a `never` with one of them holds whatever happens."""
    for test, line in zip(file.tests, file.lines, strict=True):
        for pattern in unknown_places(test, estate):
            yield say(
                '{file}: line {line}: the estate has nothing that "{pattern}" can match',
                file=file.name,
                line=line,
                pattern=str(pattern),
            )


def _judged(file: RoutingTestFile, estate: Estate, at: datetime) -> FileReport:
    results = []
    judgements = judged(file, estate, at)
    for line in file.lines:
        begun = perf_counter()
        judgement = next(judgements)
        results.append(TimedJudgement(judgement, line, perf_counter() - begun))
    return FileReport(file.name, tuple(results))


def _percent(text: str) -> float:
    if not re.fullmatch(r"[0-9]{1,3}(\.[0-9]{1,6})?", text) or float(text) > 100:
        raise must_be_given(say("a share in percent, 0 to 100"), text)
    return float(text)
