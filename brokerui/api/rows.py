"""The rows of an estate, each with its natural key, and in its order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import attrgetter
from typing import Any, NamedTuple

from brokerui.api.ids import Key
from routing.model.estate import Database, Estate, Instance

_name = attrgetter("name")
Where = Mapping[str, Any]
"""Values of filters by name; here only `instance` and `database` are read."""


class EstateRow(NamedTuple):
    """A row with its natural key."""

    key: Key
    value: Any


Keeps = Callable[[Any], bool]
"""Return whether a value stays in the list."""


def in_order(members: Iterable[Any]) -> list[Any]:
    """Return them by name."""
    return sorted(members, key=_name)


def instances_of(estate: Estate, where: Where) -> Iterable[Instance]:
    """Return all instances, or the one that the filter names."""
    return in_order(_named(estate.instances, where.get("instance")))


def databases_of(estate: Estate, where: Where) -> Iterator[tuple[Instance, Database]]:
    """Return all databases with their instances, or those that the filters name."""
    for instance in instances_of(estate, where):
        for database in in_order(_named(instance.databases, where.get("database"))):
            yield instance, database


def instance_rows(estate: Estate, where: Where, keeps: Keeps) -> Iterator[EstateRow]:
    return (EstateRow((instance.name,), instance) for instance in instances_of(estate, where) if keeps(instance))


def database_rows(estate: Estate, where: Where, keeps: Keeps) -> Iterator[EstateRow]:
    for instance, database in databases_of(estate, where):
        if keeps(database):
            yield EstateRow((instance.name, database.name), database)


def service_rows(estate: Estate, where: Where, keeps: Keeps) -> Iterator[EstateRow]:
    return _member_rows(estate, where, keeps, lambda database: database.services)


def queue_rows(estate: Estate, where: Where, keeps: Keeps) -> Iterator[EstateRow]:
    return _member_rows(estate, where, keeps, lambda database: database.queues)


def route_rows(estate: Estate, where: Where, keeps: Keeps) -> Iterator[EstateRow]:
    return _member_rows(estate, where, keeps, lambda database: database.table.routes.values())


def _member_rows(
    estate: Estate, where: Where, keeps: Keeps, members: Callable[[Database], Iterable[Any]]
) -> Iterator[EstateRow]:
    for instance, database in databases_of(estate, where):
        for member in in_order(filter(keeps, members(database))):
            yield EstateRow((instance.name, database.name, member.name), member)


def find_instance(estate: Estate, key: Key) -> Instance | None:
    return estate.instances.get(key[0])


def find_database(estate: Estate, key: Key) -> Database | None:
    instance = estate.instances.get(key[0])
    return instance.databases.get(key[1]) if instance else None


def find_service(estate: Estate, key: Key) -> Any:
    database = find_database(estate, key)
    return _member(database.services, key[2]) if database else None


def find_queue(estate: Estate, key: Key) -> Any:
    database = find_database(estate, key)
    return _member(database.queues, key[2]) if database else None


def find_route(estate: Estate, key: Key) -> Any:
    database = find_database(estate, key)
    return database.table.routes.get(key[2]) if database else None


def _named(members: Mapping[str, Any], name: str | None) -> Iterable[Any]:
    if name is None:
        return members.values()
    return (members[name],) if name in members else ()


def _member(members: Iterable[Any], name: str) -> Any:
    return next((member for member in members if member.name == name), None)
