"""The filter language of pages: `service:Order* -is:expired "two words"`.

Words stand beside one another, and all of them must hold. `key:value` is about one thing; a value with spaces stands in
quotation marks, `"` in it doubled; `-` before a word turns it round. What the keys mean is the business of each page.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from routing.common.sentence import Sentence, say

LONGEST = 1_000
"""Maximum length of a filter, in characters."""
QUOTE = '"'
_KEY = re.compile(r"([A-Za-z_]+):")
_BARE = re.compile(r"\S*")
_QUOTED = re.compile(r'"((?:[^"]|"")*)"')

_BRACED = re.compile(r"\{([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\}")
"""A GUID in braces, as SQL Server shows it."""

Row = TypeVar("Row")
Test = Callable[[Row], bool]


@dataclass(frozen=True, slots=True)
class Term:
    """One word of a filter."""

    value: str
    key: str = ""
    """The key before the colon; empty for a bare word, which matches any column of a row."""
    is_negated: bool = False
    start: int = field(default=0, compare=False)
    """Index of its first character in the filter; `end` is the index after its last one."""
    end: int = field(default=0, compare=False)

    def __str__(self) -> str:
        value = self.value
        if not value or value.startswith(QUOTE) or any(map(str.isspace, value)) or self._would_be_other(value):
            value = f'"{value.replace(QUOTE, QUOTE * 2)}"'
        return f"{'-' if self.is_negated else ''}{self.key}{':' if self.key else ''}{value}"

    def _would_be_other(self, value: str) -> bool:
        return not self.key and (value.startswith("-") or _KEY.match(value) is not None)


class FilterError(Exception):
    """An invalid filter: `problem` names the error in the characters from `start` to `end`."""

    def __init__(self, start: int, end: int, problem: Sentence) -> None:
        super().__init__(str(problem))
        self.start = start
        self.end = end
        self.problem = problem

    @classmethod
    def of(cls, term: Term, problem: Sentence) -> FilterError:
        """Return the error for one word of a filter."""
        return cls(term.start, term.end, problem)


def parse(text: str, keys: Collection[str]) -> tuple[Term, ...]:
    """Parse a filter whose keys must be among `keys`. Raises `FilterError`."""
    if len(text) > LONGEST:
        raise FilterError(LONGEST, len(text), say("is longer than {limit} characters", limit=LONGEST))
    return tuple(_terms(text, keys))


def as_text(terms: Iterable[Term]) -> str:
    """Write terms as a filter; parsing it gives the same terms."""
    return " ".join(map(str, terms))


def _terms(text: str, keys: Collection[str]) -> Iterator[Term]:
    place = _after_spaces(text, 0)
    while place < len(text):
        start = place
        is_negated = text[place] == "-" and text[place + 1 : place + 2].strip() != ""
        place += is_negated
        key, place = _key(text, place, keys)
        value, place = _value(text, place)
        if key and place and text[place - 1] == ":" and not value:
            raise FilterError(start, place, say("needs a value after the colon"))
        yield Term(value, key, is_negated, start, place)
        place = _after_spaces(text, place)


def _after_spaces(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place


def _key(text: str, place: int, keys: Collection[str]) -> tuple[str, int]:
    found = _KEY.match(text, place)
    if found is None:
        return "", place
    key = found[1].lower()
    if key not in keys:
        if text.startswith("//", found.end()):
            # An address is a word. Services may begin with `//`, too: after a key that is there, it is a value.
            return "", place
        raise FilterError(place, _word_end(text, place), _unknown(found[1], keys))
    return key, found.end()


def _unknown(key: str, keys: Collection[str]) -> Sentence:
    close = difflib.get_close_matches(key.lower(), keys, 1)
    if close:
        return say("there is no {key}: here; did you mean {close}:?", key=key, close=close[0])
    return say('there is no {key}: here; put a word with a colon in quotation marks: "{key}:…"', key=key)


def _value(text: str, place: int) -> tuple[str, int]:
    if text[place : place + 1] != QUOTE:
        end = _word_end(text, place)
        return text[place:end], end
    found = _QUOTED.match(text, place)
    if found is None:
        raise FilterError(place, len(text), say("the quotation mark is not closed"))
    if text[found.end() : found.end() + 1].strip() != "":
        problem = say("a space must follow the closing quotation mark")
        raise FilterError(place, _word_end(text, found.end()), problem)
    return found[1].replace(QUOTE * 2, QUOTE), found.end()


def _word_end(text: str, place: int) -> int:
    found = _BARE.match(text, place)
    assert found is not None  # it matches nothing, too
    return found.end()


# -- Meaning -----------------------------------------------------------------------------------------------


def combined(terms: Iterable[Term], makers: Mapping[str, Callable[[Term], Test[Row]]]) -> Test[Row]:
    """Return the test of a row. `makers` makes a test of each term, by key; under the empty key that of a bare word.

    Raises `FilterError` where a value means nothing.
    """
    tests = list(_tests(terms, makers))
    return lambda row: all(test(row) for test in tests)


def kept(rows: Iterable[Row], terms: Iterable[Term], makers: Mapping[str, Callable[[Term], Test[Row]]]) -> list[Row]:
    """The rows for which all terms hold: each term looks only at the rows that those before it left."""
    for test in list(_tests(terms, makers)):
        rows = filter(test, rows)
    return list(rows)


def _tests(terms: Iterable[Term], makers: Mapping[str, Callable[[Term], Test[Row]]]) -> Iterator[Test[Row]]:
    for term in terms:
        test = makers[term.key](term)
        yield _negated(test) if term.is_negated else test


def _negated(test: Test[Row]) -> Test[Row]:
    return lambda row: not test(row)


def whole(pattern: str) -> Test[str]:
    """Return a test that compares a whole text, ignoring case; `*` matches any characters."""
    first, *middle = plain(pattern).split("*")
    if not middle:
        return lambda text: text.casefold() == first
    last = middle.pop()

    def fits(text: str) -> bool:
        text = text.casefold()
        if len(text) < len(first) + len(last) or not (text.startswith(first) and text.endswith(last)):
            return False
        return _in_order(text[len(first) : len(text) - len(last)], middle)

    return fits


def within(pattern: str) -> Test[str]:
    """Return a test that searches in a text, ignoring case; `*` matches any characters."""
    parts = plain(pattern).split("*")
    return lambda text: _in_order(text.casefold(), parts)


def plain(pattern: str) -> str:
    """Without regard to case, and an identifier without braces."""
    return _BRACED.sub(r"\1", pattern.casefold())


def _in_order(text: str, parts: Iterable[str]) -> bool:
    """One after the other. In one pass: a regular expression would try every way to divide the text."""
    place = 0
    for part in parts:
        found = text.find(part, place)
        if found < 0:
            return False
        place = found + len(part)
    return True


def one_of(term: Term, choices: Collection[str]) -> str:
    """Return the value of a term with fixed choices. Raises `FilterError`, which lists the choices."""
    value = term.value.lower()
    if value not in choices:
        problem = say("{key}: takes {choices}", key=term.key, choices=tuple(choices))
        raise FilterError.of(term, problem)
    return value
