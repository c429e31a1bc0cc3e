"""An estate while statements change it: what an `Estate` holds, mutable, found as the product finds it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from routing.common.errors import Invalid
from routing.common.names import MSDB
from routing.model.address import Address, parse_address
from routing.model.catalog_objects import (
    BrokerEndpoint,
    Contract,
    MessageType,
    Priority,
    Queue,
    RemoteServiceBinding,
    Service,
)
from routing.model.estate import DEFAULT_HOP_LIMIT, Database, Estate, Instance
from routing.model.route import AUTO_CREATED_LOCAL, Route
from routing.model.route_table import NO_ROUTES, RouteTable
from routing.tsql.object_catalog import ObjectCatalog
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
"""They appear only when broker objects are made in them."""
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
"""By the kind in a statement: the catalog of a database."""
FOLDED = ("routes", "queues", "priorities", "remote_service_bindings")
EXACT = ("services", "contracts", "message_types")
"""Kinds whose names travel in messages: they compare byte by byte."""


def folded(kind: str, name: str) -> str:
    """A name as it compares with others of its kind."""
    return name if KINDS[kind] in EXACT else name.casefold()


class DraftDatabase:
    """A `Database` that statements change."""

    __slots__ = (
        "awaited",
        "broker_enabled",
        "broker_instance",
        "contracts",
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
    )

    def __init__(self, base: Database) -> None:
        self.name = base.name
        self.broker_instance = base.broker_instance
        self.broker_enabled = base.broker_enabled
        self.mirroring_role = base.mirroring_role
        self.listed = True
        """Whether the estate shows it."""
        self.is_whole = True
        """Whether everything in it is known: a script creates it, or a document tells of it."""
        self.awaited: dict[str, list[str]] = {}
        """Services on queues that nobody has seen, by the folded name of the queue."""
        self.in_strings: dict[tuple[str, str], tuple[str, int]] = {}
        """File and line of what a string would make, by its kind and its name as it compares: no string is run."""
        self.services: ObjectCatalog[Service] = ObjectCatalog(base.services, fold=False)
        self.contracts: ObjectCatalog[Contract] = ObjectCatalog(base.contracts, fold=False)
        self.message_types: ObjectCatalog[MessageType] = ObjectCatalog(base.message_types, fold=False)
        self.queues: ObjectCatalog[Queue] = ObjectCatalog(base.queues, fold=True)
        self.priorities: ObjectCatalog[Priority] = ObjectCatalog(base.priorities, fold=True)
        self.remote_service_bindings: ObjectCatalog[RemoteServiceBinding] = ObjectCatalog(
            base.remote_service_bindings, fold=True
        )
        self.routes: ObjectCatalog[Route] = ObjectCatalog(base.table.routes.values(), fold=True)

    def catalog(self, kind: str) -> ObjectCatalog[Any]:
        found: ObjectCatalog[Any] = getattr(self, kind)
        return found

    def may_hold(self, kind: str, name: str) -> bool:
        """Whether an object that is not among these may be there all the same: not if it was dropped."""
        return not self.is_whole and not self.catalog(KINDS[kind]).had(name)

    def built(self) -> Database:
        kinds = {kind: tuple(self.catalog(kind)) for kind in (*EXACT, *FOLDED) if kind != "routes"}
        return Database(
            name=self.name,
            broker_instance=self.broker_instance,
            broker_enabled=self.broker_enabled,
            mirroring_role=self.mirroring_role,
            table=RouteTable(self.routes) if len(self.routes) else NO_ROUTES,
            **kinds,
        )


def new_database(name: str) -> DraftDatabase:
    """As the product makes one; the names of its own databases are written as it writes them."""
    folded = name.casefold()
    known = folded if folded in SYSTEM_DATABASES else name
    made = DraftDatabase(Database(known))
    made.listed = known not in UNLISTED
    if made.listed:
        made.routes.put(AUTO_CREATED_LOCAL)
    return made


@dataclass(slots=True)
class DraftInstance:
    """An `Instance` that statements change."""

    name: str
    addresses: tuple[Address, ...] | None = None
    """None: what its name and its endpoint say."""
    forwarding: bool = False
    endpoint: BrokerEndpoint | None = None
    endpoint_name: str | None = None
    """Documents do not say it."""
    other_endpoints: set[str] = field(default_factory=set)
    """Names, folded, of endpoints that are not Service Broker's."""
    databases: ObjectCatalog[DraftDatabase] = field(default_factory=lambda: ObjectCatalog(fold=True))
    has_msdb: bool = True
    """Whether msdb is to be added where no statement speaks of it: the product has one."""

    def database(self, name: str) -> DraftDatabase:
        """The one that statements mean by this name; made where it is seen for the first time."""
        found = self.databases.find(name)
        if found is None:
            found = new_database(name)
            found.is_whole = False
            self.databases.put(found)
        return found

    def derived_address(self) -> Address | None:
        """`tcp://NAME:PORT`, of a named instance with what stands before its backslash; None where that is no host."""
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
        )


def _instance(base: Instance) -> DraftInstance:
    made = DraftInstance(base.name, base.addresses, base.forwarding, base.endpoint, has_msdb=False)
    for database in base.databases.values():
        made.databases.put(DraftDatabase(database))
    derived = made.derived_address()
    if derived is not None and [address.text for address in base.addresses] == [derived.text]:
        made.addresses = None  # it follows the endpoint
    return made


class EstateDraft:
    """An `Estate` that statements change."""

    def __init__(self, base: Estate | None = None) -> None:
        self.hop_limit = base.hop_limit if base else DEFAULT_HOP_LIMIT
        instances: Iterable[Instance] = base.instances.values() if base else ()
        self.instances: ObjectCatalog[DraftInstance] = ObjectCatalog(map(_instance, instances), fold=True)

    def instance(self, name: str, *, exactly: bool = False) -> DraftInstance:
        """The instance of this name; made where it is named for the first time."""
        found = self.instances.exactly(name) if exactly else self.instances.find(name)
        if found is None:
            found = DraftInstance(name)
            self.instances.put(found)
        return found

    def finish(self) -> list[tuple[DraftInstance, Address | None, str | None]]:
        """Gives every instance its msdb and its address; those for which none can be made, and why.

        With the address that its name would make, and the instance that has it already.
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
        """Raises `Invalid` where no estate can be as this draft is."""
        instances = {instance.name: instance.built(instance.addresses or ()) for instance in self.instances}
        return Estate(instances, self.hop_limit)
