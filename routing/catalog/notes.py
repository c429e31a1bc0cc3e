"""Collects the findings of one input about one instance."""

from __future__ import annotations

from dataclasses import dataclass, field

from routing.catalog.building import Refused
from routing.catalog.snapshot import CatalogSnapshot
from routing.common.finding import ERROR, INFO, WARNING, Finding
from routing.common.sentence import Sentence, say


@dataclass(frozen=True, slots=True)
class Notes:
    """Findings in the order of their discovery, each with the file and the instance."""

    where: str
    instance: str
    findings: list[Finding] = field(default_factory=list)

    def add(
        self, code: str, severity: str, reason: Sentence, *, database: str | None = None, name: str | None = None
    ) -> None:
        self.findings.append(Finding(code, severity, self.instance, database, name, reason, file=self.where))

    def refused(self, part: str, name: str | None, problem: Sentence, database: str | None = None) -> None:
        """Report a row that was left out."""
        reason = say("{part}: was left out: {problem}", part=part, problem=problem)
        self.add("not-understood", ERROR, reason, database=database, name=name)

    def below(self, database: str) -> Refused:
        """`refused` for the rows of one database."""

        def refused(part: str, name: str | None, problem: Sentence) -> None:
            self.refused(part, name, problem, database)

        return refused

    def gone(self, database: str, name: str | None) -> None:
        reason = say("is in the estate but no longer on the instance: it was removed")
        self.add("not-found", INFO, reason, database=database, name=name)

    def unread(self, snapshot: CatalogSnapshot) -> None:
        """Report parts that the instance did not give, and unknown keys."""
        if snapshot.server.get("has_view_any_definition") is False:
            reason = say("the login lacks VIEW ANY DEFINITION: the instance may have hidden rows from it")
            self.add("not-found", ERROR, reason)
        for error in snapshot.not_read:
            reason = say("{part} could not be read: {reason}", part=error.part, reason=error.reason)
            self.add("not-found", ERROR, reason, database=error.database)
        for cut in snapshot.cut:
            reason = say("{part}: {count} more rows were not collected", part=cut.part, count=cut.number)
            self.add("not-found", ERROR, reason, database=cut.database)
        for path in snapshot.unknown:
            reason = say("{path} is of a newer version, and was ignored", path=path)
            self.add("not-understood", WARNING, reason)
