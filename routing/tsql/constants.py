"""Values of T-SQL expressions that are known before the script runs: literals, and expressions of literals alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

from routing.tsql.growth import ExpansionBudget

MAX_UNICODE_CHARS, MAX_ANSI_CHARS = 4_000, 8_000
"""SQL Server cuts the result of an expression there, unless a part of it is of a (max) type."""

MAX_INTEGER = 2**63 - 1
SYSNAME_CHARS = 128


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
    """The positions of the literals in it."""
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
        return bounded(one + other)
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


def bounded(number: int) -> int:
    """A number that SQL Server can hold. Raises `NotConstant`."""
    if abs(number) > MAX_INTEGER:
        raise NotConstant
    return number


def flat(value: TextConstant, budget: ExpansionBudget) -> TextConstant:
    """Return a text as one piece. Raises `TooLarge`."""
    if value.halves is None:
        return value
    budget.spend(value.size_chars)
    leaves = value.leaves()
    sources = tuple(source for leaf in leaves for source in leaf.sources)
    return replace(value, text="".join(leaf.text for leaf in leaves), sources=sources, halves=None)


# ---------------------------------------------------------------- types

_INTEGERS = frozenset(("int", "bigint", "smallint", "tinyint", "bit"))
_TEXTS = {"nvarchar": True, "varchar": False, "nchar": True, "char": False}
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
        return SqlType("nvarchar", SYSNAME_CHARS)
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
