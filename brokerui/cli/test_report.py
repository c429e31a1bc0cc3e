"""The results of routing tests as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from brokerui.analysis.lint.finding_text import one_line
from brokerui.analysis.routing_tests.got import got_text
from routing.common.sentence import Sentence, Translate, say, say_counted
from routing.testing.coverage import RouteCoverage
from routing.testing.judging import Judgement


@dataclass(frozen=True, slots=True)
class TimedJudgement:
    """A judgement with its place in the file and the time that it took."""

    judgement: Judgement
    line: int
    seconds: float


@dataclass(frozen=True, slots=True)
class FileReport:
    """The results of one file of tests, in its order."""

    name: str
    results: tuple[TimedJudgement, ...]

    @property
    def failed(self) -> int:
        return sum(not one.judgement.passed for one in self.results)


def report_as_text(
    reports: Sequence[FileReport], covered: RouteCoverage, fail_under: float, translate: Translate
) -> Iterator[str]:
    """Each test with its result, file by file, then the sums."""
    for report in reports:
        yield f"{one_line(report.name)}\n"
        for one in report.results:
            yield from (f"{one_line(line.render(translate))}\n" for line in _lines(one))
    for sentence in (_sum(reports), _coverage(covered, fail_under)):
        yield f"{one_line(sentence.render(translate))}\n"


def _lines(one: TimedJudgement) -> Iterator[Sentence]:
    judgement = one.judgement
    if judgement.passed:
        yield say("  passed  {name}", name=judgement.test.name)
        return
    yield say("  FAILED  {name} (line {line})", name=judgement.test.name, line=one.line)
    for fault in judgement.faults:
        yield say("          {fault}", fault=fault)
    if judgement.got:
        yield say("          got: {outcomes}", outcomes=got_text(judgement))


def _sum(reports: Sequence[FileReport]) -> Sentence:
    count = sum(len(report.results) for report in reports)
    failed = sum(report.failed for report in reports)
    return say_counted(
        count,
        "{count} test: {passed} passed, {failed} failed.",
        "{count} tests: {passed} passed, {failed} failed.",
        passed=f"{count - failed:,}",
        failed=f"{failed:,}",
    )


def _coverage(covered: RouteCoverage, fail_under: float) -> Sentence:
    facts = {"used": f"{covered.used:,}", "total": f"{covered.total:,}", "percent": f"{covered.percent:.1f}"}
    if covered.is_under(fail_under):
        return say(
            "Their outcomes use {used} of {total} routes of the estate, {percent} %: fewer than --fail-under {limit}.",
            limit=f"{fail_under:g}",
            **facts,
        )
    return say("Their outcomes use {used} of {total} routes of the estate, {percent} %.", **facts)
