"""Decides whether a reached statement takes effect: transactions, and SET options that stop execution.

A ROLLBACK undoes what precedes it, in earlier batches too, so transactions are read before the script. A ROLLBACK under
a condition, or in a CATCH block, counts as not executed. SQL Server undoes an open transaction when the connection
closes, but some programs ask what to do, so its statements are applied.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass, field

from routing.tsql.batches import batches_not_sent, end_of_line
from routing.tsql.control_flow import (
    CONTROL,
    JUMPS,
    STARTERS,
    TESTS,
    ControlFlow,
)
from routing.tsql.flow_condition import (
    ALWAYS,
    NEVER,
)
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
    is_command,
    next_token,
    separator,
    words,
)
from routing.tsql.procedure_bodies import body_at
from routing.tsql.text_parts import Part, TextParts

_ENDLESS = 1 << 62
_MENTIONED = re.compile(
    r"\b(?:rollback\b(?!\s+(?:immediate|after)\b)|tran(?:saction)?\b|implicit_transactions\b|ansi_defaults\b)",
    re.IGNORECASE,
)
_WORDS = STARTERS | CONTROL | TESTS | {"go"}
_FOLLOWED = ("begin", "end", "rollback")
"""Words whose next word decides their meaning."""
_LONGEST = max(map(len, _WORDS))
_TRANSACTION = ("tran", "transaction", "work")
_STOPPING = words("noexec parseonly")
_IMPLICIT = words("implicit_transactions ansi_defaults")
_MOST_OPTIONS = 20


@dataclass(slots=True)
class Switches:
    """The SET options of a connection that matter here; they outlive the batch."""

    on: set[str] = field(default_factory=set)

    def set(self, text: str, position: int, reached: str) -> None:
        """Handle a SET that is reached."""
        names, value = _options(text, position)
        if value == "off" and reached != NEVER:
            self.on.difference_update(names)
        elif value == "on" and reached == ALWAYS:
            self.on.update((_STOPPING | _IMPLICIT).intersection(names))

    @property
    def stop(self) -> bool:
        """Execution stops: only USE and SET run."""
        return bool(self.on) and not self.on.isdisjoint(_STOPPING)

    @property
    def begin(self) -> bool:
        """A statement begins a transaction (IMPLICIT_TRANSACTIONS), if none is open."""
        return bool(self.on) and not self.on.isdisjoint(_IMPLICIT)


def _options(text: str, position: int) -> tuple[list[str], str]:
    """`SET a, b ON`: the options and their value, in lower case."""
    names: list[str] = []
    for _ in range(_MOST_OPTIONS):
        token = next_token(text, position)
        if token.kind != WORD or token.text[0] == "@":
            break
        names.append(token.text.lower())
        token = next_token(text, token.end)
        if token.text != ",":
            return names, token.text.lower()
        position = token.end
    return [], ""


class Transactions:
    """The fate of the transactions of a script."""

    def __init__(self, text: str) -> None:
        self.not_sent = batches_not_sent(text)
        """Batches that `GO 0` ends."""
        found = _TransactionReader(text, self.not_sent)
        if _MENTIONED.search(text):
            with suppress(Unclosed):  # the reader of the script reports it
                found.read()
            found.close(_ENDLESS)
        self.undone = TextParts(found.undone)
        """Parts undone by an unconditional ROLLBACK."""
        self.open = TextParts(found.open)
        """Parts from the first statement of a transaction without an end to the end of its connection."""


class _TransactionReader:
    """Follows the transactions of a script, and ignores everything else."""

    def __init__(self, text: str, not_sent: TextParts) -> None:
        self.undone: list[Part] = []
        self.open: list[Part] = []
        self._text = text
        self._not_sent = not_sent
        self._position = 0
        self._flow = ControlFlow()
        self._switches = Switches()
        self._begun: list[int] = []
        """Where each open transaction begins; the first one counts."""
        self._saved: dict[str, int] = {}

    def read(self) -> None:
        """Read the script. Raises `Unclosed`."""
        text = self._text
        while match := EVENT.match(text, self._position):
            self._position = match.end()
            kind = match.lastindex
            if kind == AT_WORD:
                word = match[AT_WORD].lower() if match.end() - match.start(AT_WORD) <= _LONGEST else ""
                if word in _WORDS:
                    self._word(word, match.start(AT_WORD))
            elif kind == AT_MARK:
                self._flow.mark(match[AT_MARK])
            elif kind == AT_BLOCK:
                self._position = end_of_comment(text, match.start(AT_BLOCK))
            elif kind == AT_OPEN:
                return
            elif kind == AT_COMMAND:
                self._command(match.start(AT_COMMAND))

    def close(self, end: int) -> None:
        """The connection ends there."""
        if self._begun:
            self.open.append((self._begun[0], end))
        self._begun = []

    def _command(self, start: int) -> None:
        if not is_command(self._text, start):
            self._flow.colon(self._text, start)
            return
        self._position = end_of_line(self._text, start)
        if self._text[start : start + 8].lower() == ":connect":
            self._switches = Switches()
            self.close(start)

    def _word(self, word: str, start: int) -> None:
        if self._not_sent and (part := self._not_sent.holding(start)):
            self._position = part[1]
            return
        if word == "go":
            if go := separator(self._text, start):
                self._position, self._flow = go.end, ControlFlow()
            return
        following = next_token(self._text, self._position).text.lower() if word in _FOLLOWED else ""
        if word == "rollback" and following in ("immediate", "after"):
            return
        self._flow.word(word, following if word in ("begin", "end") else "")
        if word in ("create", "alter") and (body := body_at(self._text, word, start, self._position)):
            self._flow.body = body
        elif word == "set":
            self._switches.set(self._text, self._position, self._flow.reached())
        elif word in JUMPS:
            self._flow.jump(word, self._text, self._position)
        elif not self._switches.stop:
            self._transaction(word, following, start)

    def _transaction(self, word: str, following: str, start: int) -> None:
        reached = self._flow.reached()
        if reached == NEVER:
            return
        if word == "begin" and following in ("tran", "transaction", "distributed"):
            self._begin(start, 2 if self._switches.begin and not self._begun else 1)
        elif word in ("create", "alter", "drop") and self._switches.begin and not self._begun:
            self._begin(start, 1)
        elif word == "save":
            self._saved[self._name()] = start
        elif word == "commit":
            # One under a condition may be the end of all of them.
            self._begun = self._begun[:-1] if reached == ALWAYS else []
        elif word == "rollback" and reached == ALWAYS:
            self._roll_back(self._name(), start)

    def _begin(self, start: int, times: int) -> None:
        if not self._begun:
            self._saved = {}
        self._begun += [start] * times

    def _roll_back(self, name: str, end: int) -> None:
        if not self._begun:
            return
        is_saved = bool(name) and name in self._saved
        start = self._saved[name] if is_saved else self._begun[0]
        while self.undone and self.undone[-1][0] >= start:
            self.undone.pop()
        self.undone.append((start, end))
        if not is_saved:
            self._begun = []

    def _name(self) -> str:
        """The name after SAVE, COMMIT or ROLLBACK; empty if there is none."""
        token = next_token(self._text, self._position)
        if token.kind == WORD and token.text.lower() in _TRANSACTION:
            token = next_token(self._text, token.end)
        if token.kind not in (WORD, QUOTED) or (token.kind == WORD and token.text.lower() in _WORDS):
            return ""
        return token.text
