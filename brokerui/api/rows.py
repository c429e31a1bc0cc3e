"""The rows of an estate, each with its natural key, in the order of the document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from brokerui.api.ids import Key
from routing.estate import Database, Estate, Instance

Where = Mapping[str, Any]
"""Values of filters by name; here only those that say where to look."""


class Row(NamedTuple):
    """One row."""

    key: Key
    value: Any


def instances_of(estate: Estate, where: Where) -> Iterable[Instance]:
    """All, or the one that is asked for."""
    return _named(estate.instances, where.get("instance"))


def databases_of(estate: Estate, where: Where) -> Iterator[tuple[Instance, Database]]:
    """All databases with their instances, or those that are asked for."""
    for instance in instances_of(estate, where):
        for database in _named(instance.databases, where.get("database")):
            yield instance, database


def instance_rows(estate: Estate, where: Where) -> Iterator[Row]:
    return (Row((name,), instance) for name, instance in estate.instances.items())


def database_rows(estate: Estate, where: Where) -> Iterator[Row]:
    for instance, database in databases_of(estate, where):
        yield Row((instance.name, database.name), database)


def service_rows(estate: Estate, where: Where) -> Iterator[Row]:
    for instance, database in databases_of(estate, where):
        for service in database.services:
            yield Row((instance.name, database.name, service.name), service)


def queue_rows(estate: Estate, where: Where) -> Iterator[Row]:
    for instance, database in databases_of(estate, where):
        for queue in database.queues:
            yield Row((instance.name, database.name, queue.name), queue)


def route_rows(estate: Estate, where: Where) -> Iterator[Row]:
    for instance, database in databases_of(estate, where):
        for route in database.table.routes.values():
            yield Row((instance.name, database.name, route.name), route)


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
