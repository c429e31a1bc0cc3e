"""Simple facts about one route, service or table that several checks use."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from routing.model.address import DEFAULT_PORT, Address, parse_network_address
from routing.model.catalog_objects import Service
from routing.model.estate import Database, Estate, Instance
from routing.model.route import Route
from routing.model.route_table import RouteTable

TDS_PORT = 1433
"""The conventional port of SQL Server for queries; Service Broker listens at another one."""


def asks_for_routes(table: RouteTable, at: datetime) -> Route | None:
    """The first live route to the dynamic routing service (MATCH-4)."""
    named = table.dynamic
    groups = () if named is None else (named.without_identifier, *named.by_identifier.values())
    return next((route for group in groups for route in group.routes if not route.expired(at)), None)


def network_addresses(route: Route) -> Iterator[Address]:
    """The network addresses of a route."""
    for address in (route.address, route.mirror_address):
        if address is not None and address.is_network:
            yield address


def host_of(address: Address) -> str:
    """The host of a network address, in lower case."""
    return address.key.rpartition(":")[0].removeprefix("tcp://")


def corrected(address: Address, host: str, known: Iterable[Instance]) -> Address:
    """The address that was meant: that of the only known instance on the host, else the host with the port given."""
    there = list(dict.fromkeys(one for instance in known for one in instance.addresses if host_of(one) == host))
    if len(there) == 1:
        return there[0]
    after = host_of(address).partition(",")[2]
    port = after if after.isdigit() and int(after) != TDS_PORT and address.port == DEFAULT_PORT else str(address.port)
    return parse_network_address(f"tcp://{host}:{port}")


def addresses_beside(estate: Estate, key: str) -> tuple[str, ...]:
    """The addresses of the estate with the same host as a canonical address."""
    beginning = key.rpartition(":")[0] + ":"
    return tuple(other for other in estate.by_address if other.startswith(beginning) and other != key)


def host_in_name(instance: Instance) -> str:
    """The host in an instance name: the part before the backslash, in lower case."""
    return instance.name.partition("\\")[0].lower()


def is_guessed(instance: Instance) -> bool:
    """True if the instance's address is an assumption: an import derives it from the name, with the default port.

    A document with exactly this address and no endpoint counts as an assumption too; any other address is deliberate.
    """
    if instance.endpoint is not None:
        return False
    return [address.key for address in instance.addresses] in ([], [f"tcp://{host_in_name(instance)}:{DEFAULT_PORT}"])


def own_services(database: Database) -> list[str]:
    """The names of a database's services, without those that SQL Server creates."""
    return [service.name for service in database.user_services]


def begins_only(service: Service) -> bool:
    """True if the service is known to accept no contract, so that no conversation can be begun to it. A plain name says
    nothing."""
    return service.queue is not None and not service.contracts
