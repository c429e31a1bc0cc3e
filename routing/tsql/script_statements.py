"""Reads the statements of one script that make, alter or drop an object, and USE: each is applied or reported."""

from __future__ import annotations

from routing.common.sentence import say
from routing.tsql.cursor import TokenCursor
from routing.tsql.execution import Execution
from routing.tsql.flow_condition import NEVER
from routing.tsql.heads import is_permission, kind_at, read_statement, read_use_statement
from routing.tsql.lexer import SqlToken
from routing.tsql.procedure_bodies import body_at
from routing.tsql.refusal import NOT_EXECUTED, VALUE_NOT_LITERAL, NotApplied
from routing.tsql.report import ScriptReport
from routing.tsql.statement import ALTER, CONTRACT, DATABASE, DROP, SERVICE, USE, Statement, name_in_estate
from routing.tsql.unknown import shown


class StatementReader:
    """Reads one statement at a time, where the reader of the script has found its first word."""

    def __init__(self, text: str, execution: Execution, report: ScriptReport) -> None:
        self._text = text
        self._execution = execution
        self._report = report
        self.position = 0
        """The index at which the last statement stopped, read or not."""
        self.has_grants = False
        """True after GRANT, DENY or REVOKE: CREATE and ALTER may be permissions."""
        self.is_in_service = False
        """True in the list of an ALTER SERVICE that could not be read: DROP CONTRACT is a part of it."""

    def new_batch(self) -> None:
        self.has_grants = self.is_in_service = False

    def mark(self, mark: str) -> None:
        """Handle a parenthesis or a semicolon."""
        if mark != "(":
            self.is_in_service = False
        if mark == ";":
            self.has_grants = False

    def _cursor(self, position: int) -> TokenCursor:
        return TokenCursor(self._text, position, self._execution.sqlcmd.variables)

    def read_ddl(self, verb: str, start: int, position: int, verb_end: int) -> None:
        """Apply or report the statement that begins at `start` with `verb`; `position` is after that word.

        `verb_end` is the index after the last word that began a statement.
        """
        self.position = position
        cursor = self._cursor(position)
        kind = kind_at(cursor)
        if kind is None and verb != DROP and self._is_body(verb, cursor, start, verb_end):
            return
        # CREATE MESSAGE m; DROP MESSAGE may name a constraint of a table, and a warehouse has REMOTE TABLE.
        is_half = verb != DROP and cursor.position > position and not cursor.is_word("TABLE")
        if kind is None and not self.has_grants and (cursor.is_open or is_half):
            self._fail(cursor.unexpected(say("a kind of object")), verb, verb, None, start)
        if kind is None or (self.has_grants and is_permission(cursor)):
            return
        if self.is_in_service and (verb, kind) == (DROP, CONTRACT):
            return  # a part of the ALTER SERVICE that could not be read
        try:
            statement = self._read_statement(verb, kind, cursor, start)
        finally:
            self.position = max(position, cursor.position)
        if statement is not None:
            self._execution.apply(statement, start)

    def _is_body(self, verb: str, cursor: TokenCursor, start: int, verb_end: int) -> bool:
        """True if a procedure begins there, also after OR REPLACE of other products: its body does not run now."""
        body = body_at(self._text, verb, start, verb_end)
        is_foreign = cursor.is_word("OR") and cursor.second.text.upper() != ALTER
        if is_foreign:
            cursor.take()
            self._fail(cursor.unexpected(ALTER), body.title if body else verb, verb, body.name if body else None, start)
        if body is not None:
            self._execution.flow.body = body
        return is_foreign or body is not None

    def _read_statement(self, verb: str, kind: str, cursor: TokenCursor, start: int) -> Statement | None:
        first = cursor.ahead
        try:
            return read_statement(verb, kind, cursor)
        except NotApplied as fault:
            if cursor.unclosed is not None:
                raise cursor.unclosed from None
            self._fail(fault, f"{verb} {kind}", kind, _object(kind, cursor, first), start)
        self.is_in_service = (verb, kind) == (ALTER, SERVICE) and _is_open(self._text, start, cursor.position)
        return None

    def _fail(self, fault: NotApplied, title: str, kind: str, name: str | None, start: int) -> None:
        if self._report.is_full:
            self._report.leave_out()
            return
        if title != USE:
            self._report.found_broker()
        code = fault.code if self._execution.reached(start) != NEVER else NOT_EXECUTED
        if fault.code == VALUE_NOT_LITERAL:
            problem = say("{title}: {problem}; it changes nothing", title=title, problem=fault.problem)
        else:
            problem = say("{title}: {problem}", title=title, problem=fault.problem)
        self._report.add(code, start, shown(name or "") or None, problem, kind, body=self._execution.flow.body)

    def read_use(self, start: int, position: int) -> int:
        """Execute the USE at `start`, or report it. Returns the index after it, `position` if it is no statement."""
        cursor = self._cursor(position)
        try:
            statement = read_use_statement(cursor)
        except NotApplied as fault:
            self._execution.lose_database(start)
            self._fail(fault, USE, DATABASE, None, start)
            return position
        if statement is None:
            return position
        self._execution.use(statement, start)
        return cursor.position


def _object(kind: str, cursor: TokenCursor, first: SqlToken) -> str:
    """The name of the object of a statement that cannot be read."""
    return name_in_estate(kind, cursor.named) if cursor.named else first.text


def _is_open(text: str, start: int, end: int) -> bool:
    """True if a parenthesis is open there."""
    return text.count("(", start, end) > text.count(")", start, end)
