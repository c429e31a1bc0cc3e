"""Batches of which nothing is run: those that `GO 0` ends, and those that the product refuses as a whole.

It reads a batch to its end before it runs any of it. A procedure, function, trigger or view that does not stand first
is an error of the whole batch: 111.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import NamedTuple

from routing.tsql.lexer import (
    AT_BLOCK,
    AT_COMMAND,
    AT_MARK,
    AT_OPEN,
    AT_STRING,
    AT_WORD,
    EVENT,
    Unclosed,
    end_of_comment,
    is_command,
    next_token,
    separator,
)
from routing.tsql.procedure_bodies import ProcedureBody, body_at
from routing.tsql.text_parts import Part, TextParts

_BODY = re.compile(r"\b(?:create|alter)\s+(?:or\s+alter\s+)?(?:proc|function|trigger|view)", re.IGNORECASE)
_CONTROL = frozenset(("if", "while", "else", "begin"))
_GO_INSIDE = re.compile(r"\n[^\S\n]*go[^\S\n]*(?=\n)", re.IGNORECASE)
_GO_ZERO = re.compile(r"^[^\S\n]*go[^\S\n]*0+\b", re.IGNORECASE | re.MULTILINE)


def batches_not_sent(text: str) -> TextParts:
    """Where they stand; few scripts have any, and only those are read for it."""
    found: list[Part] = []
    if _GO_ZERO.search(text):
        with suppress(Unclosed):  # whoever reads the script says so
            found += _not_sent(text)
    return TextParts(found)


def _not_sent(text: str) -> Iterator[Part]:
    position = begun = 0
    while match := EVENT.match(text, position):
        position, kind = match.end(), match.lastindex
        if kind == AT_WORD and match[AT_WORD].lower() == "go" and (go := separator(text, match.start(AT_WORD))):
            if not go.times:
                yield begun, match.start(AT_WORD)
            position = begun = go.end
        elif kind == AT_BLOCK:
            position = end_of_comment(text, match.start(AT_BLOCK))
        elif kind == AT_OPEN:
            return
        elif kind == AT_COMMAND and is_command(text, match.start(AT_COMMAND)):
            position = end_of_line(text, match.start(AT_COMMAND))


class Misplaced(NamedTuple):
    """Why the product refuses a batch."""

    body: ProcedureBody
    """That does not stand first."""
    is_guarded: bool
    """Whether it stands under a condition, or in a block."""


class ProcedureBodies:
    """What procedures, functions, triggers and views one script may have."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._next = -1
        """Where the next one may stand; after the end where none does."""

    def misplaced(self, begin: int) -> Misplaced | None:
        """The one that makes the product refuse the batch that begins there."""
        if self._next < begin:
            match = _BODY.search(self._text, begin)
            self._next = match.start() if match else len(self._text)
        if self._next == len(self._text):
            return None  # few batches are read for it
        try:
            return _Batch(self._text, begin).misplaced()
        except Unclosed:
            return None  # whoever reads the script says so


class _Batch:
    """Reads one batch up to its first body, and nothing else in it."""

    def __init__(self, text: str, begin: int) -> None:
        self._text = text
        self._position = begin
        self._is_first = True
        self._is_guarded = False
        self._in_schema = False
        """CREATE SCHEMA may hold views."""

    def misplaced(self) -> Misplaced | None:
        """Raises `Unclosed`."""
        text = self._text
        while match := EVENT.match(text, self._position):
            self._position, kind = match.end(), match.lastindex
            if kind == AT_WORD:
                word, start = match[AT_WORD].lower(), match.start(AT_WORD)
                if word == "go" and separator(text, start):
                    break
                if body := self._word(word, start):
                    return None if self._is_first else Misplaced(body, self._is_guarded)
                self._is_first = self._is_first and word[0] == "$"
            elif kind == AT_MARK:
                self._in_schema = self._in_schema and match[AT_MARK] != ";"
            elif kind == AT_BLOCK:
                self._position = end_of_comment(text, match.start(AT_BLOCK))
            elif kind == AT_OPEN:
                break
            elif kind == AT_COMMAND and is_command(text, match.start(AT_COMMAND)):
                self._position = end_of_line(text, match.start(AT_COMMAND))
        return None

    def _word(self, word: str, start: int) -> ProcedureBody | None:
        if word in ("create", "alter"):
            body = body_at(self._text, word, start, self._position)
            if body is not None and not (self._in_schema and body.kind == "VIEW"):
                return body
            if body is None and next_token(self._text, self._position).text.lower() == "schema":
                self._in_schema = True
        elif word in _CONTROL:
            self._is_guarded = True
        return None


def end_of_line(text: str, position: int) -> int:
    """Where the line ends on which this position lies."""
    end = text.find("\n", position)
    return end if end >= 0 else len(text)


def first_string_over_go(text: str, end: int) -> int | None:
    """Where the first string begins that holds a line of GO, before a position; raises `Unclosed`."""
    position = 0
    while position < end and (match := EVENT.match(text, position)):
        position, kind = match.end(), match.lastindex
        if kind == AT_STRING and _GO_INSIDE.search(text, match.start(AT_STRING), match.end()):
            return match.start(AT_STRING)
        if kind == AT_BLOCK:
            position = end_of_comment(text, match.start(AT_BLOCK))
        elif kind == AT_COMMAND and is_command(text, match.start(AT_COMMAND)):
            position = end_of_line(text, match.start(AT_COMMAND))
    return None
