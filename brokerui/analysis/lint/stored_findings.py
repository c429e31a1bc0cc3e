"""Findings as pages have them: those of one look at one estate, in the order in which they are told."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import NamedTuple

from brokerui.analysis.lint.finding_text import OF_DATABASES
from brokerui.core.sentence_json import sentence_as_json, sentence_from_json
from routing.common.finding import Finding
from routing.common.sentence import Sentence
from routing.lint.collected import OF_COLLECTED

OF_OTHERS = frozenset({*OF_DATABASES, *OF_COLLECTED, "outside-goes-nowhere"})
"""Codes whose findings name a database and an object in it that is no route."""
RouteKey = tuple[str, str, str]
"""Instance, database, route."""


class StoredFinding(NamedTuple):
    """One finding. Its sentence is read when it is shown: there may be tens of thousands."""

    code: str
    severity: str
    instance: str | None
    database: str | None
    object: str | None
    packed_reason: str
    """As JSON."""
    remedy_sql: str | None

    @classmethod
    def of(cls, finding: Finding) -> StoredFinding:
        packed = sentence_as_json(finding.reason)
        place = finding.instance, finding.database, finding.object
        return cls(finding.code, finding.severity, *place, packed, finding.remedy_sql)

    @property
    def reason(self) -> Sentence:
        return sentence_from_json(self.packed_reason)

    @property
    def finding(self) -> Finding:
        """The finding as the engine has it."""
        place = self.instance, self.database, self.object
        return Finding(self.code, self.severity, *place, self.reason, self.remedy_sql)

    @property
    def is_about_a_route(self) -> bool:
        return self.database is not None and self.code not in OF_OTHERS

    @property
    def is_about_the_whole(self) -> bool:
        """The instance or the database itself, whose name is the object's."""
        if self.database is None:
            return self.object == self.instance
        return self.object == self.database and self.code in OF_OTHERS


@dataclass(frozen=True)
class LintResult:
    """All findings of an estate at a moment, worst first."""

    findings: tuple[StoredFinding, ...]
    evaluated_at: datetime
    missing: tuple[str, ...] = ()
    """The addresses that routes lead to and that belong to no instance."""

    @cached_property
    def counts(self) -> Counter[str]:
        """How many of each severity."""
        return counted(self.findings)

    @cached_property
    def of_routes(self) -> Mapping[RouteKey, tuple[StoredFinding, ...]]:
        """Findings by route."""
        return by_route(self.findings)


def by_route(findings: Iterable[StoredFinding]) -> dict[RouteKey, tuple[StoredFinding, ...]]:
    """Return the findings about routes, by route."""
    found: dict[RouteKey, tuple[StoredFinding, ...]] = {}
    for each in findings:
        if each.is_about_a_route:
            key = str(each.instance), str(each.database), str(each.object)
            found[key] = (*found.get(key, ()), each)
    return found


def counted(findings: Iterable[StoredFinding]) -> Counter[str]:
    """How many of each severity."""
    return Counter(finding.severity for finding in findings)
