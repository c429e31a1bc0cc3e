"""An estate: instances with their databases, services and routes, as one immutable snapshot, indexed once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Protocol, TypeVar

from routing.common.errors import Invalid
from routing.common.names import MSDB, check_name, check_unique, is_system_service
from routing.common.sentence import say
from routing.model.address import Address
from routing.model.catalog_objects import (
    SYSTEM_MADE,
    BrokerEndpoint,
    Contract,
    MessageType,
    Priority,
    Queue,
    RemoteServiceBinding,
    Service,
)
from routing.model.collected import CollectedEndpoints, CollectedTransmissions
from routing.model.missing_statement import MAX_MISSING_STATEMENTS, MissingStatement
from routing.model.route import Route
from routing.model.route_table import NO_ROUTES, RouteTable

PRINCIPAL, MIRROR = "PRINCIPAL", "MIRROR"
DEFAULT_HOP_LIMIT = 10
MAX_HOP_LIMIT = 255
"""dm_broker_forwarded_messages.hops_remaining is a tinyint."""
INSTANCE_NAME_CHARS = 256
"""A host name has at most 255 characters."""


@dataclass(frozen=True, slots=True)
class Database:
    """A row of `sys.databases` with its Service Broker objects."""

    name: str
    broker_instance: str | None = None
    """Its service broker identifier, lower case; None: not known."""
    broker_enabled: bool = True
    mirroring_role: str | None = None
    services: tuple[Service, ...] = ()
    queues: tuple[Queue, ...] = ()
    contracts: tuple[Contract, ...] = ()
    message_types: tuple[MessageType, ...] = ()
    priorities: tuple[Priority, ...] = ()
    remote_service_bindings: tuple[RemoteServiceBinding, ...] = ()
    table: RouteTable = NO_ROUTES
    """Its `sys.routes`."""
    transmission_queue: CollectedTransmissions | None = None
    """The messages that waited at the last collection, which may be none; None: never collected."""
    conversation_endpoints: CollectedEndpoints | None = None
    """The conversations that it had at the last collection, which may be none; None: never collected."""

    def __post_init__(self) -> None:
        check_name(self.name, "name")
        if self.mirroring_role not in (None, PRINCIPAL, MIRROR):
            raise Invalid("mirroring_role", say("must be null, PRINCIPAL or MIRROR"))
        for kind in (
            "services",
            "queues",
            "contracts",
            "message_types",
            "priorities",
            "remote_service_bindings",
        ):
            if members := getattr(self, kind):
                check_unique((member.name for member in members), kind)

    @property
    def can_be_target(self) -> bool:
        """LOC: a database can be a target unless its broker is disabled or it is in the role MIRROR."""
        return self.broker_enabled and self.mirroring_role != MIRROR

    @property
    def user_services(self) -> tuple[Service, ...]:
        """Its services without those that SQL Server creates in every database."""
        return tuple([service for service in self.services if not is_system_service(service.name)])

    @property
    def system_services(self) -> tuple[Service, ...]:
        """Its services that SQL Server creates in every database."""
        return tuple([service for service in self.services if is_system_service(service.name)])

    def has_service(self, name: str) -> bool:
        """Whether it has a service of exactly this name. Linear search; `Instance.targets` is the index."""
        return any(service.name == name for service in self.services)


UNWRITTEN_MSDB: Final = Database(MSDB, services=SYSTEM_MADE)
"""The msdb of an instance whose document omits it, once something is written in it: it has no routes, and the services
that SQL Server creates in every database."""


@dataclass(frozen=True, slots=True)
class Instance:
    """One SQL Server instance."""

    name: str
    databases: Mapping[str, Database] = field(default_factory=dict)
    """By name, in the order of the document; msdb only if the document lists it."""
    addresses: tuple[Address, ...] = ()
    forwarding: bool = False
    """MESSAGE_FORWARDING of its endpoint (CHOOSE-FWD)."""
    endpoint: BrokerEndpoint | None = None
    missing_statements: tuple[MissingStatement, ...] = ()
    """Statements of its scripts that could not be applied, such as those that are known only when they run."""

    tables: Mapping[str | None, RouteTable] = field(init=False, repr=False, compare=False)
    """RT-TABLE: by the database that began the conversation; under None, that of msdb, for messages from outside."""
    targets: Mapping[str, tuple[Database, ...]] = field(init=False, repr=False, compare=False)
    """By service name: the databases of this instance that can be its target."""
    principals: Mapping[str, tuple[Database, ...]] = field(init=False, repr=False, compare=False)
    """By service name: the databases in the role PRINCIPAL that have it, even with a disabled broker (MIR)."""
    identified: Mapping[str, Database] = field(init=False, repr=False, compare=False)
    """By identifier: the database of this instance that has it, one with an enabled broker first."""

    def __post_init__(self) -> None:
        check_name(self.name, "name", INSTANCE_NAME_CHARS)
        if len(self.missing_statements) > MAX_MISSING_STATEMENTS:
            raise Invalid("missing_statements", say("has more than {limit} rows", limit=MAX_MISSING_STATEMENTS))
        object.__setattr__(self, "tables", _tables(self.databases))
        databases = tuple(self.databases.values())
        _check_identifiers(databases)
        object.__setattr__(self, "targets", _by_service(d for d in databases if d.can_be_target))
        object.__setattr__(self, "principals", _by_service(d for d in databases if d.mirroring_role == PRINCIPAL))
        object.__setattr__(self, "identified", _by_identifier(databases))

    @property
    def msdb(self) -> RouteTable:
        """The routing table for messages from outside (RT-TABLE)."""
        return self.tables[None]

    def with_database(self, database: Database) -> Instance:
        """A copy with this database added, or replacing the one of its name."""
        return replace(self, databases={**self.databases, database.name: database})

    def without_database(self, name: str) -> Instance:
        return replace(self, databases={n: d for n, d in self.databases.items() if n != name})

    def with_table(self, database: str, table: RouteTable) -> Instance:
        """A copy with another routing table in one database; shares the indexes by service and identifier."""
        if database == MSDB and MSDB not in self.databases:
            return self.with_database(replace(UNWRITTEN_MSDB, table=table))
        new = object.__new__(Instance)
        for name in _SHARED:
            object.__setattr__(new, name, getattr(self, name))
        changed = replace(self.databases[database], table=table)
        object.__setattr__(new, "databases", {**self.databases, database: changed})
        object.__setattr__(new, "tables", _tables(new.databases))
        return new


_SHARED = (
    "name",
    "addresses",
    "forwarding",
    "endpoint",
    "missing_statements",
    "targets",
    "principals",
    "identified",
)
"""The fields that an instance shares with a copy that has another routing table."""


@dataclass(frozen=True, slots=True)
class Estate:
    """All known instances. Two estates may share any of their parts."""

    instances: Mapping[str, Instance] = field(default_factory=dict)
    """By name, in the order of the document."""
    hop_limit: int = DEFAULT_HOP_LIMIT
    """LOOP-1: how often a message may be forwarded."""

    by_address: Mapping[str, str] = field(init=False, repr=False, compare=False)
    """By canonical address: the name of the instance that listens there."""

    def __post_init__(self) -> None:
        if not 0 <= self.hop_limit <= MAX_HOP_LIMIT:
            raise Invalid("hop_limit", say("must be 0 to {limit}", limit=MAX_HOP_LIMIT))
        by_address: dict[str, str] = {}
        for index, instance in enumerate(self.instances.values()):
            for number, address in enumerate(instance.addresses):
                other = by_address.setdefault(address.key, instance.name)
                if other != instance.name:
                    problem = say('{address} is an address of "{other}" already', address=address.key, other=other)
                    raise Invalid(f"instances[{index}].addresses[{number}]", problem)
        object.__setattr__(self, "by_address", by_address)

    def resolve(self, address: Address) -> str | None:
        """The name of the instance that listens at a network address; None: no instance of this estate."""
        return self.by_address.get(address.key)

    def edited(self, edits: Iterable[Edit]) -> Estate:
        """The estate after these edits (`routing.model.edits`), applied in order; shares what they do not change."""
        estate = self
        for edit in edits:
            estate = edit.apply(estate)
        return estate

    def with_instance(self, instance: Instance) -> Estate:
        """A copy with this instance added, or replacing the one of its name."""
        return replace(self, instances={**self.instances, instance.name: instance})

    def without_instance(self, name: str) -> Estate:
        return replace(self, instances={n: i for n, i in self.instances.items() if n != name})

    def with_route(self, instance: str, database: str, name: str, route: Route | None) -> Estate:
        """A copy with one route added, replaced or (None) dropped; shares everything else, indexes included."""
        here = self.instances[instance]
        changed = here.with_table(database, here.tables[database].edited(name, route))
        new = object.__new__(Estate)
        object.__setattr__(new, "instances", {**self.instances, instance: changed})
        object.__setattr__(new, "hop_limit", self.hop_limit)
        object.__setattr__(new, "by_address", self.by_address)
        return new


class Edit(Protocol):
    """A change of an estate; the kinds are in `routing.model.edits`."""

    def apply(self, estate: Estate) -> Estate:
        """The estate after the edit; raises `Invalid` if it names an object that does not exist."""
        ...


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_N = TypeVar("_N", bound=_Named)


def by_name(members: Iterable[_N], kind: str) -> dict[str, _N]:
    """Index instances, or databases of an instance, by name; raise `Invalid` if two have the same name."""
    found: dict[str, _N] = {}
    for index, member in enumerate(members):
        if member.name in found:
            raise Invalid(f"{kind}[{index}].name", say('stands twice: "{name}"', name=member.name))
        found[member.name] = member
    return found


def _check_identifiers(databases: Iterable[Database]) -> None:
    """Raise `Invalid` if two enabled brokers of the instance share an identifier (SQL Server's error 9772)."""
    holders: dict[str, str] = {}
    for index, database in enumerate(databases):
        if database.broker_instance is None or not database.broker_enabled:
            continue
        other = holders.setdefault(database.broker_instance, database.name)
        if other != database.name:
            problem = say('is the identifier of "{other}" already; two enabled databases cannot share one', other=other)
            raise Invalid(f"databases[{index}].broker_instance", problem)


def _tables(databases: Mapping[str, Database]) -> Mapping[str | None, RouteTable]:
    """RT-TABLE: the tables by database, and under None that of msdb, which has no routes if the document omits it."""
    tables: dict[str | None, RouteTable] = {MSDB: NO_ROUTES}
    tables.update((name, database.table) for name, database in databases.items())
    tables[None] = tables[MSDB]
    return tables


def _by_service(databases: Iterable[Database]) -> Mapping[str, tuple[Database, ...]]:
    found: dict[str, list[Database]] = {}
    for database in databases:
        for service in database.services:
            found.setdefault(service.name, []).append(database)
    return {service: tuple(having) for service, having in found.items()}


def _by_identifier(databases: Iterable[Database]) -> Mapping[str, Database]:
    found: dict[str, Database] = {}
    for database in sorted(databases, key=lambda d: not d.broker_enabled):
        if database.broker_instance is not None:
            found.setdefault(database.broker_instance, database)
    return found
