"""One hop's question: a conversation at an instance, and all that a rule may look at to answer it."""

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
    """What is known at run time of mirrored routes, in place of what an estate says of their databases."""

    def principals(self, route: Route, service: str, identifier: str | None) -> tuple[Address, ...]:
        """The addresses of a mirrored route to which messages may be sent; none: no principal is known."""
        ...


class Hop:
    """Made once per decision and handed from rule to rule."""

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
        """The one that the conversation gives."""
        self.is_reply = is_reply
        self.at = at
        self.pending = pending
        """The services for which a route was requested and the request has not ended (MATCH-4)."""
        self.kept = kept
        self.trace = trace
        self.roles = roles
        """None: the estate tells (`routing.rules.mirroring`)."""
        # RT-TABLE: begun here, the table of the database that began it; from outside, that of msdb.
        self.table = self.instance.tables[database]
        self.named = self.table.named.get(service)
        """The routes for exactly this service name; None: there are none."""

    @property
    def outside(self) -> bool:
        """Whether the message came to this instance from outside."""
        return self.database is None

    def stop(self, reason: str) -> Delay | Drop:
        """MATCH-7, fixed: where a conversation begun here is DELAYED, a message from outside is dropped."""
        return dropped(self.instance.name, reason) if self.database is None else delayed(self.instance.name, reason)
