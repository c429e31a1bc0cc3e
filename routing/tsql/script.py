"""One script, from its first character to its last: every statement of Service Broker in it is applied or reported."""

from __future__ import annotations

import re

from routing.errors import Invalid
from routing.finding import ERROR, INFO, Finding
from routing.sentence import Sentence, say
from routing.tsql.cursor import Cursor, shown
from routing.tsql.directives import PREFIX, apply_directive
from routing.tsql.dynamic import VERB, statements_in
from routing.tsql.flow import CONDITIONAL as UNDER_CONDITION
from routing.tsql.flow import CONTROL, GUARDED, NEVER, STARTERS, TESTS, Flow
from routing.tsql.heads import BODIES, is_permission, kind_at, read_statement, read_use_statement
from routing.tsql.lexer import (
    AT_BLOCK,
    AT_COMMAND,
    AT_COMMENT,
    AT_MARK,
    AT_OPEN,
    AT_STRING,
    AT_WORD,
    EVENT,
    Unclosed,
    end_of_comment,
    end_of_go,
    is_command,
    next_token,
    stands_for_statement,
    substituted,
    unclosed,
)
from routing.tsql.refusal import (
    ALREADY_EXISTS,
    CONDITIONAL,
    DYNAMIC_SQL,
    NOT_EXECUTED,
    NOT_FOUND,
    NOT_UNDERSTOOD,
    REFUSED,
    SEVERITY,
    VALUE_NOT_LITERAL,
    NotApplied,
    not_understood,
)
from routing.tsql.running import RolledBack, Switches
from routing.tsql.session import Session
from routing.tsql.statement import ALTER, CONTRACT, CREATE, DATABASE, DROP, ENDPOINT, ROUTE, SERVICE, USE, Statement

WORDS = STARTERS | CONTROL | TESTS | {"go"}
"""What is looked at, among all the words of a script."""
MOST_FINDINGS = 100_000
"""Of one script; of more than that only their number is told, so that they take no more memory than the script."""
LONGEST_WORD = max(map(len, WORDS))
_MESSAGES = frozenset(("print", "raiserror", "throw"))
"""Statements whose strings are read by people."""
_SETVAR = re.compile(r':setvar\s+(\w[\w-]*)\s*(?:"((?:[^"]|"")*)"|(\S+))?', re.IGNORECASE)
_CONNECT = re.compile(r":connect\s+(\S+)", re.IGNORECASE)
_INCLUDE = re.compile(r":r\s+(.*)", re.IGNORECASE)
_LEAVE = re.compile(r":(?:quit|exit)\b", re.IGNORECASE)
_SERVER = re.compile(r"(?:tcp:|np:|lpc:)?([^,]*)", re.IGNORECASE)
"""The name of an instance in what `:CONNECT` is told: without protocol and port."""


class Script:
    """Reads one text. `findings` grows; the session and the draft behind it change."""

    def __init__(self, text: str, file: str, session: Session) -> None:
        self.findings: list[Finding] = []
        self._text = text
        self._file = file
        self._session = session
        self._flow = Flow()
        self._switches = Switches()
        self._rolled_back = RolledBack(text)
        self._variables: dict[str, str] = {}
        self._verb = ""
        self._grants = False
        self._left = False
        self._left_out = 0
        self._in_service = False
        self._position = 0
        self._line = 1
        self._counted = 0

    def read(self) -> None:
        """Applies or reports everything in the text, in its order."""
        try:
            self._read()
        except Unclosed as fault:
            self._report(NOT_UNDERSTOOD, fault.start, None, fault.problem)
        if self._left_out:
            problem = say("{count} more findings of this script are left out", count=self._left_out)
            self.findings.append(Finding(NOT_UNDERSTOOD, ERROR, None, None, None, problem, file=self._file, line=1))

    def _read(self) -> None:
        match_at, text = EVENT.match, self._text
        while match := match_at(text, self._position):
            kind = match.lastindex
            self._position = match.end()
            if kind == AT_WORD:
                if match.end() - match.start(AT_WORD) <= LONGEST_WORD and (word := match[AT_WORD].lower()) in WORDS:
                    self._word(word, match.start(AT_WORD))
                elif text[match.start(AT_WORD)] == "$":
                    self._variable(match.start(AT_WORD))
            elif kind == AT_STRING:
                self._string(match.start(AT_STRING), match.end())
            elif kind == AT_MARK:
                self._mark(match[AT_MARK])
            elif kind is not None:
                self._rare(kind, match.start(kind))

    def _rare(self, kind: int, start: int) -> None:
        if kind == AT_COMMENT:
            self._comment(start)
        elif kind == AT_BLOCK:
            self._position = end_of_comment(self._text, start)
        elif kind == AT_OPEN:
            raise unclosed(self._text, start)
        elif kind == AT_COMMAND and is_command(self._text, start):
            self._command(start)
        elif kind == AT_COMMAND:
            self._flow.colon(self._text, start)

    # ------------------------------------------------------------ words

    def _word(self, word: str, start: int) -> None:
        if word == "go":
            self._go(start)
            return
        following = self._following() if word in ("begin", "end") else ""
        self._flow.word(word, following)
        if word not in STARTERS:
            return
        if word in ("create", "alter", "drop"):
            self._ddl(word.upper(), start)
        elif word == "use":
            self._use(start)
        elif word in ("grant", "deny", "revoke"):
            self._grants = True
        elif word == "return":
            self._flow.leave()
        elif word == "set":
            self._switches.set(self._text, self._position, self._flow.reached())
        self._verb = word

    def _variable(self, start: int) -> None:
        """`$(x)` in the place of a statement or of its verb: what it stands for is not read."""
        if self._flow.parentheses <= 0 and stands_for_statement(self._text, start):
            raw = self._text[start : self._position]
            problem = say("{got} stands for a statement, and its value is not read as one", got=shown(raw))
            code = VALUE_NOT_LITERAL if self._reached(start) != NEVER else NOT_EXECUTED
            self._report(code, start, None, problem)

    def _following(self) -> str:
        return next_token(self._text, self._position).text.lower()

    def _go(self, start: int) -> None:
        end = end_of_go(self._text, start)
        if end is not None:
            self._position = end
            self._flow = Flow()
            self._grants = self._in_service = False
            self._verb = ""

    def _mark(self, mark: str) -> None:
        self._flow.mark(mark)
        if mark != "(":
            self._in_service = False
        if mark == ";":
            self._grants = False

    # ------------------------------------------------------------ statements

    def _ddl(self, verb: str, start: int) -> None:
        cursor = Cursor(self._text, self._position, self._variables)
        if verb != "DROP" and cursor.ahead.text.upper() in BODIES:
            self._body(cursor)
            return
        kind = kind_at(cursor)
        if kind is None and cursor.is_open and not self._grants:
            self._fail(cursor.unexpected(say("a kind of object")), verb, verb, None, start)
        if kind is None or (self._grants and is_permission(cursor)):
            return
        if self._in_service and (verb, kind) == (DROP, CONTRACT):
            return  # a part of the ALTER SERVICE that could not be read
        # Wherever reading stops, the next statement is looked for from there.
        try:
            statement = self._read_statement(verb, kind, cursor, start)
        finally:
            self._position = max(self._position, cursor.position)
        if statement is not None:
            self._apply(statement, start)

    def _read_statement(self, verb: str, kind: str, cursor: Cursor, start: int) -> Statement | None:
        name = shown(cursor.ahead.text) or None
        try:
            return read_statement(verb, kind, cursor)
        except NotApplied as fault:
            if cursor.unclosed is not None:
                raise cursor.unclosed from None
            self._fail(fault, f"{verb} {kind}", kind, name, start)
        except RecursionError:
            self._fail(not_understood(say("it is nested too deeply")), f"{verb} {kind}", kind, name, start)
        self._in_service = (verb, kind) == (ALTER, SERVICE) and _is_open(self._text, start, cursor.position)
        return None

    def _fail(self, fault: NotApplied, title: str, kind: str, name: str | None, start: int) -> None:
        code = fault.code if self._reached(start) != NEVER else NOT_EXECUTED
        self._report(code, start, name, say("{title}: {problem}", title=title, problem=fault.problem), kind)

    def _body(self, cursor: Cursor) -> None:
        """CREATE PROCEDURE, FUNCTION, TRIGGER: all to the end of the batch is their body, which nobody runs now."""
        word = cursor.take().text.upper()
        if word != "OR" or cursor.accept("ALTER"):
            self._flow.body = True

    def _use(self, start: int) -> None:
        cursor = Cursor(self._text, self._position, self._variables)
        try:
            statement = read_use_statement(cursor)
        except NotApplied as fault:
            if self._flow.reached() != NEVER:
                self._session.use(None)
            self._fail(fault, USE, DATABASE, None, start)
            return
        if statement is not None:
            self._position = cursor.position
            if self._flow.reached() != NEVER and not self._left:
                self._session.apply(statement)

    def _reached(self, start: int) -> str:
        """Whether running the script would do what stands there."""
        if self._left or self._switches.on or self._rolled_back.holds(start):
            return NEVER
        return self._flow.reached()

    def _why_not(self, statement: Statement, start: int) -> Sentence:
        if self._left or self._flow.reached() == NEVER:
            return say("{title} stands where running this script does not come", title=statement.title)
        if self._switches.on:
            return say("{title} stands after SET NOEXEC ON or SET PARSEONLY ON", title=statement.title)
        return say("{title} stands in a transaction that is rolled back", title=statement.title)

    def _apply(self, statement: Statement, start: int) -> None:
        reached = self._reached(start)
        name = statement.name[-1]
        if reached == NEVER:
            self._report(NOT_EXECUTED, start, name, self._why_not(statement, start), statement.kind)
            return
        try:
            said = self._session.apply(statement)
        except NotApplied as fault:
            self._refuse(fault, statement, reached, start)
            return
        except Invalid as fault:
            self._refuse(NotApplied(REFUSED, fault.problem), statement, reached, start)
            return
        self._flow.applied()
        if said is not None:
            self._report(said.code, start, name, said.problem, statement.kind)
        if reached == UNDER_CONDITION:
            problem = say(
                "{title} was applied; it stands under a condition that was not evaluated", title=statement.title
            )
            self._report(CONDITIONAL, start, name, problem, statement.kind)

    def _refuse(self, fault: NotApplied, statement: Statement, reached: str, start: int) -> None:
        problem = say("{title} changes nothing: {problem}", title=statement.title, problem=fault.problem)
        expected = fault.code in (ALREADY_EXISTS, NOT_FOUND) and reached in (GUARDED, UNDER_CONDITION)
        severity = INFO if expected or self._is_default_route(statement) else SEVERITY[fault.code]
        self._report(fault.code, start, statement.name[-1], problem, statement.kind, severity)

    def _is_default_route(self, statement: Statement) -> bool:
        """Scripts that the product's tools write make AutoCreatedLocal again, which every database has."""
        name = statement.name[-1].casefold()
        return (statement.verb, statement.kind, name) == (CREATE, ROUTE, "autocreatedlocal") and statement.clauses.get(
            "ADDRESS", ""
        ).strip().upper() == "LOCAL"

    # ------------------------------------------------------------ strings, comments, commands

    def _string(self, start: int, end: int) -> None:
        if self._verb in _MESSAGES or not VERB.search(self._text, start, end):
            return
        found, self._position = statements_in(self._text, start)
        severity = INFO if self._flow.body else None
        for one in found:
            problem = say("{title} stands in a string, which was not run", title=one.title)
            self._report(DYNAMIC_SQL, one.start, one.name, problem, None, severity, one.lines)

    def _comment(self, start: int) -> None:
        text = self._text[start : self._position]
        if not text.startswith(PREFIX) or self._left:
            return
        try:
            apply_directive(text[len(PREFIX) :], self._session)
        except Invalid as fault:
            place = say("{path}: {problem}", path=fault.path, problem=fault.problem) if fault.path else fault.problem
            problem = say("this line of BrokerUI cannot be read: {problem}", problem=place)
            self._report(NOT_UNDERSTOOD, start, None, problem)
        except NotApplied as fault:
            self._report(fault.code, start, None, fault.problem)

    def _command(self, start: int) -> None:
        """A line for sqlcmd."""
        end = self._text.find("\n", start)
        line = self._text[start : end if end >= 0 else len(self._text)].rstrip()
        self._position = start + len(line)
        if found := _SETVAR.match(line):
            self._set_variable(*found.groups())
        elif found := _CONNECT.match(line):
            self._connect(found[1], start)
        elif found := _INCLUDE.match(line):
            problem = say("{file} is read in here by sqlcmd; it was not read", file=shown(found[1]))
            self._report(NOT_UNDERSTOOD, start, None, problem)
        elif _LEAVE.match(line):
            self._left = True

    def _set_variable(self, name: str, quoted: str | None, plain: str | None) -> None:
        value = quoted.replace('""', '"') if quoted is not None else plain
        if value is None:
            self._variables.pop(name.lower(), None)
        else:
            self._variables[name.lower()] = substituted(value, self._variables)

    def _connect(self, server: str, start: int) -> None:
        server = substituted(server, self._variables).strip('"')
        name = _SERVER.fullmatch(server.partition(",")[0])
        if not name or not name[1] or "$(" in server:
            self._session.use(None)
            problem = say("{server} is no literal value, and nothing tells what it is", server=shown(server))
            self._report(VALUE_NOT_LITERAL, start, None, problem)
        else:
            self._switches = Switches()
            self._session.connect(self._session.draft.instance(name[1]), said=False)

    # ------------------------------------------------------------ findings

    def _report(
        self,
        code: str,
        start: int,
        name: str | None,
        reason: Sentence,
        kind: str | None = None,
        severity: str | None = None,
        lines: int = 0,
    ) -> None:
        if len(self.findings) >= MOST_FINDINGS:
            self._left_out += 1
            return
        database = self._session.database
        in_database = database is not None and kind not in (DATABASE, ENDPOINT)
        self.findings.append(
            Finding(
                code,
                severity or SEVERITY[code],
                self._session.instance.name,
                database.name if database is not None and in_database else None,
                name,
                reason,
                file=self._file,
                line=self._line_of(start) + lines,
            )
        )

    def _line_of(self, position: int) -> int:
        """Counted on from the last one that was asked for."""
        if position < self._counted:
            self._line, self._counted = 1, 0
        self._line += self._text.count("\n", self._counted, position)
        self._counted = position
        return self._line


def _is_open(text: str, start: int, end: int) -> bool:
    """Whether a parenthesis is open there."""
    return text.count("(", start, end) > text.count(")", start, end)
