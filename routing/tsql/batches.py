"""Finds batches that do not run: those that `GO 0` ends, and those that SQL Server refuses as a whole.

SQL Server reads a batch to its end before it runs any of it. A CREATE of a procedure, function, trigger or view that is
not the first statement makes the whole batch fail with error 111.
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
_GO_LINE = re.compile(r"^[^\S\n]*go\b", re.IGNORECASE | re.MULTILINE)
_GO_ZERO = re.compile(r"^[^\S\n]*go[^\S\n]*0+\b", re.IGNORECASE | re.MULTILINE)


def batches_not_sent(text: str) -> TextParts:
    """The positions of batches that are not sent; reads only scripts with a `GO 0`."""
    found: list[Part] = []
    if _GO_ZERO.search(text):
        with suppress(Unclosed):  # the reader of the script reports it
            found += _not_sent(text)
    return TextParts(found)


def has_separator(text: str) -> bool:
    """True if a line with GO stands in a text, outside of strings and comments."""
    position = 0 if _GO_LINE.search(text) else len(text)
    with suppress(Unclosed):  # the reader of the text reports it
        while match := EVENT.match(text, position):
            position, kind = match.end(), match.lastindex
            if kind == AT_WORD and match[AT_WORD].lower() == "go" and separator(text, match.start(AT_WORD)):
                return True
            if kind == AT_BLOCK:
                position = end_of_comment(text, match.start(AT_BLOCK))
            elif kind == AT_OPEN:
                return False
    return False


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
    """Why SQL Server refuses a batch."""

    body: ProcedureBody
    """The procedure, function, trigger or view that is not the first statement."""
    is_guarded: bool
    """True if it stands under a condition, or in a block."""


class ProcedureBodies:
    """The procedures, functions, triggers and views of one script."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._next = -1
        """The position of the next candidate; past the end if there is none."""

    def misplaced(self, begin: int) -> Misplaced | None:
        """The body that makes SQL Server refuse the batch beginning there; None if there is none."""
        if self._next < begin:
            match = _BODY.search(self._text, begin)
            self._next = match.start() if match else len(self._text)
        if self._next == len(self._text):
            return None  # keeps scripts without such words fast
        try:
            return _Batch(self._text, begin).misplaced()
        except Unclosed:
            return None  # the reader of the script reports it


class _Batch:
    """Reads one batch up to its first body, and ignores everything else."""

    def __init__(self, text: str, begin: int) -> None:
        self._text = text
        self._position = begin
        self._is_first = True
        self._is_guarded = False
        self._in_schema = False
        """True inside CREATE SCHEMA, which may contain views."""

    def misplaced(self) -> Misplaced | None:
        """The misplaced body of the batch; raises `Unclosed`."""
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
    """The end of the line with this position."""
    end = text.find("\n", position)
    return end if end >= 0 else len(text)


def first_string_over_go(text: str, end: int) -> int | None:
    """The beginning of the first string before a position that contains a line with GO; raises `Unclosed`."""
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
