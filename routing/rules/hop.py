"""The input of the rules at one hop: a conversation at an instance, and everything a rule may read."""

from __future__ import annotations

from collections.abc import Container
from datetime import datetime
from typing import Protocol

from routing.model.address import Address
from routing.model.estate import Estate
from routing.model.route import Route
from routing.rules.decision import Delay, Drop, StickyChoice, delayed, dropped
from routing.rules.trace import Trace

NOTHING_PENDING: Container[str] = frozenset()
NO_CHOICE = StickyChoice()


class PrincipalLookup(Protocol):
    """Finds the principals of mirrored routes at run time, instead of reading the roles in the estate."""

    def principals(self, route: Route, service: str, identifier: str | None) -> tuple[Address, ...]:
        """The addresses of the route to which messages may be sent; empty: no principal is known."""
        ...


class Hop:
    """Created once per decision and passed to every rule.

    The three hot callers (`router.route`, `journey`, `classes.class_evaluator`) pass positional arguments: keywords
    make a decision a quarter slower (measured). All other callers name them.
    """

    __slots__ = (
        "at",
        "database",
        "estate",
        "identifier",
        "instance",
        "is_reply",
        "kept",
        "named",
        "pending",
        "roles",
        "service",
        "table",
        "trace",
    )

    def __init__(
        self,
        estate: Estate,
        instance: str,
        database: str | None,
        service: str,
        identifier: str | None,
        is_reply: bool,
        at: datetime,
        pending: Container[str] = NOTHING_PENDING,
        kept: StickyChoice = NO_CHOICE,
        trace: Trace | None = None,
        roles: PrincipalLookup | None = None,
    ) -> None:
        self.estate = estate
        self.instance = estate.instances[instance]
        self.database = database
        self.service = service
        self.identifier = identifier
        """The identifier that the conversation gives."""
        self.is_reply = is_reply
        self.at = at
        self.pending = pending
        """Services with a pending request to the dynamic routing service (MATCH-4)."""
        self.kept = kept
        self.trace = trace
        self.roles = roles
        """None: the roles in the estate count (`routing.rules.mirroring`)."""
        # RT-TABLE: the table of the database that began the conversation; for messages from outside, that of msdb.
        self.table = self.instance.tables[database]
        self.named = self.table.named.get(service)
        """Routes for exactly this service name; None: there are none."""

    @property
    def outside(self) -> bool:
        """True if the message reached this instance from outside."""
        return self.database is None

    def stop(self, reason: str) -> Delay | Drop:
        """MATCH-7: delay a conversation that was begun here; drop a message from outside."""
        return dropped(self.instance.name, reason) if self.database is None else delayed(self.instance.name, reason)
