"""What one route, service or table says by itself, as several checks ask it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from routing.model.address import DEFAULT_PORT, Address
from routing.model.catalog_objects import Service
from routing.model.estate import Database, Estate, Instance
from routing.model.route import Route
from routing.model.route_table import RouteTable

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


def addresses_beside(estate: Estate, key: str) -> tuple[str, ...]:
    """The addresses of the estate on the host of an address, given in its canonical form."""
    beginning = key.rpartition(":")[0] + ":"
    return tuple(other for other in estate.by_address if other.startswith(beginning) and other != key)


def host_in_name(instance: Instance) -> str:
    """The host of an instance as its name says: what stands before a backslash, in lower case."""
    return instance.name.partition("\\")[0].lower()


def is_guessed(instance: Instance) -> bool:
    """Whether nothing tells where it listens: an import takes the host of its name, and the usual port.

    A document that says just that, and tells of no endpoint, is taken to assume it too; any other address is meant.
    """
    if instance.endpoint is not None:
        return False
    return [address.key for address in instance.addresses] in ([], [f"tcp://{host_in_name(instance)}:{DEFAULT_PORT}"])


def own_services(database: Database) -> list[str]:
    """The names of its services, without those that the product makes."""
    return [s.name for s in database.services if not s.name.startswith(SYSTEM_SERVICES)]


def begins_only(service: Service) -> bool:
    """Whether it is known to accept no contract: no conversation can be begun to it. A plain name tells nothing."""
    return service.queue is not None and not service.contracts
