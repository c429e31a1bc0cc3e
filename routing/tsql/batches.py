"""Batches that the program which sends them does not run at all: `GO 0` ends them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress

from routing.tsql.lexer import (
    AT_BLOCK,
    AT_COMMAND,
    AT_OPEN,
    AT_WORD,
    EVENT,
    Unclosed,
    end_of_comment,
    is_command,
    separator,
)
from routing.tsql.parts import Part, Parts

_GO_ZERO = re.compile(r"^[^\S\n]*go[^\S\n]*0+\b", re.IGNORECASE | re.MULTILINE)


def batches_not_sent(text: str) -> Parts:
    """Where they stand; few scripts have any, and only those are read for it."""
    found: list[Part] = []
    if _GO_ZERO.search(text):
        with suppress(Unclosed):  # whoever reads the script says so
            found += _not_sent(text)
    return Parts(found)


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


def end_of_line(text: str, position: int) -> int:
    """Where the line ends on which this position lies."""
    end = text.find("\n", position)
    return end if end >= 0 else len(text)
