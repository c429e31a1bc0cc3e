"""Decides whether running a script would reach a statement: procedures, IF and ELSE, blocks, TRY and CATCH.

A condition that is known before the script runs decides; `conditions` evaluates it. Any other one that tests for
existence is assumed to know the result: `CREATE` under it is refused silently if the object exists already. Statements
under all others are applied, and reported as conditional. An ELSE is skipped if its IF was taken.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from routing.common.sentence import Sentence
from routing.tsql.flow_condition import ALWAYS, CONDITIONAL, NEVER, FlowCondition
from routing.tsql.lexer import NUMBER, SYMBOL, last_word, next_token, words
from routing.tsql.procedure_bodies import ProcedureBody

STARTERS = words(
    """
    alter backup break checkpoint close commit continue create dbcc deallocate declare delete deny drop exec execute
    fetch goto grant insert kill merge open print raiserror reconfigure restore return revert revoke rollback save
    select set shutdown throw truncate update use waitfor
    """
)
"""Words that begin a statement but no block."""
CONTROL = words("if while else begin end case")
TESTS = words(
    "exists object_id db_id schema_id sys sysobjects is_broker_enabled service_broker_guid databasepropertyex"
)
"""Words in a condition that test for existence."""
_NO_BLOCK = words("tran transaction distributed dialog conversation")
"""Words after BEGIN that begin no block."""

MAX_CONDITIONS = 200
"""Limit of nested conditions that are looked through for the reason of an answer."""
JUMPS = words("return goto throw raiserror")
"""Statements after which the next one may not run."""
_ONLY_TELLS, _ENDS_CONNECTION = 10, 19
"""Highest severity of RAISERROR that raises no error, and highest severity that keeps the connection."""


@dataclass(slots=True)
class FlowBlock:
    """A block, or a CASE expression."""

    kind: str
    own: FlowCondition | None = None
    """The condition directly before it."""
    guard: FlowCondition | None = None
    """The enclosing condition of its statements."""
    thrown: bool = False
    """For a TRY block: it is certainly left for its CATCH block."""


@dataclass(slots=True)
class ControlFlow:
    """The state of one batch. The caller feeds it the words of the batch."""

    body: ProcedureBody | None = None
    """True inside a procedure, function or trigger, to the end of the batch."""
    parentheses: int = 0
    catches: int = 0
    """Number of open CATCH blocks."""
    frames: list[FlowBlock] = field(default_factory=list)
    waiting: FlowCondition | None = None
    """A condition whose statement has not begun yet."""
    current: FlowCondition | None = None
    """The condition of the current statement."""
    last: FlowCondition | None = None
    """The condition of the previous statement: a following ELSE belongs to it."""
    left: bool = False
    """True after an unconditional RETURN, GOTO or THROW: only a label can be reached."""
    labelled: bool = False
    """True if a label follows such a statement: another GOTO may lead there."""
    target: str | None = None
    """The label, folded, of an unconditional GOTO."""
    labelled_before: bool = False
    """`labelled` at the time of that GOTO."""
    thrown: int = 0
    """Number of open TRY blocks that are left for their CATCH blocks."""
    caught: bool = False
    """The TRY block that just ended was left: its CATCH block runs."""

    def mark(self, mark: str) -> None:
        """Handle a parenthesis or a semicolon."""
        if mark == "(":
            self.parentheses += 1
        elif mark == ")":
            self.parentheses -= 1
        else:
            self.semicolon()

    def colon(self, text: str, start: int) -> None:
        """Handle a colon that begins no command: it ends a label, unless it is one of two."""
        if (
            (self.left or self.target)
            and text[start] == ":"
            and ":"
            not in (
                text[start - 1 : start],
                text[start + 1 : start + 2],
            )
        ):
            self._label(text, start)

    def _label(self, text: str, end: int) -> None:
        if self.target and last_word(text, end).lower() == self.target:
            self.left, self.labelled, self.target = False, self.labelled_before, None
        elif self.left:
            self.left, self.labelled = False, True

    def jump(self, word: str, text: str, position: int) -> None:
        """The current statement is a RETURN, GOTO, THROW or RAISERROR; `position`: after that word."""
        if not (self.reached() == ALWAYS or (self.labelled and self.guard is None and not self.catches)):
            return
        if word == "return":
            self.left = True
        elif word == "goto":
            self.labelled_before = self.labelled
            self.left, self.target = True, next_token(text, position).text.lower()
        elif self._throws(word, text, position):
            self._throw(word == "throw" or _severity(text, position) > _ENDS_CONNECTION)

    def _throws(self, word: str, text: str, position: int) -> bool:
        if word == "raiserror":
            return _severity(text, position) > _ONLY_TELLS
        token = next_token(text, position)
        in_catch = bool(self.frames) and self.frames[-1].kind == "caught"
        return token.kind == NUMBER or token.text[:1] == "@" or in_catch

    def _throw(self, ends_batch: bool) -> None:
        """Handle an error: it leaves the TRY block for its CATCH block; without a TRY block the batch ends."""
        for frame in reversed(self.frames):
            if frame.kind == "try":
                frame.thrown = True
                self.thrown += 1
                return
        self.left = self.left or ends_batch

    def word(self, word: str, following: str) -> None:
        """Handle a keyword of `STARTERS`, `CONTROL` or `TESTS`, and the word after it, both lower case."""
        if word in TESTS:
            if self.waiting:
                self.waiting.tests = True
        elif word == "case":
            self.frames.append(FlowBlock("case", None, self._around()))
        elif word == "end":
            if following != "conversation":
                self._end()
        elif self.frames and self.frames[-1].kind == "case":
            return
        elif word == "else":
            self._else()
        elif self.waiting and self.parentheses > self.waiting.depth:
            return
        elif word in ("if", "while"):
            self._condition(word)
        elif word == "begin" and following not in _NO_BLOCK:
            self._begin(following)
        else:
            self._statement()

    def semicolon(self) -> None:
        if not self.waiting:
            self.last = self.current or self.last
            self.current = None

    def _statement(self) -> None:
        if self.waiting:
            self.current, self.waiting = self.waiting, None
        else:
            self.last, self.current = None, None

    def _condition(self, word: str) -> None:
        outer = self.waiting or self._around()
        self.last = self.current = None
        is_loop = word == "while" or (outer is not None and outer.is_loop)
        self.waiting = FlowCondition(self.parentheses, outer, is_loop=is_loop)

    def _else(self) -> None:
        done = self.current or self.last
        outer = done.outer if done else self._around()
        self.current = self.last = None
        is_loop = outer is not None and outer.is_loop
        self.waiting = FlowCondition(self.parentheses, outer, done, done.tests if done else False, is_loop)

    def _begin(self, following: str) -> None:
        kind = following if following in ("try", "catch") else "block"
        if kind == "catch" and self.caught:
            kind = "caught"
        self.caught = False
        self.catches += kind == "catch"
        self.frames.append(FlowBlock(kind, self.waiting, self.waiting or self._around()))
        self.waiting = self.current = self.last = None

    def _end(self) -> None:
        if self.frames:
            frame = self.frames.pop()
            self.catches -= frame.kind == "catch"
            self.thrown -= frame.thrown
            self.caught = frame.thrown
            self.last = frame.own
        self.waiting = self.current = None

    def _around(self) -> FlowCondition | None:
        return self.frames[-1].guard if self.frames else None

    def reached(self) -> str:
        """True if the current statement would run."""
        if self.body or self.catches or self.left or self.thrown:
            return NEVER
        guard = self.guard
        reached = guard.reached() if guard else ALWAYS
        return CONDITIONAL if self.labelled and reached != NEVER else reached

    @property
    def guard(self) -> FlowCondition | None:
        """The condition of the current statement."""
        return self.current or self._around()

    def false_guard(self) -> Sentence | None:
        """The fact that keeps the current statement from running, if a condition around it is known."""
        guard = self.guard
        for _ in range(MAX_CONDITIONS):
            if guard is None:
                break
            if guard.value() is False and guard.decision is not None:
                return guard.decision.why
            guard = guard.outer
        return None

    def open_subject(self) -> tuple[str, str] | None:
        """Kind and name of the object that the innermost open condition asks for, if it asks for nothing else."""
        guard = self.guard
        for _ in range(MAX_CONDITIONS):
            if guard is None or (guard.decision is not None and guard.value() is None):
                break
            guard = guard.outer  # its answer is known, or it stands for the statement that runs a string
        decision = guard.decision if guard is not None else None
        return decision.subject if decision is not None else None

    def begin_inside(self, outer: FlowCondition | None, reached: str) -> None:
        """Begin a string that a statement runs: `outer` is the condition of that statement, `reached` its answer."""
        guard = FlowCondition(0, outer, tests=True, is_loop=outer is not None and outer.is_loop, known=reached)
        self.frames.append(FlowBlock("block", None, guard))

    def applied(self) -> None:
        """The current statement was applied."""
        if guard := self.guard:
            guard.take()


def _severity(text: str, position: int) -> int:
    """The second argument of RAISERROR if it is a number; else 0."""
    tokens = []
    for _ in range(4):
        token = next_token(text, position)
        position = token.end
        tokens.append(token)
    opening, _, comma, severity = tokens
    if opening.text != "(" or comma.text != "," or comma.kind != SYMBOL or severity.kind != NUMBER:
        return 0
    return int(severity.text[:9])
