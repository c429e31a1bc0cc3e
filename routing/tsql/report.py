"""The findings of one script, each with its line."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate

from routing.common.finding import ERROR, WARNING, Finding
from routing.common.sentence import Sentence, say
from routing.tsql.constants import TextConstant
from routing.tsql.object_lives import ObjectLives
from routing.tsql.procedure_bodies import ProcedureBody
from routing.tsql.refusal import NOT_EXECUTED, NOT_UNDERSTOOD, SEVERITY
from routing.tsql.script_text import ScriptText, one_file
from routing.tsql.session import ScriptSession
from routing.tsql.statement import DATABASE, ENDPOINT, Statement

MAX_FINDINGS = 100_000
"""Limit of findings of one script; further ones are only counted, so that they take no more memory than the script."""
Place = tuple[str | None, str | None]
"""Instance and database names; None for an unknown one."""


class ScriptReport:
    """Collects the findings of one script."""

    def __init__(self, script: ScriptText, session: ScriptSession) -> None:
        self.findings: list[Finding] = []
        self.script = script
        self._text = script.text
        self._session = session
        self._left_out = 0
        self._line = 1
        self._counted = 0
        self._batch = 0
        self._bodies: dict[str, list[int]] = {}
        """Findings inside procedures, by folded name of the procedure."""
        self._reported: set[tuple[str, int | None, str | None]] = set()
        self.lives = ObjectLives(self._text)
        self._retracted: set[int] = set()
        """Findings that turned out not to be so, by index."""
        self.concerns_broker = False
        """True if a statement of the script concerns Service Broker, or may: whether it took effect or not."""

    @property
    def kept(self) -> list[Finding]:
        """The findings without those that were retracted."""
        if not self._retracted:
            return self.findings
        return [finding for index, finding in enumerate(self.findings) if index not in self._retracted]

    def retract(self, indices: Iterable[int]) -> None:
        self._retracted.update(indices)

    def found_broker(self) -> None:
        """A statement concerns Service Broker, or may."""
        self.concerns_broker = True

    @property
    def is_full(self) -> bool:
        return len(self.findings) >= MAX_FINDINGS

    def leave_out(self) -> None:
        """Count one more finding than the limit allows."""
        self._left_out += 1

    def add(
        self,
        code: str,
        start: int,
        name: str | None,
        reason: Sentence,
        kind: str | None = None,
        *,
        severity: str | None = None,
        lines: int = 0,
        place: Place | None = None,
        body: ProcedureBody | None = None,
    ) -> None:
        """Add a finding at `start`, or `lines` below; `place`: instance and database, if not those of the session.

        `body`: the procedure that contains it, if any.
        """
        if len(self.findings) >= MAX_FINDINGS:
            self.leave_out()
            return
        line = self.line_of(start) + lines
        if self._reported and (code, line, name) in self._reported:
            return
        instance, database = place or self._here(kind)
        rank = severity or SEVERITY[code]
        if body is not None:
            self._bodies.setdefault(body.name.casefold(), []).append(len(self.findings))
        file = self.file_of(start)
        self.findings.append(Finding(code, rank, instance, database, name, reason, file=file, line=line))

    def applied(self, statement: Statement, start: int) -> None:
        """A statement took effect."""
        if self.lives.is_needed:
            self.lives.applied(statement, self._here(statement.kind), self.file_of(start), self.line_of(start))

    def _here(self, kind: str | None) -> Place:
        database = self._session.database
        in_database = database is not None and kind not in (DATABASE, ENDPOINT)
        return self._session.instance.name, database.name if database is not None and in_database else None

    @property
    def has_bodies(self) -> bool:
        """True if there are findings inside procedures that no statement has called so far."""
        return bool(self._bodies)

    def called(self, name: str, start: int) -> None:
        """A procedure of this name is called: the findings in its body become warnings."""
        for index in self._bodies.pop(name.casefold(), ()):
            found = self.findings[index]
            severity, reason = SEVERITY[found.code], found.reason
            if found.code == NOT_EXECUTED:
                severity = WARNING
            if "body" in reason.values:
                reason = say(
                    "{title} stands in the body of {kind} {body}, which line {line} calls: it was not run; write it"
                    " as a statement of its own to have it imported",
                    **{**reason.values, "line": self.line_of(start)},
                )
            self.findings[index] = replace(found, severity=severity, reason=reason)

    def new_batch(self) -> None:
        """The following findings belong to the next batch."""
        self._batch = len(self.findings)
        self._reported = set()

    def same_batch(self) -> None:
        """The following findings repeat those of the same batch: only new ones are kept."""
        self._reported = {(finding.code, finding.line, finding.object) for finding in self.findings[self._batch :]}

    def close(self) -> None:
        """Add the objects that are dropped again, and the number of findings beyond the limit."""
        for finding in self.lives.findings():
            if self.is_full:
                self.leave_out()
            else:
                self.findings.append(finding)
        if self._left_out:
            problem = say("{count} more findings of this script are left out", count=self._left_out)
            self.findings.append(
                Finding(NOT_UNDERSTOOD, ERROR, None, None, None, problem, file=self.file_of(0), line=1)
            )

    def file_of(self, position: int) -> str:
        """The file that contains a position."""
        return self.script.section_at(position).file

    def line_of(self, position: int) -> int:
        """The line of a position in its file; counts forward or back from the last one asked for."""
        if position >= self._counted:
            self._line += self._text.count("\n", self._counted, position)
        else:
            self._line -= self._text.count("\n", position, self._counted)
        self._counted = position
        section = self.script.section_at(position)
        return self._line - section.line + section.line_in_file


class StringReport(ScriptReport):
    """The findings of a string that a script runs: they are at the lines of the literals in it."""

    def __init__(
        self, text: str, parent: ScriptReport, session: ScriptSession, leaves: Sequence[TextConstant], start: int
    ) -> None:
        super().__init__(one_file(text, parent.file_of(start)), session)
        self.findings = parent.findings
        self._parent = parent
        self._bodies = parent._bodies
        self.lives = parent.lives
        self._reported = parent._reported
        self._retracted = parent._retracted
        self._ends = list(accumulate(leaf.size_chars for leaf in leaves))
        self._leaves = leaves
        self._line_ends: list[int] | None = None

    def line_of(self, position: int) -> int:
        """The line of the file at which this position of the string was written."""
        if self._line_ends is None:
            self._line_ends = [index for index, char in enumerate(self._text) if char == "\n"]
        index = min(bisect_right(self._ends, position), len(self._leaves) - 1)
        leaf = self._leaves[index]
        begin = self._ends[index] - leaf.size_chars
        return leaf.line + bisect_left(self._line_ends, position) - bisect_left(self._line_ends, begin)

    def leave_out(self) -> None:
        self._parent.leave_out()

    def found_broker(self) -> None:
        self._parent.found_broker()

    def new_batch(self) -> None:
        """A string is one batch."""

    def close(self) -> None:
        """Discard reports of this script: the enclosing one reports the omission."""
