"""Values of T-SQL expressions that are known before the script runs: literals, and what is made of them alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

from routing.tsql.growth import ExpansionBudget

MAX_UNICODE_CHARS, MAX_ANSI_CHARS = 4_000, 8_000
"""SQL Server cuts the result of an expression there, unless a part of it is of a (max) type."""

MAX_INTEGER = 2**63 - 1


class NotConstant(Exception):
    """The value is known only when the script runs."""


class Null:
    """NULL."""


NULL = Null()


@dataclass(frozen=True, slots=True, eq=False)
class TextConstant:
    """A string. A concatenation keeps its two halves, so that building a long text piece by piece costs its length."""

    text: str
    """The characters; empty for a concatenation."""
    line: int
    """The line in the file at which the text begins."""
    sources: tuple[int, ...] = ()
    """The positions of the literals of which it was made."""
    size_chars: int = 0
    is_unicode: bool = False
    is_max: bool = False
    halves: tuple[TextConstant, TextConstant] | None = None

    def leaves(self) -> list[TextConstant]:
        """The parts of a concatenation, in their order."""
        found, waiting = [], [self]
        while waiting:
            part = waiting.pop()
            if part.halves is None:
                found.append(part)
            else:
                waiting += (part.halves[1], part.halves[0])
        return found


Constant: TypeAlias = TextConstant | int | Null


def text_of(text: str, line: int, sources: tuple[int, ...], *, is_unicode: bool) -> TextConstant:
    """A literal, or what a function makes of constants."""
    limit = MAX_UNICODE_CHARS if is_unicode else MAX_ANSI_CHARS
    return TextConstant(text, line, sources, len(text), is_unicode, len(text) > limit)


def joined(one: Constant, other: Constant) -> Constant:
    """`one + other`. Raises `NotConstant`, also where SQL Server would cut the result."""
    if isinstance(one, Null) or isinstance(other, Null):
        return NULL
    if isinstance(one, int) and isinstance(other, int):
        return _bounded(one + other)
    if isinstance(one, int) or isinstance(other, int):
        raise NotConstant
    if not one.size_chars or not other.size_chars:
        whole = one if one.size_chars else other
        return replace(whole, is_unicode=one.is_unicode or other.is_unicode, is_max=one.is_max or other.is_max)
    is_unicode, is_max = one.is_unicode or other.is_unicode, one.is_max or other.is_max
    size = one.size_chars + other.size_chars
    if not is_max and size > (MAX_UNICODE_CHARS if is_unicode else MAX_ANSI_CHARS):
        raise NotConstant
    return TextConstant("", one.line, (), size, is_unicode, is_max, (one, other))


def _bounded(number: int) -> int:
    if abs(number) > MAX_INTEGER:
        raise NotConstant
    return number


def flat(value: TextConstant, budget: ExpansionBudget) -> TextConstant:
    """The same as one piece. Raises `TooLarge`."""
    if value.halves is None:
        return value
    budget.spend(value.size_chars)
    leaves = value.leaves()
    sources = tuple(source for leaf in leaves for source in leaf.sources)
    return replace(value, text="".join(leaf.text for leaf in leaves), sources=sources, halves=None)


# ---------------------------------------------------------------- types

_INTEGERS = frozenset(("int", "bigint", "smallint", "tinyint", "bit"))
_TEXTS = {"nvarchar": True, "varchar": False, "nchar": True, "char": False}
_SYSNAME_CHARS = 128
_PADDED = frozenset(("nchar", "char"))


@dataclass(frozen=True, slots=True)
class SqlType:
    """The type of a variable or of a CAST."""

    name: str
    """In lower case, without schema."""
    size: int | None = None
    """Characters; None for (max)."""

    @property
    def is_text(self) -> bool:
        return self.name in _TEXTS

    def converted(self, value: Constant, budget: ExpansionBudget) -> Constant:
        """The value in this type. Raises `NotConstant`, also where SQL Server would cut it."""
        if isinstance(value, Null):
            return value
        if self.name in _INTEGERS:
            return _integer(value, budget)
        if self.name not in _TEXTS:
            raise NotConstant
        if isinstance(value, int):
            value = text_of(str(value), 0, (), is_unicode=False)
        does_not_fit = self.size is not None and value.size_chars > self.size
        if does_not_fit or (self.name in _PADDED and value.size_chars != self.size):
            raise NotConstant
        return replace(value, is_unicode=_TEXTS[self.name], is_max=self.size is None)


def sql_type(name: str, size: str | None, default_chars: int) -> SqlType:
    """The type of this name; `size` as written in parentheses."""
    name = name.lower()
    if name == "sysname":
        return SqlType("nvarchar", _SYSNAME_CHARS)
    if size is None or name not in _TEXTS:
        return SqlType(name, default_chars)
    return SqlType(name, None if size.lower() == "max" else int(size[:5]) if size.isdecimal() else 0)


def _integer(value: TextConstant | int, budget: ExpansionBudget) -> int:
    if isinstance(value, int):
        return value
    text = flat(value, budget).text.strip() if value.size_chars <= 20 else ""
    if not (text.isascii() and text.removeprefix("-").isdecimal()):
        raise NotConstant
    return int(text)


# ---------------------------------------------------------------- functions


@dataclass(frozen=True, slots=True)
class ConstantCall:
    """A call of a function with constant arguments; raises `NotConstant` where one is not of the kind it takes."""

    arguments: tuple[Constant, ...]
    budget: ExpansionBudget

    def text(self, index: int) -> str:
        value = self.arguments[index] if index < len(self.arguments) else NULL
        if isinstance(value, Null):
            raise NotConstant
        if isinstance(value, int):
            return str(value)
        self.budget.spend(value.size_chars)
        return flat(value, self.budget).text

    def number(self, index: int) -> int:
        value = self.arguments[index] if index < len(self.arguments) else NULL
        if not isinstance(value, int):
            raise NotConstant
        return value

    def made(self, text: str) -> TextConstant:
        """The result of the call: it begins where its first text begins."""
        texts = [one for one in self.arguments if isinstance(one, TextConstant)]
        leaves = [leaf for one in texts for leaf in one.leaves()]
        sources = tuple(source for leaf in leaves for source in leaf.sources)
        is_unicode = any(one.is_unicode for one in texts)
        found = text_of(text, texts[0].line if texts else 0, sources, is_unicode=is_unicode)
        is_max = any(one.is_max for one in texts)
        if found.is_max and not is_max:
            raise NotConstant  # SQL Server cuts it
        return replace(found, is_max=is_max)


def call(name: str, arguments: tuple[Constant, ...], budget: ExpansionBudget) -> Constant:
    """The result of a function. Raises `NotConstant` and `TooLarge`."""
    function = _FUNCTIONS.get(name.upper())
    if function is None:
        raise NotConstant
    return function(ConstantCall(arguments, budget))


def _concat(one: ConstantCall) -> Constant:
    """CONCAT takes NULL for an empty text."""
    if len(one.arguments) < 2:
        raise NotConstant
    value: Constant = text_of("", 0, (), is_unicode=False)
    for part in one.arguments:
        if not isinstance(part, Null):
            text = text_of(str(part), 0, (), is_unicode=False) if isinstance(part, int) else part
            value = text if isinstance(value, TextConstant) and not value.size_chars else joined(value, text)
    return value


_QUOTES = {"[": ("[", "]"), "]": ("[", "]"), '"': ('"', '"'), "'": ("'", "'")}


def _quote_name(one: ConstantCall) -> Constant:
    name, quote = one.text(0), one.text(1) if len(one.arguments) > 1 else "["
    pair = _QUOTES.get(quote)
    if len(name) > _SYSNAME_CHARS or pair is None:
        return NULL
    opening, closing = pair
    return replace(one.made(opening + name.replace(closing, closing * 2) + closing), is_unicode=True)


def _replaced(one: ConstantCall) -> Constant:
    """REPLACE compares as the collation does: known only where upper and lower case make no difference."""
    text, old, new = one.text(0), one.text(1), one.text(2)
    if not old:
        return one.made(text)
    count = text.count(old)
    if text.casefold().count(old.casefold()) != count:
        raise NotConstant
    one.budget.spend(len(text) + count * len(new))
    return one.made(text.replace(old, new))


def _replicated(one: ConstantCall) -> Constant:
    text, times = one.text(0), one.number(1)
    if times < 0:
        return NULL
    one.budget.spend(len(text) * times)
    return one.made(text * times)


def _spaces(one: ConstantCall) -> Constant:
    return _replicated(ConstantCall((text_of(" ", 0, (), is_unicode=False), one.number(0)), one.budget))


def _character(one: ConstantCall) -> Constant:
    code = one.number(0)
    if not 0 < code < 0xD800:
        raise NotConstant
    return text_of(chr(code), 0, (), is_unicode=code > 0xFF)


def _first_known(one: ConstantCall) -> Constant:
    """ISNULL and COALESCE."""
    if not one.arguments:
        raise NotConstant
    return next((part for part in one.arguments if not isinstance(part, Null)), NULL)


def _is_null(one: ConstantCall) -> Constant:
    first = one.arguments[0] if one.arguments else NULL
    return _first_known(one) if isinstance(first, Null) else first


_FUNCTIONS: dict[str, Callable[[ConstantCall], Constant]] = {
    "CONCAT": _concat,
    "QUOTENAME": _quote_name,
    "REPLACE": _replaced,
    "REPLICATE": _replicated,
    "SPACE": _spaces,
    "CHAR": _character,
    "NCHAR": _character,
    "ISNULL": _is_null,
    "COALESCE": _first_known,
    "UPPER": lambda one: one.made(one.text(0).upper()),
    "LOWER": lambda one: one.made(one.text(0).lower()),
    "LTRIM": lambda one: one.made(one.text(0).lstrip(" ")),
    "RTRIM": lambda one: one.made(one.text(0).rstrip(" ")),
    "TRIM": lambda one: one.made(one.text(0).strip(" ")),
    "LEFT": lambda one: one.made(one.text(0)[: max(0, one.number(1))]),
}
