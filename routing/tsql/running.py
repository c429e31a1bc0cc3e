"""Whether a statement that is reached takes effect: what is rolled back, and what the connection does not run.

A ROLLBACK undoes what stands before it, in earlier batches too: it is looked for before the script is read. One that
stands under a condition, or in a CATCH block, undoes nothing here.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from contextlib import suppress
from dataclasses import dataclass, field

from routing.tsql.flow import ALWAYS, CONTROL, NEVER, STARTERS, TESTS, Flow
from routing.tsql.heads import BODIES
from routing.tsql.lexer import (
    AT_BLOCK,
    AT_COMMAND,
    AT_MARK,
    AT_OPEN,
    AT_WORD,
    EVENT,
    QUOTED,
    WORD,
    Unclosed,
    end_of_comment,
    end_of_go,
    is_command,
    next_token,
)

_ROLLBACK = re.compile(r"\brollback\b(?!\s+(?:immediate|after)\b)", re.IGNORECASE)
_OPTIONS = re.compile(r"\s+((?:\w+\s*,\s*)*\w+)\s+(on|off)\b", re.IGNORECASE)
_WORDS = STARTERS | CONTROL | TESTS | {"go"}
_LONGEST = max(map(len, _WORDS))
_TRANSACTION = ("tran", "transaction", "work")
_STOPPING = frozenset(("noexec", "parseonly"))


@dataclass(slots=True)
class Switches:
    """`SET NOEXEC` and `SET PARSEONLY` of a connection: they outlive the batch."""

    on: set[str] = field(default_factory=set)

    def set(self, text: str, position: int, reached: str) -> None:
        """What stands after a SET that is reached so."""
        found = _OPTIONS.match(text, position)
        if found is None:
            return
        names = _STOPPING.intersection(re.split(r"\s*,\s*", found[1].lower()))
        if found[2].lower() == "off" and reached != NEVER:
            self.on -= names
        elif found[2].lower() == "on" and reached == ALWAYS:
            self.on |= names


class RolledBack:
    """The parts of a script that an unconditional ROLLBACK undoes."""

    def __init__(self, text: str) -> None:
        parts = _Transactions(text).parts() if _ROLLBACK.search(text) else []
        self._starts = [start for start, _ in parts]
        self._ends = [end for _, end in parts]

    def holds(self, position: int) -> bool:
        index = bisect_right(self._starts, position) - 1
        return index >= 0 and position < self._ends[index]


class _Transactions:
    """Follows the transactions of a script, and nothing else in it."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._position = 0
        self._flow = Flow()
        self._switches = Switches()
        self._begun: list[int] = []
        """Where each open transaction begins; the first one counts."""
        self._saved: dict[str, int] = {}
        self._parts: list[tuple[int, int]] = []

    def parts(self) -> list[tuple[int, int]]:
        """In their order; none touches another."""
        with suppress(Unclosed):  # whoever reads the script says so
            self._read()
        return self._parts

    def _read(self) -> None:
        while match := EVENT.match(self._text, self._position):
            self._position = match.end()
            kind = match.lastindex
            if kind == AT_WORD:
                word = match[AT_WORD].lower() if match.end() - match.start(AT_WORD) <= _LONGEST else ""
                if word in _WORDS:
                    self._word(word, match.start(AT_WORD))
            elif kind == AT_MARK:
                self._flow.mark(match[AT_MARK])
            elif kind == AT_BLOCK:
                self._position = end_of_comment(self._text, match.start(AT_BLOCK))
            elif kind == AT_OPEN:
                return
            elif kind == AT_COMMAND:
                self._command(match.start(AT_COMMAND))

    def _command(self, start: int) -> None:
        if not is_command(self._text, start):
            self._flow.colon(self._text, start)
            return
        end = self._text.find("\n", start)
        self._position = end if end >= 0 else len(self._text)
        if self._text[start : start + 8].lower() == ":connect":
            self._switches, self._begun = Switches(), []

    def _word(self, word: str, start: int) -> None:
        if word == "go":
            if (end := end_of_go(self._text, start)) is not None:
                self._position, self._flow = end, Flow()
            return
        following = next_token(self._text, self._position).text.lower()
        if word == "rollback" and following in ("immediate", "after"):
            return
        self._flow.word(word, following if word in ("begin", "end") else "")
        if word in ("create", "alter") and following.upper() in BODIES:
            self._flow.body = True
        elif word == "set":
            self._switches.set(self._text, self._position, self._flow.reached())
        elif word == "return":
            self._flow.leave()
        elif not self._switches.on:
            self._transaction(word, following, start)

    def _transaction(self, word: str, following: str, start: int) -> None:
        reached = self._flow.reached()
        if reached == NEVER:
            return
        if word == "begin" and following in ("tran", "transaction", "distributed"):
            self._begin(start)
        elif word == "save":
            self._saved[self._name()] = start
        elif word == "commit":
            # One under a condition may be the end of all of them.
            self._begun = self._begun[:-1] if reached == ALWAYS else []
        elif word == "rollback" and reached == ALWAYS:
            self._roll_back(self._name(), start)

    def _begin(self, start: int) -> None:
        if not self._begun:
            self._saved = {}
        self._begun.append(start)

    def _roll_back(self, name: str, end: int) -> None:
        if not self._begun:
            return
        is_saved = bool(name) and name in self._saved
        start = self._saved[name] if is_saved else self._begun[0]
        while self._parts and self._parts[-1][0] >= start:
            self._parts.pop()
        self._parts.append((start, end))
        if not is_saved:
            self._begun = []

    def _name(self) -> str:
        """What is named after SAVE, COMMIT or ROLLBACK; empty where nothing is."""
        token = next_token(self._text, self._position)
        if token.kind == WORD and token.text.lower() in _TRANSACTION:
            token = next_token(self._text, token.end)
        if token.kind not in (WORD, QUOTED) or (token.kind == WORD and token.text.lower() in _WORDS):
            return ""
        return token.text
