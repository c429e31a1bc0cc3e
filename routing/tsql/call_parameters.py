"""Reads the parameters of sp_executesql: their declaration in a text, and the values that the call gives them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from routing.tsql.constant_reader import ConstantReader
from routing.tsql.constants import NULL, Constant, NotConstant, SqlType, TextConstant, flat
from routing.tsql.cursor import FOLLOWERS
from routing.tsql.growth import ExpansionBudget
from routing.tsql.lexer import END, STRING, SYMBOL, WORD, Unclosed

MAX_PARAMETERS = 100
"""Limit of parameters of a call; later ones are not known."""
MAX_PASSED_TOKENS = 100
"""Limit of tokens of an argument that is passed over."""
_OUTPUT = ("OUTPUT", "OUT")
_DECLARED_CHARS = 1


@dataclass(frozen=True, slots=True)
class Parameter:
    """A variable that is declared for the text."""

    kind: SqlType
    value: Constant | None
    """None: known only when the script runs."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """The variables of one call, by name in lower case."""

    values: dict[str, Parameter] = field(default_factory=dict)
    changed: tuple[str, ...] = ()
    """The variables of the caller that the text may set: those with OUTPUT."""
    end: int = 0
    """The end of the last argument; 0: they are not known."""


def parameters_of(reader: ConstantReader) -> Parameters:
    """Read the declaration and the arguments, after the comma behind the text that runs. Raises `Unclosed`."""
    try:
        if reader.ahead.text.lower() == "@params":
            reader.take()
            reader.expect("=")
        declared = dict(_declared(reader))
    except NotConstant:
        return Parameters()
    return _Arguments(reader, declared).read() if reader.accept(",") else Parameters(declared, end=reader.end)


def _declared(reader: ConstantReader) -> Iterator[tuple[str, Parameter]]:
    """The parameters of the declaration, with their defaults. Raises `NotConstant`."""
    value = reader.operand()
    if not isinstance(value, TextConstant):
        return
    inner = reader.of(flat(value, reader.budget).text)
    try:
        for _ in range(MAX_PARAMETERS):
            name = inner.take()
            if name.kind != WORD or name.text[0] != "@":
                return
            inner.accept_word("AS")
            kind = inner.type(_DECLARED_CHARS)
            default = kind.converted(inner.operand(), inner.budget) if inner.accept("=") else NULL
            any(inner.accept_word(word) for word in _OUTPUT)
            yield name.text.lower(), Parameter(kind, _apart(default, inner.budget))
            if not inner.accept(","):
                return
    except Unclosed:
        raise NotConstant from None


def _apart(value: Constant, budget: ExpansionBudget) -> Constant:
    """A value without its sources: where the text runs it, that text is read, and not the literals of the call."""
    return replace(flat(value, budget), sources=()) if isinstance(value, TextConstant) else value


class _Arguments:
    """The arguments of one call."""

    def __init__(self, reader: ConstantReader, declared: dict[str, Parameter]) -> None:
        self._reader = reader
        self._values = declared
        self._order = list(declared)
        self._changed: list[str] = []

    def read(self) -> Parameters:
        for index in range(MAX_PARAMETERS):
            self._argument(index)
            if not self._reader.accept(","):
                break
        return Parameters(self._values, tuple(self._changed), self._reader.end)

    def _argument(self, index: int) -> None:
        reader, first = self._reader, self._reader.ahead
        name = self._order[index] if index < len(self._order) else ""
        if first.kind == WORD and first.text[:1] == "@":
            after = reader.token_at(first.end)
            if after.kind == SYMBOL and after.text == "=":
                name = reader.take().text.lower()
                reader.expect("=")
        value = self._value()
        if name in self._values:
            self._values[name] = replace(self._values[name], value=self._converted(name, value))

    def _value(self) -> Constant | None:
        """The value of an argument; None, and passed over, if it is not known."""
        reader, first = self._reader, self._reader.ahead
        found: Constant | None = None
        with suppress(NotConstant):
            found = reader.operand()
        if any(reader.accept_word(word) for word in _OUTPUT):
            self._changed.append(first.text.lower())
            return found
        return found if self._pass() == 0 else None

    def _pass(self) -> int:
        """Pass over the rest of an argument; returns how many tokens it has."""
        depth = 0
        for count in range(MAX_PASSED_TOKENS):
            token = self._reader.ahead
            ends = token.kind == SYMBOL and token.text in ",;"
            follows = token.kind == WORD and token.text.lower() in FOLLOWERS
            if token.kind == END or (not depth and (ends or follows)):
                return count
            depth += (token.text == "(") - (token.text == ")") if token.kind == SYMBOL else 0
            if token.kind == STRING and not depth:
                return count + 1
            self._reader.take()
        return MAX_PASSED_TOKENS

    def _converted(self, name: str, value: Constant | None) -> Constant | None:
        if value is None:
            return None
        with suppress(NotConstant):
            return self._values[name].kind.converted(_apart(value, self._reader.budget), self._reader.budget)
        return None
