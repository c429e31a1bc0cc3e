"""The variables of one batch, with the values that are known where the script stands.

A value that was set under a condition is known under that condition only. A variable that a loop sets is unknown in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from routing.tsql.constant_reader import ConstantReader
from routing.tsql.constants import NULL, Constant, NotConstant, SqlType, joined
from routing.tsql.control_flow import MAX_CONDITIONS
from routing.tsql.flow_condition import FlowCondition
from routing.tsql.growth import ExpansionBudget
from routing.tsql.lexer import WORD, last_word, next_token
from routing.tsql.unknown_text import has_literal, has_statement_in_text

_DECLARED_CHARS = 1
"""Characters of a text type in a DECLARE without a number."""
_SETTING = frozenset(("dialog", "conversation", "group", "into"))
"""Words after which a statement sets a variable."""
_OUTPUT = frozenset(("output", "out"))
_OPERATORS = "+-*/%&^|"
_IS_SET = re.compile(r"(@[\w@#$]+)\s*[-+*/%&^|]?=|\b(?:fetch|into|output|out)\b", re.IGNORECASE)
_SETS = ("=", *_OPERATORS)
MAX_VARIABLES = 500
"""Limit of variables of one batch whose values are followed."""

MAX_SET, MAX_ASKED = 20, 5
"""Limits of the expressions of one variable, and of variables in variables, that are searched for literals."""

ReaderAt = Callable[[int], ConstantReader]


@dataclass(slots=True)
class _Held:
    kind: SqlType
    value: Constant | None
    """None: known only when the script runs."""
    guard: FlowCondition | None = None
    """The condition under which it was set."""
    set_at: list[int] = field(default_factory=list)
    """Where the expressions begin that it was set to."""
    is_fetched: bool = False
    """True if a FETCH, or another statement than SET, sets it."""


class BatchVariables:
    """Follows the statements that set variables, at their positions in the text."""

    def __init__(self, text: str, reader_at: ReaderAt, budget: ExpansionBudget) -> None:
        self._text = text
        self._reader_at = reader_at
        self._budget = budget
        self._held: dict[str, _Held] = {}
        self.guard: FlowCondition | None = None
        """The condition of the current statement; the caller keeps it."""
        self._last_set: dict[str, int] | None = None
        """Where each variable is set for the last time in the text; under no name, where any may be set."""
        self._set_until = 0
        """Up to there the variables that are set are known."""

    def value(self, name: str) -> Constant:
        """The value at this place. Raises `NotConstant`."""
        held = self._held.get(name)
        if held is None or held.value is None or not self._holds(held.guard):
            raise NotConstant
        return held.value

    def _holds(self, guard: FlowCondition | None) -> bool:
        here, steps = self.guard, 0
        while guard is not None and here is not guard:
            steps += 1
            if here is None or steps > MAX_CONDITIONS:
                return False
            here = here.outer
        return True

    @property
    def is_empty(self) -> bool:
        return not self._held

    def new_batch(self) -> None:
        """GO ends the variables of a batch."""
        self._held = {}
        self._set_until = 0

    def forget_all(self) -> None:
        """Handle a label: another statement may have jumped here."""
        for held in self._held.values():
            held.value = None

    def declared(self, name: str, kind: SqlType, value: Constant | None) -> None:
        """Begin with a variable that the statement around the text declares."""
        if len(self._held) < MAX_VARIABLES:
            self._held[name] = _Held(kind, value)

    def forget(self, name: str) -> None:
        """Another statement may have set the variable."""
        if name in self._held:
            self._held[name].value = None

    def holds_literal(self, name: str, visited: frozenset[str] = frozenset()) -> bool:
        """True if a literal of the script is a part of the variable: what it says was examined where it stands."""
        if name in visited or len(visited) >= MAX_ASKED:
            return False
        held = self._held.get(name)
        if held is not None and held.is_fetched and self._has_statement_in_text:
            return True
        set_at = held.set_at if held is not None else self._set_anywhere.get(name, [])
        further = visited | {name}
        return any(has_literal(self._text, at, lambda one: self.holds_literal(one, further)) for at in set_at[:MAX_SET])

    @cached_property
    def _set_anywhere(self) -> dict[str, list[int]]:
        """Where the script sets each variable, for those that no DECLARE in it makes."""
        found: dict[str, list[int]] = {}
        for match in _IS_SET.finditer(self._text):
            if match[1]:
                found.setdefault(match[1].lower(), []).append(match.end())
        return found

    @cached_property
    def _has_statement_in_text(self) -> bool:
        return has_statement_in_text(self._text)

    # ------------------------------------------------------------ statements

    def declare(self, position: int) -> None:
        """DECLARE, after that word."""
        reader = self._reader_at(position)
        try:
            while reader.ahead.kind == WORD and reader.ahead.text[0] == "@":
                self._declare_one(reader)
                if not reader.accept(","):
                    break
        except NotConstant:
            pass  # the variables after it stay unknown
        self._set_until = reader.end

    def _declare_one(self, reader: ConstantReader) -> None:
        name = reader.take().text.lower()
        reader.accept_word("AS")
        kind = reader.type(_DECLARED_CHARS)
        if len(self._held) >= MAX_VARIABLES:
            raise NotConstant
        in_loop = self.guard is not None and self.guard.is_loop
        held = self._held[name] = _Held(kind, None if in_loop else NULL)
        if reader.accept("="):
            held.set_at.append(reader.end)
            held.guard, held.value = self.guard, None
            held.value = kind.converted(self._complete(reader), self._budget)

    def _complete(self, reader: ConstantReader) -> Constant:
        """A value after which the statement or its list goes on. Raises `NotConstant`."""
        found = reader.value()
        if not reader.ends and reader.ahead.text != ",":
            raise NotConstant
        return found

    def set(self, position: int, *, is_select: bool) -> None:
        """SET or SELECT, after that word, if it sets variables."""
        first = next_token(self._text, position)
        if first.text[:1] != "@" or first.kind != WORD:
            return
        reader, names = self._reader_at(position), list[str]()
        is_whole = False
        try:
            while reader.ahead.text[:1] == "@" and reader.ahead.kind == WORD:
                names.append(self._setting(reader))
                if not (is_select and reader.accept(",")):
                    break
            is_whole = reader.ends
        except NotConstant:
            pass
        if is_whole:
            self._set_until = reader.end
        else:  # whatever else it sets, the reader of the script meets and makes unknown
            for name in names:
                self._held[name].value = None

    def _setting(self, reader: ConstantReader) -> str:
        """`@name = value` or `@name += value`; returns the name. Raises `NotConstant`."""
        name = reader.take().text.lower()
        adds = reader.accept("+")
        reader.expect("=")
        begin = reader.end
        value = self._complete(reader)
        held = self._held.get(name)
        if held is None:
            raise NotConstant
        try:
            whole = joined(self.value(name), value) if adds else value
            held.value = held.kind.converted(whole, self._budget)
        except NotConstant:
            held.value = None
        held.guard = self.guard
        held.set_at.append(begin)
        return name

    # ------------------------------------------------------------ other statements

    def mention(self, start: int, end: int, verb: str) -> None:
        """A variable stands at `start`, in a statement that begins with `verb`: if it may be set, it is unknown."""
        held = self._held.get(self._text[start:end].lower())
        if held is None or start < self._set_until or not self._may_set(start, end, verb):
            return
        held.value = None
        after = next_token(self._text, end)
        if after.text in _SETS:
            held.set_at.append(after.end)
        else:
            held.is_fetched = True

    def _may_set(self, start: int, end: int, verb: str) -> bool:
        if verb == "fetch" or last_word(self._text, start).lower() in _SETTING:
            return True
        after = next_token(self._text, end)
        if after.text in ("=", ".") or after.text.lower() in _OUTPUT:
            return True
        return after.text in tuple(_OPERATORS) and self._text.startswith("=", after.end)

    def enter_loop(self, position: int) -> None:
        """Forget the variables that are set after a WHILE at `position`: the next turn may begin with another value."""
        if not self._held:
            return
        if self._last_set is None:
            self._last_set = {(match[1] or "").lower(): match.start() for match in _IS_SET.finditer(self._text)}
        if self._last_set.get("", -1) > position:
            self.forget_all()
        for name, held in self._held.items():
            if self._last_set.get(name, -1) > position:
                held.value = None
