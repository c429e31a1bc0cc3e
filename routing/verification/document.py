"""An estate document as the rules read it: the live routes of each database, and the instances that can be a target.

The document has been found valid before (`routing.documents.estate_document.read_estate`).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

from routing.verification.values import HostPort, identifier, is_word, network_address, utc

Json = dict[str, Any]
MSDB = "msdb"
DYNAMIC_SERVICE = "SQL/ServiceBroker/BrokerConfiguration"
Entry = tuple[str, str | None]
"""Where a conversation enters: instance and database; None for the database: it comes from outside."""


class LiteralRoute(NamedTuple):
    """A route, with its address parsed; neither local nor transport: a network address."""

    service: str | None
    identifier: str | None
    is_local: bool
    is_transport: bool
    address: HostPort | None
    mirror: HostPort | None


class BrokerDatabase:
    """A database with its live routes."""

    def __init__(self, document: Json, at: datetime) -> None:
        self.name: str = document["name"]
        self.identifier = identifier(document.get("broker_instance"))
        self.is_principal = document.get("mirroring_role") == "PRINCIPAL"
        self.is_able = document.get("broker_enabled", True) and document.get("mirroring_role") != "MIRROR"
        """Locating, fixed: whether it can be a target."""
        self.services = frozenset(
            one if isinstance(one, str) else one["name"] for one in document.get("services") or ()
        )
        self.rows = [_row(route) for route in document.get("routes") or ()]
        """All of its routes, live or expired."""
        live = [_row(route) for route in document.get("routes") or () if _is_live(route, at)]
        self.nameless = [row for row in live if row.service is None]
        self.named: dict[str, list[LiteralRoute]] = {}
        for row in live:
            if row.service is not None:
                self.named.setdefault(row.service, []).append(row)

    def takes(self, service: str) -> bool:
        """Whether it can be the target of conversations to this service."""
        return self.is_able and service in self.services


def _row(route: Json) -> LiteralRoute:
    address, mirror = route["address"], route.get("mirror_address")
    return LiteralRoute(
        route.get("remote_service_name"),
        identifier(route.get("broker_instance")),
        is_word(address, "LOCAL"),
        is_word(address, "TRANSPORT"),
        network_address(address),
        None if mirror is None else network_address(mirror),
    )


def _is_live(route: Json, at: datetime) -> bool:
    """A route is expired at and after its lifetime."""
    lifetime = route.get("lifetime")
    return lifetime is None or at < utc(lifetime)


class BrokerInstance:
    """An instance with the databases that its document writes."""

    def __init__(self, document: Json, at: datetime) -> None:
        self.name: str = document["name"]
        self.forwards: bool = document.get("forwarding", False)
        self.addresses = {network_address(text) for text in document.get("addresses") or ()} - {None}
        self.databases = {one["name"]: BrokerDatabase(one, at) for one in document.get("databases") or ()}


class ReadDocument:
    """A document at a moment."""

    def __init__(self, document: Json, at: datetime) -> None:
        self.hop_limit: int = document.get("hop_limit", 10)
        self.instances = {one["name"]: BrokerInstance(one, at) for one in document.get("instances") or ()}
        self.owners = {address: one.name for one in self.instances.values() for address in one.addresses}

    def databases(self) -> Iterator[BrokerDatabase]:
        """All databases of all instances."""
        return (database for instance in self.instances.values() for database in instance.databases.values())

    def entries(self) -> Iterator[Entry]:
        """Every database that is written, and every instance for messages from outside."""
        for instance in self.instances.values():
            yield instance.name, None
            yield from ((instance.name, name) for name in instance.databases)
