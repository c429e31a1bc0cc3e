"""Contents of the page of findings: those that a filter lets through, a page of them, by severity and code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from urllib.parse import urlencode

from brokerui.analysis.lint.selectors import LintReport
from brokerui.analysis.lint.stored_findings import StoredFinding
from brokerui.core.filters import FilterError
from brokerui.core.paging import Page, page_number
from brokerui.pages.findings.filtering import findings_kept
from brokerui.pages.shell.filtered_page import FilteredPage
from routing.common.finding import SEVERITIES
from routing.common.sentence import Sentence
from routing.lint.registry import CHECKS

TITLES: Mapping[str, Sentence] = {check.code: check.title for check in CHECKS}


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """Findings of one severity and code that stand on a page."""

    severity: str
    code: str
    title: Sentence
    total: int
    """Number of rows on all pages."""
    findings: tuple[StoredFinding, ...]


@dataclass(frozen=True, slots=True)
class FindingCount:
    """One line of the summary: how many findings of a severity and code there are, and which."""

    severity: str
    code: str
    title: Sentence
    count: int
    query: str
    is_on: bool


@dataclass
class FindingListing(FilteredPage[StoredFinding]):
    """The list, for one address of the page."""

    viewed: Mapping[str, str]
    text: str
    asked_page: str
    report: LintReport
    error: FilterError | None = None

    @cached_property
    def rows(self) -> list[StoredFinding]:
        """All that fit, worst first; none where the filter cannot be."""
        try:
            return findings_kept(self.text, self.report.findings)
        except FilterError as error:
            self.error = error
            return []

    @property
    def filter_text(self) -> str:
        return self.text

    @cached_property
    def page(self) -> Page[StoredFinding]:
        return Page.of(self.rows, page_number(self.asked_page))

    @property
    def groups(self) -> list[FindingGroup]:
        totals = _counted(self.rows)
        return [
            FindingGroup(*key, TITLES[key[1]], totals[key], tuple(members))
            for key, members in groupby(self.page.shown, _kind)
        ]

    @property
    def kinds(self) -> list[FindingCount]:
        """All there are, whatever the filter, worst first."""
        counts = _counted(self.report.findings)
        order = list(TITLES)
        keys = sorted(counts, key=lambda key: (SEVERITIES.index(key[0]), order.index(key[1])))
        return [self._kind(*key, counts[key]) for key in keys]

    def _kind(self, severity: str, code: str, count: int) -> FindingCount:
        text = f"severity:{severity} code:{code}"
        is_on = self.text == text
        return FindingCount(severity, code, TITLES[code], count, self.query(q="" if is_on else text), is_on)

    @property
    def severities(self) -> list[tuple[str, int, str, bool]]:
        """The name of each severity, its number of findings, the URL that shows them, and whether the page does."""
        texts = {severity: f"severity:{severity}" for severity in SEVERITIES}
        return [
            (name, self.report.counts[name], self.query(q="" if self.text == text else text), self.text == text)
            for name, text in texts.items()
            if self.report.counts[name]
        ]

    def query(self, **other: str) -> str:
        parameters = {"q": self.text} | other
        return urlencode({**self.viewed, **{name: value for name, value in parameters.items() if value}})


def _kind(found: StoredFinding) -> tuple[str, str]:
    return found.severity, found.code


def _counted(findings: Iterable[StoredFinding]) -> Counter[tuple[str, str]]:
    return Counter(map(_kind, findings))
