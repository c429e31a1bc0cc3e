"""Functions of T-SQL whose results are known before the script runs, where their arguments are."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from routing.tsql.constants import (
    NULL,
    SYSNAME_CHARS,
    Constant,
    NotConstant,
    Null,
    TextConstant,
    flat,
    joined,
    text_of,
)
from routing.tsql.growth import ExpansionBudget


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


def is_known(name: str) -> bool:
    """True for a function whose result is known where its arguments are."""
    return name.upper() in _FUNCTIONS


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
    if len(name) > SYSNAME_CHARS or pair is None:
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


def _part(one: ConstantCall) -> Constant:
    """SUBSTRING; a start before the first character takes from the length."""
    text, start, length = one.text(0), one.number(1), one.number(2)
    if length < 0:
        raise NotConstant
    return one.made(text[max(0, start - 1) : max(0, start - 1 + length)])


def _right(one: ConstantCall) -> Constant:
    text, count = one.text(0), one.number(1)
    return one.made(text[max(0, len(text) - count) :])


def _stuffed(one: ConstantCall) -> Constant:
    text, start, length = one.text(0), one.number(1), one.number(2)
    if not 1 <= start <= len(text) or length < 0:
        return NULL
    new = one.text(3) if not isinstance(one.arguments[3], Null) else ""
    one.budget.spend(len(text) + len(new))
    return one.made(text[: start - 1] + new + text[start - 1 + length :])


def _place(one: ConstantCall) -> Constant:
    """CHARINDEX compares as the collation does: known only where upper and lower case make no difference."""
    sought, text = one.text(0), one.text(1)
    begin = max(0, one.number(2) - 1) if len(one.arguments) > 2 else 0
    found = text.find(sought, begin)
    if len(text.casefold()) != len(text) or text.casefold().find(sought.casefold(), begin) != found:
        raise NotConstant
    return found + 1


def _null_if(one: ConstantCall) -> Constant:
    if len(one.arguments) != 2:
        raise NotConstant
    return NULL if are_equal(one.arguments[0], one.arguments[1], one.budget) else one.arguments[0]


def _chosen(one: ConstantCall) -> Constant:
    index = one.number(0)
    return one.arguments[index] if 1 <= index < len(one.arguments) else NULL


_PLACE_IN_FORMAT = re.compile(r"%(.)?")


def _formatted(one: ConstantCall) -> Constant:
    """FORMATMESSAGE with a text, and %s, %d and %i in it."""
    rest = iter(range(1, len(one.arguments)))

    def value(match: re.Match[str]) -> str:
        index = next(rest, None) if match[1] in ("s", "d", "i") else None
        if match[1] != "%" and index is None:
            raise NotConstant
        return "%" if index is None else one.text(index)

    text = _PLACE_IN_FORMAT.sub(value, one.text(0))
    one.budget.spend(len(text))
    return one.made(text)


def are_equal(one: Constant, other: Constant, budget: ExpansionBudget) -> bool:
    """Whether SQL Server takes two values for equal. Raises `NotConstant` for NULL, and where the collation decides."""
    if isinstance(one, int) and isinstance(other, int):
        return one == other
    if not isinstance(one, TextConstant) or not isinstance(other, TextConstant):
        raise NotConstant
    texts = [flat(part, budget).text.rstrip(" ") for part in (one, other)]
    if texts[0] != texts[1] and texts[0].casefold() == texts[1].casefold():
        raise NotConstant
    return texts[0] == texts[1]


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
    "SUBSTRING": _part,
    "RIGHT": _right,
    "STUFF": _stuffed,
    "CHARINDEX": _place,
    "NULLIF": _null_if,
    "CHOOSE": _chosen,
    "FORMATMESSAGE": _formatted,
    "LEN": lambda one: len(one.text(0).rstrip(" ")),
    "REVERSE": lambda one: one.made(one.text(0)[::-1]),
    "LEFT": lambda one: one.made(one.text(0)[: max(0, one.number(1))]),
}
