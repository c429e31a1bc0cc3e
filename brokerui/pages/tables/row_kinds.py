"""The kinds of rows that can be edited: how each is found in an estate, read from a form, put and dropped."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from brokerui.estate import models
from brokerui.pages.tables import forms
from brokerui.pages.tables.form_fields import (
    Json,
    ValueForm,
)
from brokerui.pages.tables.unsaved_edits import UnsavedEdits
from routing.common.names import SYSTEM_SERVICES
from routing.documents.edits_json import database_from, instance_from
from routing.documents.json_decoders import (
    contract_from,
    message_type_from,
    priority_from,
    queue_from,
    remote_service_binding_from,
    route_from,
    service_from,
)
from routing.documents.writer import database_as_json, instance_as_json
from routing.model.catalog_objects import SYSTEM_MADE
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
from routing.model.estate import Database, Estate, Instance
from routing.model.route_table import RouteTable
from routing.model.system_objects import system_service

Key = tuple[str, ...]
"""Instance; database; name in it."""


@dataclass(frozen=True, slots=True)
class NestedRows:
    """A list that is part of a value, edited in a table below its form."""

    name: str
    """Its key in the document."""
    title: Promise
    form: type[ValueForm]
    column: str = ""
    """The one field, where the list holds texts."""


@dataclass(frozen=True, slots=True)
class RowKind:
    """One kind of rows."""

    name: str
    """The name of the model, in lower case."""
    model: type[Any]
    form: type[ValueForm]
    read: Callable[[Any], Any]
    """A value from its document. Raises `Invalid`."""
    members: str = ""
    """The list of a database that it stands in; empty: it is no member of one."""
    rows: tuple[NestedRows, ...] = ()
    row_form: type[ValueForm] | None = None
    """For a line of a table, where it has less than the form."""
    holds: tuple[str, ...] = field(default=())
    """Kinds that a table below the form shows."""

    @property
    def depth(self) -> int:
        """The length of its keys."""
        return {"instance": 1, "database": 2}.get(self.name, 3)


def document_of(kind: RowKind, value: Any) -> Json:
    """A value of the engine as the document has it, without the rows that have a table of their own."""
    if isinstance(value, Instance):
        return instance_as_json(replace(value, databases={}))
    if isinstance(value, Database):
        return database_as_json(Database(value.name, value.broker_instance, value.broker_enabled, value.mirroring_role))
    # A database with this one row: there is one way to write a document.
    alone = _with_members(Database("x"), kind, (value,))
    written = database_as_json(alone)[kind.members][0]
    return {"name": written} if isinstance(written, str) else _lists(written)


def _with_members(database: Database, kind: RowKind, members: tuple[Any, ...]) -> Database:
    changed: Json = {"table": RouteTable(members)} if kind.members == "routes" else {kind.members: members}
    return replace(database, **changed)


def _lists(value: Any) -> Any:
    """As JSON has it: no tuples."""
    if isinstance(value, tuple | list):
        return [_lists(part) for part in value]
    return {name: _lists(part) for name, part in value.items()} if isinstance(value, dict) else value


def find(kind: RowKind, estate: Estate, key: Key) -> Any:
    """The value; None where there is none."""
    instance = estate.instances.get(key[0])
    if instance is None or kind.name == "instance":
        return instance
    database = instance.databases.get(key[1])
    if database is None or kind.name == "database":
        return database
    return next((one for one in members_of(kind, database) if one.name == key[2]), None)


def members_of(kind: RowKind, database: Database) -> tuple[Any, ...]:
    """Return all members of this kind in a database, in their order."""
    if kind.members == "routes":
        return tuple(database.table.routes.values())
    found: tuple[Any, ...] = getattr(database, kind.members)
    return found


def own_members_of(kind: RowKind, database: Database) -> tuple[Any, ...]:
    """Return the members of this kind without the services that SQL Server itself creates with the database."""
    return database.user_services if kind.members == "services" else members_of(kind, database)


def is_system(kind: RowKind, key: Key | None) -> bool:
    """Whether SQL Server itself creates the value, so that it cannot be edited."""
    return kind.members == "services" and key is not None and key[-1] in SYSTEM_SERVICES


def as_shown(kind: RowKind, value: Any) -> Any:
    """The value as its form shows it: a service that SQL Server itself creates with its queue and contracts."""
    return system_service(value.name) or value if kind.members == "services" else value


def _with_its_content(old: Instance, value: Instance) -> Instance:
    return replace(value, databases=old.databases, missing_statements=old.missing_statements)


def put(kind: RowKind, draft: UnsavedEdits, owner: Key, value: Any) -> None:
    """Add the value, or replace the one of the same name; an instance or a database keeps its members."""
    old = find(kind, draft.after, (*owner, value.name))
    if kind.name == "instance":
        draft.add(PutInstance(_with_its_content(old, value) if old else value))
    elif kind.name == "database":
        draft.add(PutDatabase(owner[0], _with_content(old, value) if old else replace(value, services=SYSTEM_MADE)))
    elif kind.name == "route":
        draft.add(PutRoute(owner[0], owner[1], value))
    elif kind.name == "service":
        draft.add(PutService(owner[0], owner[1], value))
    else:
        others = {one.name: one for one in members_of(kind, _database(draft, owner))}
        _put_members(kind, draft, owner, tuple({**others, value.name: value}.values()))


def drop(kind: RowKind, draft: UnsavedEdits, key: Key) -> None:
    """Drop the value with all that is in it."""
    edits: Mapping[str, Callable[..., Any]] = {
        "instance": DropInstance,
        "database": DropDatabase,
        "route": DropRoute,
        "service": DropService,
    }
    if kind.name in edits:
        draft.add(edits[kind.name](*key))
    else:
        left = tuple(one for one in members_of(kind, _database(draft, key)) if one.name != key[2])
        _put_members(kind, draft, key, left)


def _with_content(old: Database, head: Database) -> Database:
    return replace(
        old,
        broker_instance=head.broker_instance,
        broker_enabled=head.broker_enabled,
        mirroring_role=head.mirroring_role,
    )


def _database(draft: UnsavedEdits, key: Key) -> Database:
    return draft.after.instances[key[0]].databases[key[1]]


def _put_members(kind: RowKind, draft: UnsavedEdits, key: Key, members: tuple[Any, ...]) -> None:
    draft.add(PutDatabase(key[0], _with_members(_database(draft, key), kind, members)))


ADDRESSES = NestedRows("addresses", _("Where it listens"), forms.AddressForm, "address")
CONTRACTS = NestedRows("contracts", _("Contracts that it accepts as a target"), forms.ServiceContractForm, "contract")
MESSAGES = NestedRows("messages", _("Message types"), forms.ContractMessageForm)

INSTANCE = RowKind("instance", models.Instance, forms.InstanceForm, instance_from, rows=(ADDRESSES,))
DATABASE = RowKind("database", models.Database, forms.DatabaseForm, database_from, holds=("route", "service", "queue"))
ROUTE = RowKind("route", models.Route, forms.RouteForm, route_from, "routes")
SERVICE = RowKind("service", models.Service, forms.ServiceForm, service_from, "services", (CONTRACTS,))
QUEUE = RowKind("queue", models.Queue, forms.QueueForm, queue_from, "queues", row_form=forms.QueueRowForm)
CONTRACT = RowKind("contract", models.Contract, forms.ContractForm, contract_from, "contracts", (MESSAGES,))
MESSAGE_TYPE = RowKind("messagetype", models.MessageType, forms.MessageTypeForm, message_type_from, "message_types")
PRIORITY = RowKind("priority", models.Priority, forms.PriorityForm, priority_from, "priorities")
BINDING = RowKind(
    "remoteservicebinding",
    models.RemoteServiceBinding,
    forms.BindingForm,
    remote_service_binding_from,
    "remote_service_bindings",
)
KINDS: Mapping[str, RowKind] = {
    kind.name: kind for kind in (INSTANCE, DATABASE, ROUTE, SERVICE, QUEUE, CONTRACT, MESSAGE_TYPE, PRIORITY, BINDING)
}
IN_DATABASES = tuple(kind for kind in KINDS.values() if kind.members)
