"""Reads T-SQL expressions and types whose value is known before the script runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from routing.tsql.constant_functions import call
from routing.tsql.constants import NULL, Constant, NotConstant, SqlType, bounded, joined, sql_type, text_of
from routing.tsql.cursor import FOLLOWERS
from routing.tsql.growth import ExpansionBudget, SqlcmdVariables
from routing.tsql.lexer import END, NUMBER, QUOTED, STRING, SYMBOL, WORD, SqlToken, next_token, substituted

MAX_DEPTH = 32
"""Limit of nested parentheses and calls."""
MAX_ARGUMENTS = 254
"""Limit of arguments, as that of CONCAT."""
_CAST_CHARS = 30
"""Characters of a text type in a CAST without a number."""
_NAMED_IN_CALL = frozenset(("CAST", "CONVERT", "TRY_CAST", "TRY_CONVERT"))


@dataclass(frozen=True, slots=True)
class ConstantScope:
    """The facts on which the values at one place of a script depend."""

    variable: Callable[[str], Constant]
    """The value of a variable by its name in lower case; raises `NotConstant`."""
    line_of: Callable[[int], int]
    sqlcmd: SqlcmdVariables
    budget: ExpansionBudget
    database: str | None
    """The database in use, for DB_NAME(); None if unknown."""
    condition: Callable[[ConstantReader], bool | None]
    """Reads a condition, up to THEN or a comma; None: its answer is not known."""
    case: Callable[[ConstantReader, str], Constant]
    """Reads a CASE or an IIF, after that word."""


class ConstantReader:
    """Reads a constant expression; raises `NotConstant` at an unknown value, and `Unclosed` at a missing end."""

    def __init__(self, text: str, position: int, scope: ConstantScope) -> None:
        self.text = text
        self._scope = scope
        self._depth = 0
        self.end = position
        """The end of the last token taken."""
        self.ahead = next_token(text, position)

    def take(self) -> SqlToken:
        token = self.ahead
        self.end = token.end
        self.ahead = next_token(self.text, token.end)
        return token

    def of(self, text: str) -> ConstantReader:
        """A reader of another text, in the same scope."""
        return ConstantReader(text, 0, self._scope)

    def token_at(self, position: int) -> SqlToken:
        """The token at or after a position of the same text."""
        return next_token(self.text, position)

    def answer(self) -> bool:
        """The answer of the condition that is next. Raises `NotConstant` if it is not known."""
        found = self._scope.condition(self)
        if found is None:
            raise NotConstant
        return found

    @property
    def budget(self) -> ExpansionBudget:
        return self._scope.budget

    def go_to(self, position: int) -> None:
        """Go on reading from there."""
        self.end = position
        self.ahead = next_token(self.text, position)

    def accept(self, symbol: str) -> bool:
        if self.ahead.kind != SYMBOL or self.ahead.text != symbol:
            return False
        self.take()
        return True

    def expect(self, symbol: str) -> None:
        if not self.accept(symbol):
            raise NotConstant

    def accept_word(self, word: str) -> bool:
        if self.ahead.kind != WORD or self.ahead.text.upper() != word:
            return False
        self.take()
        return True

    @property
    def ends(self) -> bool:
        """True if the statement ends here."""
        token = self.ahead
        if token.kind == END or (token.kind == SYMBOL and token.text == ";"):
            return True
        return token.kind == WORD and token.text.lower() in FOLLOWERS

    # ------------------------------------------------------------ values

    def value(self) -> Constant:
        """`a + b - c …`."""
        found = self._product()
        while True:
            if self.accept("+"):
                found = joined(found, self._product())
            elif self.accept("-"):
                found = _calculated("-", found, self._product())
            else:
                return found

    def _product(self) -> Constant:
        """`a * b / c …`, of numbers."""
        found = self.operand()
        while self.ahead.kind == SYMBOL and self.ahead.text in "*/%":
            found = _calculated(self.take().text, found, self.operand())
        return found

    def operand(self) -> Constant:
        """A literal, a variable, a call, or a value in parentheses, with a collation after it."""
        found = self._single()
        if self.accept_word("COLLATE"):
            self.take()
        return found

    def _single(self) -> Constant:
        token = self.take()
        if token.kind == STRING:
            return self._literal(token)
        if token.kind == NUMBER and len(token.text) <= 18:
            return self._number(token)
        if token.kind == SYMBOL and token.text == "(":
            return self._deeper(self._in_parentheses)
        if token.kind == SYMBOL and token.text == "-" and self.ahead.kind == NUMBER:
            return -self._number(self.take())
        if token.kind != WORD:
            raise NotConstant
        if token.text[0] == "@":
            return self._scope.variable(token.text.lower())
        word = token.text.upper()
        if word == "NULL":
            return NULL
        if word.lower() in FOLLOWERS:
            raise NotConstant  # the statement ended before it
        if word == "CASE":
            return self._deeper(lambda: self._scope.case(self, word))
        return self._deeper(lambda: self._call(token))

    def _literal(self, token: SqlToken) -> Constant:
        text = substituted(token.text, self._scope.sqlcmd)
        line = self._scope.line_of(token.start)
        is_unicode = token.raw[0] in "Nn"
        return text_of(text, line, (token.start + is_unicode,), is_unicode=is_unicode)

    def _number(self, token: SqlToken) -> int:
        if self.text.startswith(".", token.end) or not token.text.isascii():
            raise NotConstant
        return int(token.text)

    def _deeper(self, read: Callable[[], Constant]) -> Constant:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise NotConstant
        found = read()
        self._depth -= 1
        return found

    def _in_parentheses(self) -> Constant:
        self.accept_word("SELECT")
        found = self.value()
        self.expect(")")
        return found

    def _call(self, name: SqlToken) -> Constant:
        self.expect("(")
        word = name.text.upper()
        if word in _NAMED_IN_CALL:
            return self._conversion(word)
        if word == "IIF":
            return self._scope.case(self, word)
        arguments: list[Constant] = []
        while not self.accept(")"):
            if len(arguments) > MAX_ARGUMENTS:
                raise NotConstant
            if arguments:
                self.expect(",")
            arguments.append(self.value())
        if word == "DB_NAME" and not arguments and self._scope.database is not None:
            return text_of(self._scope.database, 0, (), is_unicode=True)
        return call(word, tuple(arguments), self._scope.budget)

    def _conversion(self, word: str) -> Constant:
        """`CAST(value AS type)` or `CONVERT(type, value)`."""
        if word.endswith("CAST"):
            found = self.value()
            if not self.accept_word("AS"):
                raise NotConstant
            kind = self.type(_CAST_CHARS)
        else:
            kind = self.type(_CAST_CHARS)
            self.expect(",")
            found = self.value()
        self.expect(")")
        return kind.converted(found, self._scope.budget)

    def type(self, default_chars: int) -> SqlType:
        """A type; `default_chars` of a text type without a number."""
        token = self.take()
        while self.accept("."):
            token = self.take()
        if token.kind not in (WORD, QUOTED) or token.text[:1] == "@":
            raise NotConstant
        size = None
        if self.accept("("):
            size = self.take().text
            if self.accept(","):
                self.take()
            self.expect(")")
        return sql_type(token.text, size, default_chars)


def _calculated(operator: str, one: Constant, other: Constant) -> Constant:
    """A calculation with whole numbers; division cuts towards zero. Raises `NotConstant`."""
    if one is NULL or other is NULL:
        return NULL
    if not isinstance(one, int) or not isinstance(other, int) or (operator in "/%" and not other):
        raise NotConstant
    if operator == "-":
        return bounded(one - other)
    if operator == "*":
        return bounded(one * other)
    quotient = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)
    return quotient if operator == "/" else one - quotient * other
