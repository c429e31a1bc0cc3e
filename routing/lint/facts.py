"""What one route, service or table says by itself, as several checks ask it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from routing.address import Address
from routing.estate import Database
from routing.parts import Service
from routing.route import Route
from routing.table import RouteTable

SYSTEM_SERVICES = "http://schemas.microsoft.com/SQL/"
"""How the services begin that the product itself makes, in every database."""


def asks_for_routes(table: RouteTable, at: datetime) -> Route | None:
    """The first live route to the dynamic routing service (MATCH-4)."""
    named = table.dynamic
    groups = () if named is None else (named.without_identifier, *named.by_identifier.values())
    return next((route for group in groups for route in group.routes if not route.expired(at)), None)


def network_addresses(route: Route) -> Iterator[Address]:
    """The network addresses that a route gives."""
    for address in (route.address, route.mirror_address):
        if address is not None and address.is_network:
            yield address


def host_of(address: Address) -> str:
    """The host of a network address, in lower case."""
    return address.key.rpartition(":")[0].removeprefix("tcp://")


def own_services(database: Database) -> list[str]:
    """The names of its services, without those that the product makes."""
    return [s.name for s in database.services if not s.name.startswith(SYSTEM_SERVICES)]


def begins_only(service: Service) -> bool:
    """Whether it is known to accept no contract: no conversation can be begun to it. A plain name tells nothing."""
    return service.queue is not None and not service.contracts
