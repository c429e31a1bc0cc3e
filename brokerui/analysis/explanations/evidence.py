"""Facts about a conversation that waits, as its database, the workers and the endpoint know them. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from routing.model.estate import Estate
from routing.rules.explanation import Explanation


@dataclass(frozen=True, slots=True)
class Hold:
    """Why the first message of a conversation that waits does."""

    number: int
    """`transmission_status`, a number of SQL Server's; 0: no reason is known."""
    cause: str
    """The reason in the reader's language; empty if it is not known."""


@dataclass(frozen=True, slots=True)
class Discard:
    """Messages of such conversations that an instance discarded when they arrived."""

    instance: str
    number: int
    """The product's error."""
    words: str
    """The error in the reader's language."""
    times: int
    ago_s: int
    """Seconds since the last one."""


@dataclass(frozen=True, slots=True)
class ConnectionHistory:
    """Connections of an instance on the way to an address."""

    instance: str
    address: str
    connected_s: int | None
    """For how many seconds one has been online; None: there is none now."""
    failed: int
    """Connections that failed within the last hour."""
    failed_s: int | None
    """Seconds since the last failure; None: none is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The subject of all looks."""

    hold: Hold
    explanation: Explanation
    """The answer of routing now, there and back."""
    estate: Estate
    messages: int
    """Of the conversation, that wait."""
    attempts: int
    """That failed."""
    next_in_s: int | None
    """Seconds until its next attempt, 0 where it is due; None: none is planned."""
    discards: tuple[Discard, ...] = ()
    copies: int = 0
    """Messages that arrived at their target again."""
    connections: tuple[ConnectionHistory, ...] = ()
