"""Reads one script from beginning to end: every Service Broker statement in it is applied or reported."""

from __future__ import annotations

import re

from routing.common.errors import InputError, Invalid
from routing.common.finding import Finding
from routing.common.sentence import say
from routing.tsql.batches import end_of_line, first_string_over_go
from routing.tsql.control_flow import (
    CONTROL,
    JUMPS,
    STARTERS,
    TESTS,
)
from routing.tsql.directives import PREFIX, apply_directive
from routing.tsql.dynamic import VERB
from routing.tsql.dynamic_sql import DynamicSql, RunningString
from routing.tsql.execution import Execution
from routing.tsql.flow_condition import NEVER
from routing.tsql.growth import ExpansionBudget, SqlcmdVariables, TooLarge
from routing.tsql.lexer import (
    AT_BLOCK,
    AT_COMMENT,
    AT_DOUBLE,
    AT_MARK,
    AT_OPEN,
    AT_STRING,
    AT_TEMPLATE,
    AT_WORD,
    EVENT,
    QUOTED,
    WORD,
    SqlToken,
    Unclosed,
    end_of_comment,
    is_command,
    next_token,
    separator,
    stands_alone,
    statement_in_place_of,
    unclosed,
)
from routing.tsql.procedure_bodies import called_at, name_from
from routing.tsql.refusal import (
    DYNAMIC_SQL,
    NOT_EXECUTED,
    NOT_UNDERSTOOD,
    VALUE_NOT_LITERAL,
    NotApplied,
)
from routing.tsql.report import ScriptReport
from routing.tsql.script_statements import StatementReader
from routing.tsql.script_text import ScriptText, one_file
from routing.tsql.session import ScriptSession
from routing.tsql.string_findings import StringFindings, StringUse
from routing.tsql.unknown import shown

EXEC = "EXEC"
CALLS_SQL = re.compile(r"[\s\w.\[\]]{0,300}\bsp_executesql\b", re.IGNORECASE)
SETTERS = frozenset(("declare", "set", "select"))
"""Statements that give variables their values."""
LEAVING = frozenset(("exit", "quit"))
"""Commands that sqlcmd accepts without a colon, each on a line of its own."""
WORDS = STARTERS | CONTROL | TESTS | LEAVING | {"go"}
"""The words of a script that are examined."""
LONGEST_WORD = max(map(len, WORDS))
_STRINGS = (AT_STRING, AT_DOUBLE)
"""With QUOTED_IDENTIFIER off, double quotes make strings: sqlcmd begins this way, unlike other programs."""
_MESSAGES = frozenset(("print", "raiserror", "throw"))
"""Statements whose strings are messages for people."""


class ScriptReader:
    """Reads one text. Collects findings; changes the session and its draft."""

    def __init__(self, script: ScriptText, session: ScriptSession, inside: RunningString | None = None) -> None:
        self._text = text = script.text
        self._session = session
        self._inside = inside
        budget = inside.budget if inside else ExpansionBudget(len(text))
        self._report = inside.report if inside else ScriptReport(script, session)
        self._execution = Execution(text, session, self._report, SqlcmdVariables(budget, session.variables))
        self._statements = StatementReader(text, self._execution, self._report)
        self._strings = StringFindings(text, session, self._report)
        depth = inside.depth if inside else 0
        self._runs = DynamicSql(text, session, self._report, self._execution, budget, depth)
        if inside:
            self._execution.flow.begin_inside(inside.guard, inside.reached)
            for name, parameter in inside.parameters.items():
                self._runs.variables.declared(name, parameter.kind, parameter.value)
        self._position = 0
        self._batch = 0
        """Where the batch begins."""
        self._again = False
        """True if the batch runs a second time (GO n)."""
        self._verb = ""
        self._verb_end = 0
        self._uses = -1
        """End of the verb of a statement with a string built from USE and an unknown value."""

    @property
    def findings(self) -> list[Finding]:
        return self._report.kept

    @property
    def concerns_broker(self) -> bool:
        """True if a statement that was read concerns Service Broker, or may."""
        return self._report.concerns_broker

    def read(self) -> None:
        """Apply or report every statement of the text, in order.

        Raises `InputError` for a script that expands beyond its limit.
        """
        try:
            self._read()
        except Unclosed as fault:
            self._unclosed(fault)
        except TooLarge as fault:
            if self._inside:
                raise
            line = f"line {self._report.line_of(self._position)}"
            raise InputError(self._report.file_of(self._position), line, fault.problem) from None
        self._report.close()

    def _unclosed(self, fault: Unclosed) -> None:
        """Report a string without an end: the surplus quote may be far before it."""
        start = first_string_over_go(self._text, fault.start) if self._text[fault.start] == "'" else None
        problem = fault.problem
        if start is not None:
            problem = say(
                "{problem}; the first one with a line of GO in it begins in line {line}: a quote before it may be"
                " one too many",
                problem=problem,
                line=self._report.line_of(start),
            )
        self._report.found_broker()
        self._report.add(NOT_UNDERSTOOD, fault.start, None, problem)

    def _read(self) -> None:
        match_at, text = EVENT.match, self._text
        self._call_without_exec()
        while match := match_at(text, self._position):
            kind = match.lastindex
            self._position = match.end()
            if kind == AT_WORD:
                if match.end() - match.start(AT_WORD) <= LONGEST_WORD and (word := match[AT_WORD].lower()) in WORDS:
                    self._word(word, match.start(AT_WORD))
                elif text[match.start(AT_WORD)] == "$":
                    self._open_place(match.start(AT_WORD))
                elif text[match.start(AT_WORD)] == "@":
                    self._runs.mention(match.start(AT_WORD), match.end(), self._verb)
            elif kind in _STRINGS:
                self._string(match.start(kind), match.end())
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
        elif kind == AT_TEMPLATE:
            self._open_place(start)
        elif is_command(self._text, start):
            self._command(start)
        else:
            self._execution.flow.colon(self._text, start)
            self._runs.variables.forget_all()

    # ------------------------------------------------------------ words

    def _word(self, word: str, start: int) -> None:
        if word == "go" or word in LEAVING:
            if self._inside is None:  # only tools know these words
                self._tool_word(word, start)
            return
        self._execution.flow.word(word, self._following() if word in ("begin", "end") else "")
        if word == "while":
            self._runs.variables.enter_loop(self._position)
        if word in ("if", "while") and self._execution.flow.waiting is not None:
            self._runs.ask(self._execution.flow.waiting, self._position)
        if word in STARTERS:
            self._verb, self._verb_end = word, self._position
            self._starter(word, start)

    def _tool_word(self, word: str, start: int) -> None:
        """GO, or a command that sqlcmd accepts without a colon."""
        if word == "go":
            self._go(start)
        elif stands_alone(self._text, start, self._position) and self._execution.flow.parentheses <= 0:
            self._execution.sqlcmd.has_left = True

    def _starter(self, word: str, start: int) -> None:
        """The first word of a statement."""
        if word in ("create", "alter", "drop"):
            self._ddl(word.upper(), start)
        elif word == "use":
            self._use(start)
        elif word in ("grant", "deny", "revoke"):
            self._statements.has_grants = True
        elif word in JUMPS:
            self._execution.flow.jump(word, self._text, self._position)
        elif word in SETTERS:
            self._runs.set_variables(word, self._position)
            if word == "set" and self._execution.is_sent(start):
                self._execution.switches.set(self._text, self._position, self._execution.flow.reached())
        elif word in ("exec", "execute"):
            if self._report.has_bodies:
                self._call(called_at(self._text, self._position), start)
            self._run(start)

    def _run(self, start: int) -> None:
        """EXEC, which ended at the position, or a call at the beginning of a batch: its text is run if it is known."""
        run = self._runs.text_run(self._position, start)
        if run is None:
            self._unknown_text(start)
            return
        self._position = run.end
        self._strings.retract(run.sources)
        if run.inside is not None:
            ScriptReader(one_file(run.text, self._report.file_of(0)), self._session, run.inside).read()
            run.inside.leave(self._session)
            self._execution.has_applied = True

    def _unknown_text(self, start: int) -> None:
        """Report an EXEC of an unknown text: statements of Service Broker may be missing."""
        if self._execution.reached(start) == NEVER or not self._runs.is_unknown(self._position):
            return
        problem = say(
            "{title} runs a text that is known only at run time: if it concerns Service Broker, what it makes is"
            " missing here",
            title=EXEC,
        )
        self._report.found_broker()
        self._report.add(DYNAMIC_SQL, start, None, problem)

    def _call(self, first: SqlToken, start: int) -> None:
        """A procedure is called: if this script creates it, its body runs after all."""
        if first.kind in (WORD, QUOTED) and self._execution.reached(start) != NEVER:
            self._report.called(name_from(self._text, first)[0][-1], start)

    def _following(self) -> str:
        return next_token(self._text, self._position).text.lower()

    def _open_place(self, start: int) -> None:
        """Report `$(x)` or a template in place of a statement or its verb: its meaning is unknown."""
        stands = statement_in_place_of(self._text, start) if self._execution.flow.parentheses <= 0 else None
        if stands is not None:
            self._position = start + len(stands)
            problem = say("{got} stands for a statement, and its value is not read as one", got=shown(stands))
            self._report.found_broker()
            code = VALUE_NOT_LITERAL if self._execution.reached(start) != NEVER else NOT_EXECUTED
            self._report.add(code, start, None, problem)

    def _go(self, start: int) -> None:
        go = separator(self._text, start)
        if go is None:
            return
        # More repetitions have the same effect as the second.
        self._again = go.times > 1 and self._execution.has_applied and not self._again
        if self._again:
            self._report.same_batch()
            self._position = self._batch
        else:
            self._report.new_batch()
            self._position = self._batch = go.end
        self._execution.new_batch(self._batch)
        self._statements.new_batch()
        self._verb, self._verb_end = "", self._position
        self._runs.variables.new_batch()
        self._call_without_exec()

    def _call_without_exec(self) -> None:
        """At the beginning of a batch EXEC may be omitted."""
        if not self._report.has_bodies and not CALLS_SQL.match(self._text, self._position):
            return
        first = next_token(self._text, self._position)
        if self._report.has_bodies:
            self._call(first, first.start)
        if first.kind in (WORD, QUOTED):
            self._run(first.start)

    def _mark(self, mark: str) -> None:
        self._execution.flow.mark(mark)
        self._statements.mark(mark)

    # ------------------------------------------------------------ statements

    def _ddl(self, verb: str, start: int) -> None:
        # Wherever reading stops, the next statement is looked for from there.
        try:
            self._statements.read_ddl(verb, start, self._position, self._verb_end)
        finally:
            self._position = max(self._position, self._statements.position)

    def _use(self, start: int) -> None:
        self._position = self._statements.read_use(start, self._position)

    # ------------------------------------------------------------ strings, comments, commands

    def _string(self, start: int, end: int) -> None:
        if self._verb in _MESSAGES or not VERB.search(self._text, start, end):
            if self._text[max(start, end - 8) : end - 1].rstrip()[-3:].lower() == "use":
                self._uses = self._verb_end
            return
        follows_use = self._uses == self._verb_end
        use = StringUse(self._verb, self._verb_end, self._execution.flow.body, follows_use)
        self._position = self._strings.read(start, use)

    def _comment(self, start: int) -> None:
        text = self._text[start : self._position]
        if self._inside is not None or not text.startswith(PREFIX) or self._execution.sqlcmd.has_left or self._again:
            return
        self._report.found_broker()
        try:
            apply_directive(text[len(PREFIX) :], self._session)
        except Invalid as fault:
            place = say("{path}: {problem}", path=fault.path, problem=fault.problem) if fault.path else fault.problem
            problem = say("this line of BrokerUI cannot be read: {problem}", problem=place)
            self._report.add(NOT_UNDERSTOOD, start, None, problem)
        except NotApplied as fault:
            self._report.add(fault.code, start, None, fault.problem)

    def _command(self, start: int) -> None:
        end = end_of_line(self._text, start)
        line = self._text[start:end].rstrip()
        self._position = start + len(line)
        if not self._again and self._inside is None:
            self._execution.command(line, start)
