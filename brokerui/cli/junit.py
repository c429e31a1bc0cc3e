"""The results of routing tests as JUnit XML, which build servers read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from brokerui.analysis.routing_tests.got import got_text
from brokerui.cli.test_report import FileReport, TimedJudgement
from routing.common.sentence import Sentence, Translate, say

_NOT_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML cannot hold, not even escaped."""


def junit(reports: Sequence[FileReport], translate: Translate = str) -> str:
    """One suite for each file, one case for each test; the failure of a case names the outcome that broke the test."""
    root = ElementTree.Element("testsuites", _counts(reports))
    for report in reports:
        suite = ElementTree.SubElement(root, "testsuite", {"name": _text(report.name), **_counts([report])})
        for one in report.results:
            _add_case(suite, report.name, one, translate)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _add_case(suite: ElementTree.Element, file: str, one: TimedJudgement, translate: Translate) -> None:
    place = {"file": _text(file), "line": str(one.line), "time": f"{one.seconds:.6f}"}
    names = {"classname": _text(file), "name": _text(one.judgement.test.name)}
    case = ElementTree.SubElement(suite, "testcase", names | place)
    if one.judgement.passed:
        return
    faults = [fault.render(translate) for fault in one.judgement.faults]
    failure = ElementTree.SubElement(case, "failure", {"message": _text("; ".join(faults)), "type": "outcome"})
    got = got_text(one.judgement)
    if got:
        shown = say("got: {outcomes}", outcomes=got).render(translate)
        failure.text = _text("\n".join((*faults, shown)))


def _counts(reports: Sequence[FileReport]) -> dict[str, str]:
    seconds = sum(one.seconds for report in reports for one in report.results)
    return {
        "tests": str(sum(len(report.results) for report in reports)),
        "failures": str(sum(report.failed for report in reports)),
        "errors": "0",
        "skipped": "0",
        "time": f"{seconds:.6f}",
    }


def _text(value: Sentence | str) -> str:
    return _NOT_XML.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), str(value))
