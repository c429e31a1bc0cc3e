"""Runs strings whose text is known, as SQL Server does: in the database in use, and a USE in them ends with them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from routing.common.errors import Invalid
from routing.common.names import check_name
from routing.common.sentence import say
from routing.tsql.batches import has_separator
from routing.tsql.call_parameters import Parameter
from routing.tsql.calls import RUNS_SQL, ExecutedText, executed_text, procedure_at
from routing.tsql.conditions import condition_answer
from routing.tsql.constant_cases import case_value
from routing.tsql.constant_reader import ConstantReader, ConstantScope
from routing.tsql.constants import NotConstant, Null, TextConstant, flat
from routing.tsql.draft import DraftDatabase
from routing.tsql.execution import Execution
from routing.tsql.flow_condition import (
    NEVER,
    FlowCondition,
)
from routing.tsql.growth import ExpansionBudget
from routing.tsql.known_objects import KnownObjects
from routing.tsql.lexer import SYMBOL, next_token
from routing.tsql.refusal import NotApplied, refused
from routing.tsql.report import ScriptReport, StringReport
from routing.tsql.session import ScriptSession
from routing.tsql.targets import server_after
from routing.tsql.unknown_text import has_literal
from routing.tsql.variables import BatchVariables

MAX_NESTING = 32
"""SQL Server's limit of procedures and strings that call each other."""
_RELEVANT = re.compile(rf"\b(?:create|alter|drop|exec|execute|{RUNS_SQL})\b", re.IGNORECASE)
"""A text without these words changes nothing that an estate holds."""


@dataclass(frozen=True, slots=True)
class RunningString:
    """A string while it runs."""

    report: StringReport
    budget: ExpansionBudget
    depth: int
    guard: FlowCondition | None
    """The condition of the statement that runs it."""
    reached: str
    """Whether running the script would reach that statement."""
    database: DraftDatabase | None
    """The database in use before it, and after it."""
    is_named: bool
    """True if a statement before it named that database."""
    parameters: Mapping[str, Parameter]
    """The variables that the statement declares for it, by name in lower case."""

    def leave(self, session: ScriptSession) -> None:
        """End the string: the database in use is the one before it."""
        session.database, session.is_named = self.database, self.is_named


@dataclass(frozen=True, slots=True)
class TextRun:
    """A known text that a statement runs."""

    end: int
    """The end of the statement, as far as it is read."""
    text: str = ""
    sources: tuple[int, ...] = ()
    """The literals in it."""
    inside: RunningString | None = None
    """None: nothing in it concerns Service Broker, or SQL Server refuses it as a whole."""


class DynamicSql:
    """The variables of the batches of one text, and the strings that it runs."""

    def __init__(
        self,
        text: str,
        session: ScriptSession,
        report: ScriptReport,
        execution: Execution,
        budget: ExpansionBudget,
        depth: int,
    ) -> None:
        self._text = text
        self._session = session
        self._report = report
        self._execution = execution
        self._budget = budget
        self._depth = depth
        self._known = KnownObjects(text, session, execution.sqlcmd.variables)
        self.variables = BatchVariables(text, self.reader_at, budget)

    def reader_at(self, position: int) -> ConstantReader:
        """A reader of values, with the variables as they are now."""
        database = self._session.database if self._session.is_named else None
        scope = ConstantScope(
            variable=self.variables.value,
            line_of=self._report.line_of,
            sqlcmd=self._execution.sqlcmd.variables,
            budget=self._budget,
            database=database.name if database else None,
            condition=self._answer,
            case=case_value,
        )
        return ConstantReader(self._text, position, scope)

    def _answer(self, reader: ConstantReader) -> bool | None:
        return condition_answer(reader, self._known, self._budget).value

    def set_variables(self, word: str, position: int) -> None:
        """DECLARE, SET or SELECT, after that word."""
        if self._execution.flow.body is not None:
            return
        self.variables.guard = self._execution.flow.guard
        if word == "declare":
            self.variables.declare(position)
        else:
            self.variables.set(position, is_select=word == "select")

    def mention(self, start: int, end: int, verb: str) -> None:
        """A variable stands at `start`; one in a condition is only compared."""
        if not self.variables.is_empty and self._execution.flow.waiting is None:
            self.variables.mention(start, end, verb)

    def ask(self, condition: FlowCondition, position: int) -> None:
        """Evaluate the condition of an IF or WHILE, which begins at the position."""
        self.variables.guard = condition.outer
        condition.answer = condition_answer(self.reader_at(position), self._known, self._budget)

    def text_run(self, position: int, start: int) -> TextRun | None:
        """The text that the EXEC at `start` runs, read from `position`; None if it is not known."""
        if self._execution.flow.body is not None:
            return None
        self.variables.guard = self._execution.flow.guard
        found = executed_text(self._text, position, self.reader_at)
        if found is None or isinstance(found.value, int):
            return None
        for name in found.parameters.changed:
            self.variables.forget(name)
        if isinstance(found.value, Null):
            return TextRun(found.end)
        self._budget.spend(found.value.size_chars)
        value = flat(found.value, self._budget)
        if not _RELEVANT.search(value.text):
            return TextRun(found.end, sources=value.sources)
        problem = self._refusal(found, value)
        if problem is not None:
            self._report.found_broker()
            self._report.add(problem.code, start, None, problem.problem)
            return TextRun(found.end, sources=value.sources)
        return TextRun(found.end, value.text, value.sources, self._running(found, value.text, start))

    def is_unknown(self, position: int) -> bool:
        """True if the EXEC before the position runs an unknown text here."""
        if self._execution.flow.body is not None:
            return False
        first = next_token(self._text, position)
        if first.text == "(" and first.kind == SYMBOL:
            return server_after(self._text, first.end) is None and not self._has_literal(first.end)
        try:
            procedure = procedure_at(self._text, position, self.reader_at)
        except NotConstant:
            return False  # a procedure that is not known
        return procedure is not None and not self._has_literal(self._after_name(procedure.end))

    def _has_literal(self, position: int) -> bool:
        return has_literal(self._text, position, self.variables.holds_literal)

    def _after_name(self, position: int) -> int:
        """The beginning of the text in the arguments of sp_executesql, after `@stmt =`."""
        name = next_token(self._text, position)
        after = next_token(self._text, name.end)
        return after.end if name.text[:1] == "@" and after.text == "=" else position

    def _refusal(self, found: ExecutedText, value: TextConstant) -> NotApplied | None:
        """Why SQL Server runs nothing of a text."""
        if found.needs_unicode and not value.is_unicode:
            return refused(214, say("{procedure} takes a Unicode text only: put N before it", procedure=RUNS_SQL))
        if found.database is not None:
            try:
                check_name(found.database, "name")
            except Invalid as fault:
                return refused(None, fault.problem)
        if self._depth >= MAX_NESTING:
            return refused(217, say("strings that run strings are nested more than {limit} deep", limit=MAX_NESTING))
        if has_separator(value.text):
            return refused(102, say("GO stands in a string that is run; tools know GO, SQL Server does not"))
        return None

    def _running(self, found: ExecutedText, text: str, start: int) -> RunningString:
        assert isinstance(found.value, TextConstant)
        session, flow = self._session, self._execution.flow
        reached = self._execution.reached(start)
        inside = RunningString(
            report=StringReport(text, self._report, session, found.value.leaves(), start),
            budget=self._budget,
            depth=self._depth + 1,
            guard=flow.guard,
            reached=reached,
            database=session.database,
            is_named=session.is_named,
            parameters=found.parameters.values,
        )
        if found.database is not None and reached != NEVER:
            session.use(session.instance.database(found.database))
        return inside
