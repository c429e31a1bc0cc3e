"""What can be listed, read and edited: the five kinds of rows, each with its columns, filters and edits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from django.utils.translation import gettext_lazy as _

from brokerui.api import shapes
from brokerui.api.ids import Key
from brokerui.api.listing import Filter, Listing, row_as_json
from brokerui.api.parameters import Parameter, address, choice, flag, identifier, moment, text
from brokerui.api.rows import (
    Row,
    database_rows,
    find_database,
    find_instance,
    find_queue,
    find_route,
    find_service,
    instance_rows,
    queue_rows,
    route_rows,
    service_rows,
)
from routing.common.errors import Invalid
from routing.common.names import SYSNAME_CHARS
from routing.common.sentence import say
from routing.documents.edits_json import database_from, instance_from
from routing.documents.json_decoders import queue_from, route_from, service_from
from routing.documents.writer import route_as_json
from routing.model.catalog_objects import QUEUE_NAME_CHARS, Queue, Service
from routing.model.edits import (
    DropDatabase,
    DropInstance,
    DropRoute,
    DropService,
    PutDatabase,
    PutInstance,
    PutRoute,
    PutService,
)
from routing.model.estate import MIRROR, PRINCIPAL, Database, Edit, Estate, Instance
from routing.model.route import Route

CONTAINED = ("services", "queues", "routes")
"""What a database holds that has addresses of its own."""


@dataclass(frozen=True, slots=True)
class Resource:
    """A kind of row that can be edited."""

    listing: Listing
    singular: str
    shape: type[Any]
    find: Callable[[Estate, Key], Any]
    """The value of the row with this key; None where there is none."""
    read: Callable[[dict[str, Any]], Any]
    """The value of a JSON object; raises `Invalid`."""
    put: Callable[[Estate, Key, Any], Edit]
    """The edit that adds a value, or puts it in the place of the one with this key."""
    drop: Callable[[Estate, Key], Edit]
    example: Mapping[str, Any]
    """A body of a request."""

    def as_json(self, key: Key, value: Any) -> dict[str, Any]:
        return self.listing.as_json(Row(key, value))


def _same(parameter: Parameter, value_of: Callable[[Any], Any]) -> Filter:
    return Filter(parameter, lambda value, wanted: value_of(value) == wanted)


def _named(says: Any, limit: int = SYSNAME_CHARS) -> Filter:
    return _same(text("name", says, limit), lambda value: value.name)


# -- Instances ---------------------------------------------------------------------------------------------


def _instance_as_json(row: Row) -> dict[str, Any]:
    instance: Instance = row.value
    value = {
        "name": instance.name,
        "addresses": [one.text for one in instance.addresses],
        "forwarding": instance.forwarding,
        "endpoint": asdict(instance.endpoint) if instance.endpoint else None,
    }
    return row_as_json(("name",), row, value)


def _read_instance(value: dict[str, Any]) -> Instance:
    if "databases" in value:
        raise Invalid("databases", say("have addresses of their own"))
    return instance_from(value)


def _put_instance(estate: Estate, key: Key, instance: Instance) -> Edit:
    """With the databases that it has."""
    old = estate.instances.get(key[0])
    return PutInstance(replace(instance, databases=old.databases) if old else instance)


INSTANCES = Resource(
    Listing(
        "instances",
        _("Instances"),
        ("name",),
        instance_rows,
        _instance_as_json,
        filters=(
            _named(_("The instance of this name."), 256),
            Filter(
                address("address", _("The instance that listens at this address.")),
                lambda instance, wanted: any(one.key == wanted for one in instance.addresses),
            ),
            _same(flag("forwarding", _("Those that forward, or that do not.")), lambda instance: instance.forwarding),
        ),
    ),
    "instance",
    shapes.InstanceSerializer,
    find_instance,
    _read_instance,
    _put_instance,
    lambda _estate, key: DropInstance(key[0]),
    {"name": "host3", "addresses": ["tcp://host3.example:4022"], "forwarding": False},
)

# -- Databases ---------------------------------------------------------------------------------------------
_HEAD = ("name", "broker_instance", "broker_enabled", "mirroring_role")
_LISTS = ("contracts", "message_types", "priorities", "remote_service_bindings")


def _database_as_json(row: Row) -> dict[str, Any]:
    head = {name: getattr(row.value, name) for name in _HEAD}
    lists = {kind: [asdict(member) for member in getattr(row.value, kind)] for kind in _LISTS}
    return row_as_json(("instance", "name"), row, {**head, **lists})


def _read_database(value: dict[str, Any]) -> Database:
    for kind in CONTAINED:
        if kind in value:
            raise Invalid(kind, say("have addresses of their own"))
    return database_from(value)


def _put_database(estate: Estate, key: Key, database: Database) -> Edit:
    """With the services, queues and routes that it has."""
    old = find_database(estate, key)
    if old is not None:
        database = replace(database, services=old.services, queues=old.queues, table=old.table)
    return PutDatabase(key[0], database)


DATABASES = Resource(
    Listing(
        "databases",
        _("Databases"),
        ("instance", "name"),
        database_rows,
        _database_as_json,
        filters=(
            _named(_("Databases of this name.")),
            _same(identifier("broker_instance", _("With this identifier.")), lambda database: database.broker_instance),
            _same(flag("broker_enabled", _("With the broker on, or off.")), lambda database: database.broker_enabled),
            _same(
                choice("mirroring_role", _("In this role."), [PRINCIPAL, MIRROR]),
                lambda database: database.mirroring_role,
            ),
        ),
        orders={"name": lambda database: database.name, "broker_instance": lambda database: database.broker_instance},
    ),
    "database",
    shapes.DatabaseSerializer,
    find_database,
    _read_database,
    _put_database,
    lambda _estate, key: DropDatabase(*key),
    {"instance": "host1", "name": "Billing", "broker_enabled": True},
)

# -- Services ----------------------------------------------------------------------------------------------


def _service_as_json(row: Row) -> dict[str, Any]:
    service: Service = row.value
    value = {"name": service.name, "queue": service.queue, "contracts": list(service.contracts)}
    return row_as_json(("instance", "database", "name"), row, value)


SERVICES = Resource(
    Listing(
        "services",
        _("Services"),
        ("instance", "database", "name"),
        service_rows,
        _service_as_json,
        filters=(
            _named(_("Services of this name, byte by byte."), 256),
            _same(text("queue", _("Of this queue, schema.name."), QUEUE_NAME_CHARS), lambda service: service.queue),
        ),
        orders={"name": lambda service: service.name, "queue": lambda service: service.queue},
    ),
    "service",
    shapes.ServiceSerializer,
    find_service,
    service_from,
    lambda _estate, key, service: PutService(key[0], key[1], service),
    lambda _estate, key: DropService(*key),
    {"instance": "host1", "database": "Orders", "name": "Ship", "queue": "dbo.ShipQueue"},
)

# -- Queues ------------------------------------------------------------------------------------------------


def _queue_as_json(row: Row) -> dict[str, Any]:
    return row_as_json(("instance", "database", "name"), row, asdict(row.value))


def _put_queue(estate: Estate, key: Key, queue: Queue) -> Edit:
    """In its place, or after the others."""
    others = {one.name: one for one in _database(estate, key).queues}
    return _with_queues(estate, key, tuple({**others, queue.name: queue}.values()))


def _drop_queue(estate: Estate, key: Key) -> Edit:
    return _with_queues(estate, key, tuple(one for one in _database(estate, key).queues if one.name != key[2]))


def _with_queues(estate: Estate, key: Key, queues: tuple[Queue, ...]) -> Edit:
    return PutDatabase(key[0], replace(_database(estate, key), queues=queues))


def _database(estate: Estate, key: Key) -> Database:
    if key[0] not in estate.instances:
        raise Invalid("instance", say('there is no instance "{name}"', name=key[0]))
    found = find_database(estate, key)
    if found is None:
        raise Invalid("database", say('there is no database "{name}"', name=key[1]))
    return found


QUEUES = Resource(
    Listing(
        "queues",
        _("Queues"),
        ("instance", "database", "name"),
        queue_rows,
        _queue_as_json,
        filters=(
            _named(_("Queues of this name, schema.name."), QUEUE_NAME_CHARS),
            _same(flag("enabled", _("Those that are on, or off.")), lambda queue: queue.enabled),
        ),
        orders={"name": lambda queue: queue.name},
    ),
    "queue",
    shapes.QueueSerializer,
    find_queue,
    queue_from,
    _put_queue,
    _drop_queue,
    {"instance": "host1", "database": "Orders", "name": "dbo.ShipQueue", "enabled": True},
)

# -- Routes ------------------------------------------------------------------------------------------------


def _route_as_json(row: Row) -> dict[str, Any]:
    return row_as_json(("instance", "database", "name"), row, route_as_json(row.value))


def _lifetime(route: Route) -> str | None:
    return route.lifetime.isoformat() if route.lifetime else None


ROUTES = Resource(
    Listing(
        "routes",
        _("Routes"),
        ("instance", "database", "name"),
        route_rows,
        _route_as_json,
        filters=(
            _named(_("Routes of this name.")),
            _same(text("service", _("For this service, byte by byte.")), lambda route: route.remote_service_name),
            _same(identifier("broker_instance", _("With this identifier.")), lambda route: route.broker_instance),
            _same(
                address("address", _("That lead to this address, however it is spelt.")),
                lambda route: route.address.key,
            ),
            Filter(
                moment("expires_before", _("Whose lifetime ends before this moment.")),
                lambda route, wanted: route.lifetime is not None and route.lifetime < wanted,
            ),
        ),
        orders={
            "name": lambda route: route.name,
            "remote_service_name": lambda route: route.remote_service_name,
            "lifetime": _lifetime,
            "address": lambda route: route.address.key,
        },
    ),
    "route",
    shapes.RouteSerializer,
    find_route,
    route_from,
    lambda _estate, key, route: PutRoute(key[0], key[1], route),
    lambda _estate, key: DropRoute(*key),
    {
        "instance": "host1",
        "database": "Orders",
        "name": "ToParts",
        "remote_service_name": "OrderParts",
        "address": "tcp://host2.example:4022",
    },
)

RESOURCES = (INSTANCES, DATABASES, SERVICES, QUEUES, ROUTES)
