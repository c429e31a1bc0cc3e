"""Edits of an estate, as values: applying one gives a new estate that shares everything it does not change.

`Estate.edited(edits)` applies them in order. An edit of an object that does not exist raises `Invalid`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from routing.common.errors import Invalid
from routing.common.names import MSDB, SYSTEM_SERVICES
from routing.common.sentence import say
from routing.model.catalog_objects import Queue, Service
from routing.model.estate import Database, Estate, Instance
from routing.model.route import Route

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class PutRoute:
    """Adds a route, or replaces the one of its name."""

    instance: str
    database: str
    route: Route

    def apply(self, estate: Estate) -> Estate:
        _check_database(estate, self.instance, self.database)
        return estate.with_route(self.instance, self.database, self.route.name, self.route)


@dataclass(frozen=True, slots=True)
class DropRoute:
    """Drops a route."""

    instance: str
    database: str
    name: str

    def apply(self, estate: Estate) -> Estate:
        _check_database(estate, self.instance, self.database)
        _known(estate.instances[self.instance].tables[self.database].routes, self.name, "route")
        return estate.with_route(self.instance, self.database, self.name, None)


@dataclass(frozen=True, slots=True)
class PutService:
    """Adds a service of a user, or replaces the one of its name in its place."""

    instance: str
    database: str
    service: Service

    def apply(self, estate: Estate) -> Estate:
        _check_own(self.service.name)
        database = _database(estate, self.instance, self.database)
        services = {service.name: service for service in database.services} | {self.service.name: self.service}
        return _with_database(estate, self.instance, replace(database, services=tuple(services.values())))


@dataclass(frozen=True, slots=True)
class DropService:
    """Drops a service of a user."""

    instance: str
    database: str
    name: str

    def apply(self, estate: Estate) -> Estate:
        database = _database(estate, self.instance, self.database)
        _known({service.name: service for service in database.services}, self.name, "service")
        _check_own(self.name)
        left = tuple(service for service in database.services if service.name != self.name)
        return _with_database(estate, self.instance, replace(database, services=left))


@dataclass(frozen=True, slots=True)
class SetQueue:
    """Switches a queue on or off; adds it to the estate if only a service named it so far."""

    instance: str
    database: str
    queue: str
    enabled: bool

    def apply(self, estate: Estate) -> Estate:
        database = _database(estate, self.instance, self.database)
        queues = {queue.name: queue for queue in database.queues}
        queues[self.queue] = replace(queues.get(self.queue, Queue(self.queue)), enabled=self.enabled)
        return _with_database(estate, self.instance, replace(database, queues=tuple(queues.values())))


@dataclass(frozen=True, slots=True)
class PutDatabase:
    """Adds a database, or replaces the one of its name with all its objects."""

    instance: str
    database: Database

    def apply(self, estate: Estate) -> Estate:
        _known(estate.instances, self.instance, "instance")
        return _with_database(estate, self.instance, self.database)


@dataclass(frozen=True, slots=True)
class DropDatabase:
    """Drops a database with all its objects."""

    instance: str
    name: str

    def apply(self, estate: Estate) -> Estate:
        instance = _known(estate.instances, self.instance, "instance")
        _known(instance.databases, self.name, "database")
        return estate.with_instance(instance.without_database(self.name))


@dataclass(frozen=True, slots=True)
class PutInstance:
    """Adds an instance, or replaces the one of its name with all its databases."""

    instance: Instance

    def apply(self, estate: Estate) -> Estate:
        return estate.with_instance(self.instance)


@dataclass(frozen=True, slots=True)
class DropInstance:
    """Drops an instance with all its databases."""

    name: str

    def apply(self, estate: Estate) -> Estate:
        _known(estate.instances, self.name, "instance")
        return estate.without_instance(self.name)


@dataclass(frozen=True, slots=True)
class SetForwarding:
    """Switches message forwarding of an instance on or off (CHOOSE-FWD)."""

    instance: str
    forwarding: bool

    def apply(self, estate: Estate) -> Estate:
        instance = _known(estate.instances, self.instance, "instance")
        return estate.with_instance(replace(instance, forwarding=self.forwarding))


@dataclass(frozen=True, slots=True)
class SetBroker:
    """Enables or disables the broker of a database (LOC, fixed)."""

    instance: str
    database: str
    enabled: bool

    def apply(self, estate: Estate) -> Estate:
        database = _database(estate, self.instance, self.database)
        return _with_database(estate, self.instance, replace(database, broker_enabled=self.enabled))


@dataclass(frozen=True, slots=True)
class SetMirroringRole:
    """Sets the mirroring role of a database: PRINCIPAL, MIRROR, or None where it is not mirrored (MIR)."""

    instance: str
    database: str
    mirroring_role: str | None

    def apply(self, estate: Estate) -> Estate:
        database = _database(estate, self.instance, self.database)
        return _with_database(estate, self.instance, replace(database, mirroring_role=self.mirroring_role))


@dataclass(frozen=True, slots=True)
class SetHopLimit:
    """Sets how often a message may be forwarded (LOOP-1)."""

    hop_limit: int

    def apply(self, estate: Estate) -> Estate:
        return replace(estate, hop_limit=self.hop_limit)


def _check_own(service: str) -> None:
    """Raise `Invalid` for a service that comes and goes with its database."""
    if service in SYSTEM_SERVICES:
        raise Invalid("name", say("SQL Server itself creates this service in every database: it cannot be edited"))


def _known(members: Mapping[str, _T], name: str, kind: str) -> _T:
    if name not in members:
        raise Invalid(kind, say('there is no {kind} "{name}"', kind=kind, name=name))
    return members[name]


def _database(estate: Estate, instance: str, name: str) -> Database:
    return _known(_known(estate.instances, instance, "instance").databases, name, "database")


def _check_database(estate: Estate, instance: str, name: str) -> None:
    """Raise `Invalid` for an unknown instance or database. Every instance has an msdb, even if no document lists it."""
    if name == MSDB:
        _known(estate.instances, instance, "instance")
    else:
        _database(estate, instance, name)


def _with_database(estate: Estate, instance: str, database: Database) -> Estate:
    return estate.with_instance(estate.instances[instance].with_database(database))
