"""Executes the statements of a script on a draft: each is applied, refused or not reached, and reported."""

from __future__ import annotations

from routing.common.errors import Invalid
from routing.common.finding import INFO, WARNING
from routing.common.sentence import Sentence, listed, say, say_counted
from routing.tsql.batches import Misplaced, ProcedureBodies
from routing.tsql.control_flow import ControlFlow
from routing.tsql.flow_condition import CONDITIONAL as UNDER_CONDITION
from routing.tsql.flow_condition import (
    GUARDED,
    NEVER,
)
from routing.tsql.growth import SqlcmdVariables
from routing.tsql.placeholders import placeholders_in
from routing.tsql.procedure_bodies import ProcedureBody
from routing.tsql.refusal import (
    ALREADY_EXISTS,
    CONDITIONAL,
    NOT_EXECUTED,
    NOT_FOUND,
    PLACEHOLDER,
    REFUSED,
    NotApplied,
)
from routing.tsql.refusal import refused as refused_by
from routing.tsql.report import ScriptReport
from routing.tsql.servers import PAYLOAD
from routing.tsql.session import ScriptSession
from routing.tsql.sqlcmd import Sqlcmd
from routing.tsql.statement import ALTER, CREATE, DATABASE, ENDPOINT, QUEUE, ROUTE, USE, Statement
from routing.tsql.transactions import Switches, Transactions
from routing.tsql.unknown import shown


class Execution:
    """The connection of one script at its current position."""

    def __init__(self, text: str, session: ScriptSession, report: ScriptReport, variables: SqlcmdVariables) -> None:
        self.flow = ControlFlow()
        self.switches = Switches()
        self.sqlcmd = Sqlcmd(session, report, variables)
        self.has_applied = False
        """True once a statement of this batch was applied."""
        self._session = session
        self._report = report
        self._transactions = Transactions(text)
        self._told_open: set[int] = set()
        self._all_sent = not self._transactions.not_sent
        self._none_undone = not self._transactions.undone
        self._bodies = ProcedureBodies(text)
        self._batch = 0
        """Where the batch begins."""
        self._misplaced: Misplaced | None = None
        """Why SQL Server refuses the batch, if it does; cached."""
        self._checked_batch = -1
        """The beginning of the batch for which that was computed."""
        self._body_lines: dict[int, int] = {}
        self._reported_refused: dict[int, int] = {}
        """Lines of misplaced bodies that were reported, by position."""

    def new_batch(self, begin: int) -> None:
        self.flow, self._batch = ControlFlow(), begin
        self.has_applied = False

    def command(self, line: str, start: int) -> None:
        """Execute a sqlcmd command; a new connection begins with all SET options off."""
        if self.sqlcmd.run(line, start):
            self.switches = Switches()

    def reached(self, start: int) -> str:
        """True if running the script would reach this position."""
        if self.switches.on and self.switches.stop:
            return NEVER
        if not self.is_sent(start) or (self._refusal() if self._checked_batch != self._batch else self._misplaced):
            return NEVER
        if not self._none_undone and self._transactions.undone.holding(start):
            return NEVER
        return self.flow.reached()

    def is_sent(self, start: int) -> bool:
        """True if the server receives this position at all."""
        if self.sqlcmd.has_left:
            return False
        return self._all_sent or self._transactions.not_sent.holding(start) is None

    def _refusal(self) -> Misplaced | None:
        """Why SQL Server refuses the whole batch."""
        if self._checked_batch != self._batch:
            self._checked_batch, self._misplaced = self._batch, self._bodies.misplaced(self._batch)
        return self._misplaced

    def _tell_refused(self, refused: Misplaced) -> int:
        """Report once per batch, at the line of the misplaced body; returns that line."""
        body = refused.body
        if body.start not in self._reported_refused:
            self._reported_refused[body.start] = self._report.line_of(body.start)
            problem = say(
                "{title} does not stand first in its batch, so the product runs nothing of it:"
                " put a line with GO before it, and one after its end",
                title=body.title,
            )
            fault = refused_by(None if refused.is_guarded else 111, problem)
            self._report.add(REFUSED, body.start, body.name or None, fault.problem)
        return self._reported_refused[body.start]

    def use(self, statement: Statement, start: int) -> None:
        """Apply USE if it is reached, even if other statements are only checked."""
        if self._is_reached(start):
            self._session.apply(statement)
            self._tell_placeholders(statement, start)

    def lose_database(self, start: int) -> None:
        """Handle a USE that cannot be read: the database is unknown from here on."""
        if self._is_reached(start):
            self._session.use(None)

    def _is_reached(self, start: int) -> bool:
        """True if a USE at this position is applied."""
        if refused := self._refusal():
            self._tell_refused(refused)
        return self.flow.reached() != NEVER and self.is_sent(start) and self._refusal() is None

    def apply(self, statement: Statement, start: int) -> None:
        """Apply the statement at `start`, and report its findings."""
        if concerns_broker(statement):
            self._report.found_broker()
        reached, name = self.reached(start), statement.object
        if reached == NEVER:
            why = self._why_not(statement, start)
            self._report.add(NOT_EXECUTED, start, name, why, statement.kind, body=self.flow.body)
            return
        self.has_applied = True
        try:
            notes = self._session.apply(statement)
        except NotApplied as fault:
            self._refuse(fault, statement, reached, start)
            return
        except Invalid as fault:
            self._refuse(NotApplied(REFUSED, fault.problem), statement, reached, start)
            return
        self.flow.applied()
        self._report.applied(statement, start)
        for note in notes:
            problem = say("{title} was applied: {problem}", title=statement.title, problem=note.problem)
            self._report.add(note.code, start, name, problem, statement.kind, severity=note.severity)
        self._tell_placeholders(statement, start)
        if reached == GUARDED and _has_effect(statement):
            self._tell_assumed(statement, start)
        if reached == UNDER_CONDITION or self._transactions.open:
            self._tell_conditions(statement, reached, start)

    def _tell_placeholders(self, statement: Statement, start: int) -> None:
        if found := placeholders_in(statement):
            problem = say_counted(
                len(found),
                "{title} was applied as it stands: {names} looks like a placeholder that was not filled in",
                "{title} was applied as it stands: {names} look like placeholders that were not filled in",
                title=statement.title,
                names=listed([shown(one) for one in found]),
            )
            self._report.add(PLACEHOLDER, start, statement.object, problem, statement.kind)

    def _why_not(self, statement: Statement, start: int) -> Sentence:
        title = statement.title
        if self._transactions.not_sent.holding(start):
            return say("{title} stands in a batch that GO 0 keeps from being run", title=title)
        if not self.sqlcmd.has_left and (refused := self._refusal()):
            line = self._tell_refused(refused)
            return say("{title} stands in a batch that the product refuses (line {line})", title=title, line=line)
        if not self.sqlcmd.has_left and (body := self.flow.body):
            return say(
                "{title} stands in the body of {kind} {body} (line {line}), which the script does not run",
                title=title,
                kind=body.kind.lower(),
                body=body.name,
                line=self._body_line(body),
            )
        if not self.sqlcmd.has_left and (why := self.flow.false_guard()) is not None:
            return say("{title} stands under a condition that keeps it from running: {why}", title=title, why=why)
        if self.sqlcmd.has_left or self.flow.reached() == NEVER:
            return say("{title} stands where running this script does not come", title=title)
        if self.switches.stop:
            return say("{title} stands after SET NOEXEC ON or SET PARSEONLY ON", title=title)
        return say("{title} stands in a transaction that is rolled back", title=title)

    def _body_line(self, body: ProcedureBody) -> int:
        if body.start not in self._body_lines:
            self._body_lines = {body.start: self._report.line_of(body.start)}
        return self._body_lines[body.start]

    def _tell_conditions(self, statement: Statement, reached: str, start: int) -> None:
        name, title = statement.object, statement.title
        if reached == UNDER_CONDITION and _has_effect(statement):
            problem = say("{title} was applied; it stands under a condition that was not evaluated", title=title)
            self._report.add(CONDITIONAL, start, name, problem, statement.kind)
        part = self._transactions.open.holding(start)
        if part is not None and part[0] not in self._told_open:
            self._told_open.add(part[0])
            problem = say(
                "the transaction that begins here is not committed: what it makes is gone when the connection closes;"
                " it was applied as if it stayed"
            )
            self._report.add(CONDITIONAL, part[0], None, problem, severity=WARNING)

    def _tell_assumed(self, statement: Statement, start: int) -> None:
        """Report a statement under a condition that is not known, unless the condition is about its own object."""
        subject = self.flow.open_subject()
        if subject is not None and _is_about(statement, *subject):
            return
        problem = say(
            "{title} was applied; it stands under a condition that is taken to be so, since the scripts do not tell",
            title=statement.title,
        )
        if subject is not None:
            kind, name = subject
            problem = say(
                "{title} was applied as if its condition were so; whether the {kind} {name} is there the scripts do not"
                " tell",
                title=statement.title,
                kind=kind.lower(),
                name=name,
            )
        self._report.add(CONDITIONAL, start, statement.object, problem, statement.kind)

    def _refuse(self, fault: NotApplied, statement: Statement, reached: str, start: int) -> None:
        problem = say("{title} changes nothing: {problem}", title=statement.title, problem=fault.problem)
        expected = fault.code in (ALREADY_EXISTS, NOT_FOUND) and reached in (GUARDED, UNDER_CONDITION)
        severity = INFO if expected or _is_default_route(statement) else fault.severity
        self._report.add(fault.code, start, statement.object, problem, statement.kind, severity=severity)
        if fault.code == NOT_FOUND and (note := self._session.unsaid(statement)):
            problem = say("{title} changes nothing: {problem}", title=statement.title, problem=note.problem)
            self._report.add(note.code, start, statement.object, problem, statement.kind)


def _has_effect(statement: Statement) -> bool:
    """False for ALTER DATABASE without an option of Service Broker, such as MODIFY FILEGROUP."""
    return not (statement.kind == DATABASE and statement.verb == ALTER and not statement.clauses)


def concerns_broker(statement: Statement) -> bool:
    """False for USE, for options of other concerns, and for endpoints of other kinds."""
    if statement.kind == ENDPOINT:
        return statement.clauses.get(PAYLOAD, ...) is not None
    return statement.verb != USE and _has_effect(statement)


def _is_about(statement: Statement, kind: str, name: str) -> bool:
    """True if a condition about this object is about the object of the statement."""
    own = statement.name[-1] if kind == QUEUE else statement.object
    name_only = name.rpartition(".")[2] if kind == QUEUE else name
    return statement.kind == kind and own.casefold() == name_only.casefold()


def _is_default_route(statement: Statement) -> bool:
    """True for AutoCreatedLocal, which every database has and SQL Server's scripting tools create again."""
    if (statement.verb, statement.kind, statement.name[-1].casefold()) != (CREATE, ROUTE, "autocreatedlocal"):
        return False
    address: str = statement.clauses.get("ADDRESS", "")
    return address.strip().upper() == "LOCAL"
