"""A new route from one place to another, with what the estate can tell: service, identifier, address and name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from urllib.parse import urlencode

from routing.common.errors import Invalid
from routing.lint.facts import host_of
from routing.lint.remedy import free_name, taken_names
from routing.model.address import LOCAL, Address, parse_address
from routing.model.estate import Database, Estate, Instance
from routing.model.route_table import NO_ROUTES, RouteTable

LISTED = 200
"""Services, identifiers or addresses that are offered; others can be typed."""


@dataclass(frozen=True, slots=True)
class RouteStart:
    """Where a new route stands, and where it is to lead: to an instance, to an address, or LOCAL."""

    instance: str
    database: str
    to_instance: str = ""
    to_address: str = ""
    is_local: bool = False
    service: str = ""
    """The service that it is for; empty: one that the target has."""

    @property
    def query(self) -> str:
        """The query that `route_start_from` reads."""
        named = {
            "from_instance": self.instance,
            "from_database": self.database,
            "to_instance": self.to_instance,
            "to_address": self.to_address,
            "local": "1" if self.is_local else "",
            "service": self.service,
        }
        return urlencode({name: value for name, value in named.items() if value})


@dataclass(frozen=True, slots=True)
class Home:
    """A service with the database that has it."""

    service: str
    database: Database


def prefilled(estate: Estate, start: RouteStart) -> dict[str, str]:
    """Return the columns of the route as far as they are known."""
    target = target_of(estate, start)
    table = table_of(estate, start.instance, start.database)
    home = _home(target, table, start) if target is not None else None
    service = home.service if home is not None else start.service
    name = _name(service, target, start)
    known = {
        "name": free_name(name, taken_names(table)) if name else None,
        "remote_service_name": service,
        "broker_instance": home.database.broker_instance if home is not None else None,
        "address": _address(target, start),
        "mirror_address": _partner_address(estate, target, home) if home is not None else None,
    }
    return {column: value for column, value in known.items() if value}


def target_of(estate: Estate, start: RouteStart) -> Instance | None:
    """Return the instance that the route is to lead to; None: it is unknown, or outside."""
    if start.is_local or start.to_instance == start.instance:
        return estate.instances.get(start.instance)
    if start.to_instance:
        return estate.instances.get(start.to_instance)
    return instance_at(estate, start.instance, start.to_address)


def instance_at(estate: Estate, instance: str, address: str) -> Instance | None:
    """Return the instance to which an address leads from another one, as it is typed; None: no one's, or no address."""
    found = address_of(address)
    if found is None or found.is_transport:
        return None
    name = instance if found.is_local else estate.resolve(found)
    return estate.instances.get(name) if name is not None else None


def address_of(text: str) -> Address | None:
    """Return the address that was typed; None where it is none yet."""
    try:
        return parse_address(text)
    except Invalid:
        return None


def table_of(estate: Estate, instance: str, database: str) -> RouteTable:
    """Return the routes of a database; of an msdb that no document lists: none."""
    here = estate.instances.get(instance)
    return here.tables.get(database, NO_ROUTES) if here is not None else NO_ROUTES


def homes_of(instance: Instance) -> Iterator[Home]:
    """Yield the services of users that an instance has, with the databases that have them."""
    for database in instance.databases.values():
        yield from (Home(service.name, database) for service in database.user_services)


def services_of(estate: Estate, instance: Instance | None) -> tuple[Home, ...]:
    """Return the services to choose from: those of the target; of the whole estate where the target is not known."""
    sources = [instance] if instance is not None else estate.instances.values()
    return tuple(islice((home for one in sources for home in homes_of(one)), LISTED))


def addresses_of(estate: Estate) -> Iterator[tuple[str, str]]:
    """Yield the addresses of the estate, with the instances that listen there."""
    for instance in islice(estate.instances.values(), LISTED):
        yield from ((address.text, instance.name) for address in instance.addresses)


def _home(target: Instance, table: RouteTable, start: RouteStart) -> Home | None:
    """Return the first service of the target that has no route here yet; without one, the first."""
    others = [
        home for home in homes_of(target) if (target.name, home.database.name) != (start.instance, start.database)
    ]
    able = [home for home in others if home.database.can_be_target] or others
    if start.service:
        return next((home for home in able if home.service == start.service), None)
    return next((home for home in able if home.service not in table.named), able[0] if able else None)


def _address(target: Instance | None, start: RouteStart) -> str:
    if start.is_local or start.to_instance == start.instance:
        return LOCAL
    if start.to_instance:
        return target.addresses[0].text if target is not None and target.addresses else ""
    return start.to_address


def _partner_address(estate: Estate, target: Instance | None, home: Home) -> str | None:
    """Return the address of the instance with the mirroring partner of the database."""
    identifier = home.database.broker_instance
    if identifier is None or home.database.mirroring_role is None or target is None:
        return None
    for instance in estate.instances.values():
        partner = instance.identified.get(identifier)
        if instance is not target and partner is not None and partner.mirroring_role and instance.addresses:
            return instance.addresses[0].text
    return None


def _name(service: str, target: Instance | None, start: RouteStart) -> str:
    """Return a name such as ArchiveToOffice."""
    short = service.rstrip("/").rpartition("/")[2]
    if start.is_local or start.to_instance == start.instance:
        return f"{short}Local"
    place = target.name if target is not None else _host(start.to_address)
    return f"{short}To{place[:1].upper()}{place[1:]}" if place else short


def _host(text: str) -> str:
    """Return the first part of the host of an address."""
    found = address_of(text)
    return host_of(found).partition(".")[0] if found is not None and found.is_network else ""


def route_start_from(query: Mapping[str, str]) -> RouteStart:
    """Read what a request names: `from_instance`, `from_database` and one of `to_instance`, `to_address`, `local`."""
    return RouteStart(
        query.get("from_instance", ""),
        query.get("from_database", ""),
        query.get("to_instance", ""),
        query.get("to_address", ""),
        query.get("local", "") not in ("", "0"),
        query.get("service", ""),
    )
