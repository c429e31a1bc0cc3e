"""A pull reader of JSON that holds one small value in memory at a time, however large or hostile the text is.

`json.loads` builds a tree that can take 24 times the size of its text (`[[],[],…]`). Here the caller walks the
containers that it expects, and the standard library parses only the leaves, from a window of bounded size.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

from routing.common.errors import Invalid
from routing.common.sentence import Sentence, say

MAX_LEAF_CHARS = 1 << 18
"""Limit of one leaf. The largest valid one, a queue or a contract, has some thousand characters."""

_NUMBER_CUT_CHARS = 2
"""A number that ends this close to the end of the window may be cut: of `1e+|5` only `1` is read."""

_SPACE = re.compile(r"[ \t\n\r]*")


def reject_duplicate_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = next(key for key, count in counts.items() if count > 1)
        raise Invalid("", say('has the key "{key}" twice', key=twice))
    return members


def _no_constant(name: str) -> NoReturn:
    raise Invalid("", say("has {name}, which is not JSON", name=name))


_scan_once: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(
    object_pairs_hook=reject_duplicate_keys, parse_constant=_no_constant
).scan_once  # type: ignore[attr-defined]  # public in json.decoder, missing in the stubs


class JsonPull:
    """A cursor on a JSON text. Raises `Invalid` without a path, which the caller adds."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._window = ""
        self._window_from = 0

    def members(self) -> Iterator[str]:
        """The keys of the object at the cursor. The caller must read the value of each before the next key."""
        seen: set[str] = set()
        for _ in self._items("{", "}", say("must be an object")):
            key = self._leaf()
            if not isinstance(key, str):
                self._wrong(say("a key must be a string"))
            if key in seen:
                raise Invalid("", say('has the key "{key}" twice', key=key))
            seen.add(key)
            self._take(":")
            yield key

    def elements(self) -> Iterator[int]:
        """The indexes of the array at the cursor. The caller must read each element before the next index."""
        return self._items("[", "]", say("must be an array"))

    def value(self) -> Any:
        """The leaf at the cursor, parsed: a string, a number, or a small object or array."""
        return self._leaf()

    def end(self) -> None:
        """Raise `Invalid` if anything but white space is left."""
        if self._next():
            self._wrong(say("there is more text after the document"))

    def _items(self, opening: str, closing: str, problem: Sentence) -> Iterator[int]:
        if self._next() != opening:
            self._wrong(problem)
        self._at += 1
        index = 0
        if self._next() != closing:
            while True:
                yield index
                index += 1
                if self._next() != ",":
                    break
                self._at += 1
        self._take(closing)

    def _next(self) -> str:
        """Move to the next character that is not white space and return it; empty at the end of the text."""
        self._at = _SPACE.match(self._text, self._at).end()  # type: ignore[union-attr]  # it always matches
        return self._text[self._at : self._at + 1]

    def _take(self, character: str) -> None:
        if self._next() != character:
            self._wrong(say("expected {character}", character=character))
        self._at += 1

    def _leaf(self) -> Any:
        if not self._next():
            self._wrong(say("a value is missing"))
        try:
            return self._scan()
        except (ValueError, StopIteration, RecursionError):
            # The end of the window may have cut the value: try again with a window that begins here.
            self._window_from = self._at
            self._window = self._text[self._at : self._at + MAX_LEAF_CHARS]
        return self._scan_for_sure()

    def _scan(self) -> Any:
        value, end = _scan_once(self._window, self._at - self._window_from)
        if end >= len(self._window) - _NUMBER_CUT_CHARS and self._window[end - 1] not in '"}]' and self._goes_on():
            raise ValueError("a number may go on after the window")
        self._at = self._window_from + end
        return value

    def _goes_on(self) -> bool:
        return self._window_from + len(self._window) < len(self._text)

    def _scan_for_sure(self) -> Any:
        try:
            return self._scan()
        except json.JSONDecodeError as error:
            self._at += error.pos
            self._wrong(
                say(
                    "is not JSON ({reason}), or one value is longer than {limit} characters",
                    reason=error.msg,
                    limit=MAX_LEAF_CHARS,
                )
            )
        except StopIteration as stop:
            self._at += stop.value
            self._wrong(
                say(
                    "is not JSON (a value was expected), or one value is longer than {limit} characters",
                    limit=MAX_LEAF_CHARS,
                )
            )
        except RecursionError:
            self._wrong(say("is nested too deeply"))
        except Invalid:
            raise
        except ValueError:
            self._wrong(say("has a number that is too long"))

    def _wrong(self, problem: Sentence) -> NoReturn:
        line = self._text.count("\n", 0, self._at) + 1
        column = self._at - self._text.rfind("\n", 0, self._at)
        raise Invalid("", say("{problem} (line {line}, column {column})", problem=problem, line=line, column=column))
