"""Reports statements in strings, until one of them is run: then the text is read as what it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from routing.common.finding import INFO
from routing.tsql.draft import KINDS, DraftDatabase, folded
from routing.tsql.dynamic import DynamicStatement, statements_in
from routing.tsql.procedure_bodies import ProcedureBody
from routing.tsql.refusal import DYNAMIC_SQL
from routing.tsql.report import Place, ScriptReport
from routing.tsql.session import ScriptSession
from routing.tsql.statement import CREATE
from routing.tsql.targets import is_run, target_of


@dataclass(frozen=True, slots=True)
class StringUse:
    """The statement in which a string stands."""

    verb: str
    """Its first word; empty at the beginning of a batch."""
    verb_end: int
    body: ProcedureBody | None
    follows_use: bool
    """True if the statement builds a USE with an unknown database."""


class StringFindings:
    """The strings of one text."""

    def __init__(self, text: str, session: ScriptSession, report: ScriptReport) -> None:
        self._text = text
        self._session = session
        self._report = report
        self._reported: dict[int, list[int]] = {}
        """Findings by the position of the quote that begins the literal."""
        self._awaited: dict[int, list[tuple[DraftDatabase, tuple[str, str]]]] = {}
        """Objects that a string would create, by position of the quote that begins the literal."""

    def read(self, start: int, use: StringUse) -> int:
        """Report the statements in the string at `start` and in the strings joined to it; returns where these end."""
        is_code = is_run(self._text, use.verb, use.verb_end, start)
        found, end = statements_in(self._text, start, is_code=is_code)
        if not found:
            return end
        target = target_of(self._text, use.verb, use.verb_end, start, end)
        self._report.found_broker()
        for one in found:
            place = target.place(self._session, one.database or ("" if use.follows_use else None))
            count = len(self._report.findings)
            self._report.add(
                DYNAMIC_SQL,
                one.start,
                one.name,
                target.finding_text(one.title),
                one.kind if one.name else None,
                severity=INFO if use.body else None,
                lines=one.lines,
                place=place,
                body=use.body,
            )
            self._reported.setdefault(self._quote(one), []).extend(range(count, len(self._report.findings)))
            self._remember(one, place)
        return end

    def _quote(self, found: DynamicStatement) -> int:
        """The position of the opening quote, after an N."""
        return found.start + (self._text[found.start] in "Nn")

    def _remember(self, found: DynamicStatement, place: Place | None) -> None:
        """Remember objects that a string would create, for the error message if they are missing."""
        database = self._session.database
        if place is not None:
            instance, name = place
            is_here = instance == self._session.instance.name and name is not None
            database = self._session.instance.databases.find(name or "") if is_here else None
        if database is not None and found.name and found.verb == CREATE and found.kind in KINDS:
            line = self._report.line_of(found.start) + found.lines
            key = found.kind, folded(found.kind, found.name)
            database.in_strings.setdefault(key, (self._report.file_of(found.start), line))
            self._awaited.setdefault(self._quote(found), []).append((database, key))

    def retract(self, sources: Iterable[int]) -> None:
        """Take back the reports about these literals, since they were run and read now."""
        for start in sources if self._reported else ():
            self._report.retract(self._reported.pop(start, ()))
            for database, key in self._awaited.pop(start, ()):
                database.in_strings.pop(key, None)
