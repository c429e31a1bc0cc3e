"""Contents of the page of findings: those that a filter lets through, in groups."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Final
from urllib.parse import urlencode

from django.utils.translation import gettext, gettext_lazy

from brokerui.analysis.lint.selectors import LintReport
from brokerui.analysis.lint.stored_findings import StoredFinding
from brokerui.core.filters import FilterError
from brokerui.core.paging import Page, page_number
from brokerui.pages.findings.filtering import findings_kept
from brokerui.pages.shell.columns import Column, ShownTable, Table
from brokerui.pages.shell.filtered_page import FilteredPage
from routing.common.finding import SEVERITIES
from routing.common.sentence import Sentence
from routing.lint.registry import CHECKS

TITLES: Mapping[str, Sentence] = {check.code: check.title for check in CHECKS}


def _place(found: StoredFinding) -> tuple[str, str]:
    return (found.instance or "").casefold(), (found.database or "").casefold()


TABLE: Final[Table[StoredFinding]] = Table(
    Column("place", gettext_lazy("Instance and database"), _place),
    Column("object", gettext_lazy("Object"), lambda one: (one.object.casefold(), _place(one)) if one.object else None),
    Column("code", gettext_lazy("Code"), lambda one: (one.code, SEVERITIES.index(one.severity), _place(one))),
)
"""Orders of the list besides the usual one, which is worst first."""


@dataclass(frozen=True, slots=True)
class FindingGroup:
    """Findings that stand on a page under one heading: of one severity and code, of one instance, or all of them."""

    severity: str
    """With the code; empty: each finding names its own."""
    code: str
    title: Sentence | str
    """Of the kind, or the name of the instance."""
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
    table: ShownTable[StoredFinding]
    """The order of the list."""
    error: FilterError | None = None

    @cached_property
    def rows(self) -> list[StoredFinding]:
        """All that fit, in the order of the address, usually worst first; none where the filter cannot be."""
        try:
            return self.table.ordered(findings_kept(self.text, self.report.findings))
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
        order = self.table.sort.removeprefix("-")
        if order == "object":
            return [FindingGroup("", "", gettext("By object"), len(self.rows), tuple(self.page.shown))]
        return self._by_instance() if order == "place" else self._by_kind()

    def _by_kind(self) -> list[FindingGroup]:
        totals, found = _counted(self.rows), groupby(self.page.shown, _kind)
        return [FindingGroup(*key, TITLES[key[1]], totals[key], tuple(members)) for key, members in found]

    def _by_instance(self) -> list[FindingGroup]:
        totals = Counter(one.instance for one in self.rows)
        found = groupby(self.page.shown, lambda one: one.instance)
        whole = gettext("The whole estate")
        return [FindingGroup("", "", name or whole, totals[name], tuple(members)) for name, members in found]

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
        parameters = {"q": self.text, **self.table.own} | other
        return urlencode({**self.viewed, **{name: value for name, value in parameters.items() if value}})


def _kind(found: StoredFinding) -> tuple[str, str]:
    return found.severity, found.code


def _counted(findings: Iterable[StoredFinding]) -> Counter[tuple[str, str]]:
    return Counter(map(_kind, findings))
