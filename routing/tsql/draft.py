"""A mutable estate that statements change, with lookups that compare names as SQL Server does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from routing.common.errors import Invalid
from routing.common.names import MSDB
from routing.model.address import Address, parse_address
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
from routing.model.estate import DEFAULT_HOP_LIMIT, Database, Estate, Instance
from routing.model.missing_statement import MissingStatement
from routing.model.route import AUTO_CREATED_LOCAL, Route
from routing.model.route_table import NO_ROUTES, RouteTable
from routing.tsql.object_catalog import ObjectCatalog, References
from routing.tsql.statement import (
    BINDING,
    CONTRACT,
    MESSAGE_TYPE,
    PRIORITY,
    QUEUE,
    ROUTE,
    SERVICE,
)

SYSTEM_DATABASES = ("master", "tempdb", "model", MSDB)
UNLISTED = ("master", "tempdb")
"""Databases that appear in the estate only once they contain broker objects."""
DEFAULT_PORT = 4022
KINDS = {
    ROUTE: "routes",
    SERVICE: "services",
    QUEUE: "queues",
    CONTRACT: "contracts",
    MESSAGE_TYPE: "message_types",
    PRIORITY: "priorities",
    BINDING: "remote_service_bindings",
}
"""By kind of a statement: the catalog of a database."""
FOLDED = ("routes", "queues", "priorities", "remote_service_bindings")
EXACT = ("services", "contracts", "message_types")
"""Kinds whose names travel in messages: they compare byte by byte."""


def folded(kind: str, name: str) -> str:
    """A name in the form in which names of its kind compare."""
    return name if KINDS.get(kind) in EXACT else name.casefold()


def _named(name: str | None) -> tuple[str, ...]:
    return () if name is None else (name,)


_OF_SERVICES: References[Service] = {
    QUEUE: lambda service: _named(service.queue and service.queue.casefold()),
    CONTRACT: lambda service: service.contracts,
}
_OF_CONTRACTS: References[Contract] = {
    MESSAGE_TYPE: lambda contract: tuple(message.message_type for message in contract.messages)
}
_OF_PRIORITIES: References[Priority] = {
    CONTRACT: lambda priority: _named(priority.contract_name),
    SERVICE: lambda priority: _named(priority.local_service_name),
}
_OF_BINDINGS: References[RemoteServiceBinding] = {SERVICE: lambda binding: (binding.remote_service_name,)}


class DraftDatabase:
    """A mutable `Database`."""

    __slots__ = (
        "accepted",
        "awaited",
        "broker_enabled",
        "broker_instance",
        "contracts",
        "conversation_endpoints",
        "in_strings",
        "is_whole",
        "listed",
        "message_types",
        "mirroring_role",
        "name",
        "priorities",
        "queues",
        "remote_service_bindings",
        "routes",
        "services",
        "transmission_queue",
    )

    def __init__(self, base: Database) -> None:
        self.name = base.name
        self.broker_instance = base.broker_instance
        self.broker_enabled = base.broker_enabled
        self.mirroring_role = base.mirroring_role
        self.transmission_queue = base.transmission_queue
        self.conversation_endpoints = base.conversation_endpoints
        self.listed = True
        """True if the estate shows the database."""
        self.is_whole = True
        """True if all its objects are known, because a script creates it or a document lists it."""
        self.accepted: dict[str, tuple[tuple[str, ...], set[str]]] = {}
        """By service that was altered: its contracts, and the same as a set."""
        self.awaited: dict[str, list[str]] = {}
        """Services on queues that no script creates, by folded name of the queue."""
        self.in_strings: dict[tuple[str, str], tuple[str, int]] = {}
        """File and line of objects that only a string would create, by kind and comparable name; strings are not
        run."""
        self.services = ObjectCatalog(base.services, fold=False, references=_OF_SERVICES)
        self.contracts = ObjectCatalog(base.contracts, fold=False, references=_OF_CONTRACTS)
        self.message_types: ObjectCatalog[MessageType] = ObjectCatalog(base.message_types, fold=False)
        self.queues: ObjectCatalog[Queue] = ObjectCatalog(base.queues, fold=True)
        self.priorities = ObjectCatalog(base.priorities, fold=True, references=_OF_PRIORITIES)
        self.remote_service_bindings = ObjectCatalog(base.remote_service_bindings, fold=True, references=_OF_BINDINGS)
        self.routes: ObjectCatalog[Route] = ObjectCatalog(base.table.routes.values(), fold=True)

    def accepted_by(self, service: Service) -> set[str]:
        """The contracts of a service, to look names up in."""
        contracts, names = self.accepted.get(service.name, ((), set()))
        return names if contracts is service.contracts else set(service.contracts)

    def catalog(self, kind: str) -> ObjectCatalog[Any]:
        found: ObjectCatalog[Any] = getattr(self, kind)
        return found

    def may_hold(self, kind: str, name: str) -> bool:
        """True if an object that is not listed may exist in the database; not if it was dropped."""
        return not self.is_whole and not self.catalog(KINDS[kind]).had(name)

    def built(self) -> Database:
        kinds = {kind: tuple(self.catalog(kind)) for kind in (*EXACT, *FOLDED) if kind != "routes"}
        return Database(
            name=self.name,
            broker_instance=self.broker_instance,
            broker_enabled=self.broker_enabled,
            mirroring_role=self.mirroring_role,
            table=RouteTable(self.routes) if len(self.routes) else NO_ROUTES,
            transmission_queue=self.transmission_queue,
            conversation_endpoints=self.conversation_endpoints,
            **kinds,
        )


def new_database(name: str) -> DraftDatabase:
    """A database as SQL Server creates it; system database names take SQL Server's spelling."""
    folded = name.casefold()
    known = folded if folded in SYSTEM_DATABASES else name
    made = DraftDatabase(Database(known, services=SYSTEM_MADE))
    made.listed = known not in UNLISTED
    if made.listed:
        made.routes.put(AUTO_CREATED_LOCAL)
    return made


@dataclass(slots=True)
class DraftInstance:
    """A mutable `Instance`."""

    name: str
    addresses: tuple[Address, ...] | None = None
    """None: the addresses follow from the name and the endpoint."""
    forwarding: bool = False
    endpoint: BrokerEndpoint | None = None
    endpoint_name: str | None = None
    """None if it came from a document, which does not contain it."""
    other_endpoints: set[str] = field(default_factory=set)
    """Folded names of endpoints of other kinds."""
    databases: ObjectCatalog[DraftDatabase] = field(default_factory=lambda: ObjectCatalog(fold=True))
    identified: dict[str, list[DraftDatabase]] = field(default_factory=dict)
    """By identifier: the databases that have it, or had it once."""
    missing: list[MissingStatement] = field(default_factory=list)
    """Statements of its scripts that are known only when they run."""
    known: Mapping[str, Database] = field(default_factory=dict)
    """By folded name: the databases as they were known before. Identifier, mirroring role, waiting messages and open
    conversations stand in no script."""
    has_msdb: bool = True
    """True if msdb is added even if no statement mentions it, because SQL Server has one."""

    def database(self, name: str) -> DraftDatabase:
        """The database that statements mean by this name; created at its first use."""
        found = self.databases.find(name)
        if found is None:
            found = self.new_database(name)
            found.is_whole = False
            self.databases.put(found)
        return found

    def new_database(self, name: str) -> DraftDatabase:
        """A database as SQL Server creates it, with the facts that no script states where they are known."""
        made = new_database(name)
        known = None if self.databases.had(name) else self.known.get(name.casefold())
        if known is not None:
            made.broker_instance, made.mirroring_role = known.broker_instance, known.mirroring_role
            made.transmission_queue = known.transmission_queue
            made.conversation_endpoints = known.conversation_endpoints
            self.remember_identifier(made)
        return made

    def remember_identifier(self, database: DraftDatabase) -> None:
        """A database may have got its identifier."""
        if database.broker_instance is not None:
            holders = self.identified.setdefault(database.broker_instance, [])
            if database not in holders:
                holders.append(database)

    def derived_address(self) -> Address | None:
        """`tcp://NAME:PORT`, for a named instance with the part before its backslash; None if that is no host."""
        host = self.name.partition("\\")[0]
        if not host or set(host) & set(" /:[],;@\\"):
            return None
        try:
            return parse_address(f"tcp://{host}:{self.endpoint.port if self.endpoint else DEFAULT_PORT}")
        except Invalid:
            return None

    def built(self, addresses: tuple[Address, ...]) -> Instance:
        listed = (database for database in self.databases if database.listed)
        return Instance(
            name=self.name,
            databases={database.name: database.built() for database in listed},
            addresses=addresses,
            forwarding=self.forwarding,
            endpoint=self.endpoint,
            missing_statements=tuple(self.missing),
        )


def _instance(base: Instance) -> DraftInstance:
    made = DraftInstance(base.name, base.addresses, base.forwarding, base.endpoint, has_msdb=False)
    made.missing = list(base.missing_statements)
    for database in base.databases.values():
        made.databases.put(own := DraftDatabase(database))
        made.remember_identifier(own)
    derived = made.derived_address()
    if derived is not None and [address.text for address in base.addresses] == [derived.text]:
        made.addresses = None  # it follows the endpoint
    return made


class EstateDraft:
    """A mutable `Estate`."""

    def __init__(self, base: Estate | None = None) -> None:
        self.hop_limit = base.hop_limit if base else DEFAULT_HOP_LIMIT
        instances: Iterable[Instance] = base.instances.values() if base else ()
        self.instances: ObjectCatalog[DraftInstance] = ObjectCatalog(map(_instance, instances), fold=True)

    def instance(self, name: str, *, exactly: bool = False) -> DraftInstance:
        """The instance of this name; created at its first use."""
        found = self.instances.exactly(name) if exactly else self.instances.find(name)
        if found is None:
            found = DraftInstance(name)
            self.instances.put(found)
        return found

    def finish(self) -> list[tuple[DraftInstance, Address | None, str | None]]:
        """Give every instance its msdb and its address. Returns the instances without an address.

        Each with the address that its name would give, and the instance that has it already.
        """
        taken = {address.key: instance.name for instance in self.instances for address in instance.addresses or ()}
        without: list[tuple[DraftInstance, Address | None, str | None]] = []
        for instance in self.instances:
            if instance.has_msdb:
                instance.database(MSDB)
                instance.has_msdb = False
            if instance.addresses is None:
                address = instance.derived_address()
                if address is None or address.key in taken:
                    without.append((instance, address, taken[address.key] if address else None))
                    instance.addresses = ()
                else:
                    taken[address.key] = instance.name
                    instance.addresses = (address,)
        return without

    def built(self) -> Estate:
        """The `Estate`; raises `Invalid` if it breaks a rule of estates."""
        instances = {instance.name: instance.built(instance.addresses or ()) for instance in self.instances}
        return Estate(instances, self.hop_limit)
