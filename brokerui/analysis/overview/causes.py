"""Causes that drop messages or hold them back, worst first: from rows to an order. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from routing.rules.decision import DELAYED, DROPPED

OUTCOMES: Final = (DROPPED, DELAYED)
"""The worst first: delayed messages arrive later, dropped ones may not arrive."""


class CauseKind(StrEnum):
    """Where a cause was seen."""

    WAITING = "waiting"
    """Conversations of a hosted database cannot send, or are not acknowledged."""
    QUEUE_OFF = "queue off"
    """Messages arrived for a queue that is off."""
    DISCARDED = "discarded"
    """A hosted instance discarded what arrived."""
    COLLECTED = "collected"
    """Messages waited on a real server when it was asked."""
    LOGGED = "logged"
    """The log of a real server has errors; how many messages they hold back, it does not say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldCause:
    """One cause with what it holds up."""

    outcome: str
    """`dropped` or `delayed`."""
    kind: CauseKind
    instance: str
    database: str
    """Empty: the whole instance."""
    subject: str
    """The service that the messages are for, or the queue that is off; empty: it is not known."""
    number: int
    """The product's number of the status or the error; 0: none is known."""
    conversations: int | None
    """None: not counted."""
    messages: int
    oldest_s: int | None
    """Seconds since the oldest message was sent, or since the first was discarded; None: not known."""
    collected_at: datetime | None = None
    """The moment at which its server was asked; None: it is looked at now."""
    discarded_at: str = ""
    """The place that discards its messages, which their sender keeps; empty: none is known to."""
    example: str = ""
    """The handle or the identifier of one of the conversations; of a real server, the code of the finding."""
    lines: int = 0
    """Lines about it in the last log of a real server."""
    last: str = ""
    """The newest of them, by the clock of that server; empty: the log does not say."""

    @property
    def key(self) -> tuple[str, str, str, str, str, int]:
        """Rows with the same key have the same cause."""
        return self.outcome, self.kind, self.instance, self.database, self.subject, self.number

    @property
    def place(self) -> str:
        return f"{self.instance}/{self.database}" if self.database else self.instance

    @property
    def weight(self) -> int:
        """Message-seconds: how much waits, times how long. A line of a log stands for one message at least."""
        return max(self.messages, self.lines) * (self.oldest_s or 0)


def worst_first(rows: Iterable[HeldCause]) -> list[HeldCause]:
    """The causes of these rows: dropped before delayed, then by age times volume."""
    found: dict[tuple[object, ...], HeldCause] = {}
    for row in rows:
        key = row.key
        before = found.get(key)
        found[key] = row if before is None else _together(before, row)
    return sorted(found.values(), key=_order)


def _order(cause: HeldCause) -> tuple[object, ...]:
    newest = [-ord(letter) for letter in cause.last]
    volume = (-cause.weight, -cause.messages, -cause.lines, -(cause.oldest_s or 0))
    return OUTCOMES.index(cause.outcome), *volume, newest, cause.key


def _together(one: HeldCause, other: HeldCause) -> HeldCause:
    ages = [age for age in (one.oldest_s, other.oldest_s) if age is not None]
    counted = one.conversations is not None or other.conversations is not None
    return replace(
        one,
        messages=one.messages + other.messages,
        conversations=(one.conversations or 0) + (other.conversations or 0) if counted else None,
        oldest_s=max(ages, default=None),
        example=one.example or other.example,
        lines=one.lines + other.lines,
        last=max(one.last, other.last),
    )


@dataclass(frozen=True, slots=True)
class CauseTotals:
    """The figures of a headline."""

    outcomes: dict[str, int]
    """Causes by outcome."""
    messages: int
    oldest: HeldCause | None
    """The cause whose oldest message waits longest; None: no age is known."""

    @property
    def causes(self) -> int:
        return sum(self.outcomes.values())


def totals_of(causes: Iterable[HeldCause]) -> CauseTotals:
    """The totals of causes."""
    known = list(causes)
    aged = [cause for cause in known if cause.oldest_s is not None]
    oldest = max(aged, key=lambda cause: (cause.oldest_s or 0, cause.messages), default=None)
    return CauseTotals(dict(Counter(one.outcome for one in known)), sum(one.messages for one in known), oldest)
