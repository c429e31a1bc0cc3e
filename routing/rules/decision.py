"""The decisions of one hop, and the outcomes of a journey."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from routing.model.address import Address

DELIVERED, EXITS, DELAYED, DROPPED = "delivered", "exits", "delayed", "dropped"
GOODNESS = {DELIVERED: 0, EXITS: 1, DELAYED: 2, DROPPED: 3}
"""Kinds of outcome by rank, 0 is best."""

NO_ROUTE = "no_route"
SERVICE_NOT_FOUND = "service_not_found"
ROUTE_REQUESTED = "route_requested"
NO_PRINCIPAL = "no_principal"
NOT_AN_ADDRESS = "transport_name_not_an_address"
FORWARDING_DISABLED = "forwarding_disabled"
HOP_LIMIT = "hop_limit"


class Outcome(NamedTuple):
    """How a journey ends. Sorts by these fields."""

    kind: str
    instance: str
    detail: str
    """Delivered: the database. Exits: the canonical address. Delayed, dropped: the reason."""

    def as_json(self) -> dict[str, str]:
        """Its JSON object, keys in fixed order."""
        return {"outcome": self.kind, "instance": self.instance, DETAIL_KEY[self.kind]: self.detail}


DETAIL_KEY = {DELIVERED: "database", EXITS: "address", DELAYED: "reason", DROPPED: "reason"}


class Deliver(NamedTuple):
    """The message goes into the queue of the service in this database."""

    instance: str
    database: str
    route: str | None = None
    """The chosen route; None: no route was needed (RT-REPLY), or MATCH-6 acted as one."""
    identifier: str | None = None
    """The identifier in force: the conversation's, else the chosen route's."""

    @property
    def outcome(self) -> Outcome:
        return Outcome(DELIVERED, self.instance, self.database)


class Send(NamedTuple):
    """The message goes over the network to an address, or (LOOP-2) back into this instance as if from outside."""

    address: Address
    to: str | None
    """The instance that listens at the address; None: no instance of this estate."""
    route: str
    identifier: str | None = None
    """The identifier of the route; it does not travel with the message."""


@dataclass(frozen=True, slots=True)
class Delay:
    """The conversation is marked DELAYED and matched again later; happens only where it was begun."""

    instance: str
    reason: str

    @property
    def outcome(self) -> Outcome:
        return Outcome(DELAYED, self.instance, self.reason)


@dataclass(frozen=True, slots=True)
class Drop:
    """A message from outside is dropped; its sender sends it again."""

    instance: str
    reason: str

    @property
    def outcome(self) -> Outcome:
        return Outcome(DROPPED, self.instance, self.reason)


Decision = Deliver | Send | Delay | Drop

_CACHED_STOPS = 1 << 16
"""Delay and Drop objects that are cached: they recur, one for each instance and reason."""
delayed = lru_cache(maxsize=_CACHED_STOPS)(Delay)
dropped = lru_cache(maxsize=_CACHED_STOPS)(Drop)


class StickyChoice(NamedTuple):
    """RT-STICKY: earlier choices of the conversation's endpoint, or of the instance that holds it."""

    route: str | None = None
    identifier: str | None = None
    database: str | None = None
