"""Edits of an estate as JSON objects: `{"edit": "put_route", "instance": …, "database": …, "route": {…}}`.

The kinds are the classes of `model.edits`, their keys the fields; values are as in the estate document. Reading a
written edit gives an equal edit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields as fields_of
from typing import Any

from routing.common.errors import Invalid, must_be
from routing.common.sentence import say
from routing.documents.collected_json import COLLECTED
from routing.documents.json_decoders import (
    Decoder,
    array_of,
    boolean,
    contract_from,
    endpoint_from,
    fields,
    identifier_or_null,
    integer,
    message_type_from,
    missing_statement_from,
    network_address,
    or_null,
    priority_from,
    queue_from,
    remote_service_binding_from,
    route_from,
    service_from,
    string,
)
from routing.documents.writer import database_as_json, instance_as_json, route_as_json, service_as_json
from routing.model.catalog_objects import Service
from routing.model.edits import (
    DropDatabase,
    DropInstance,
    DropRoute,
    DropService,
    PutDatabase,
    PutInstance,
    PutRoute,
    PutService,
    SetBroker,
    SetForwarding,
    SetHopLimit,
    SetMirroringRole,
    SetQueue,
)
from routing.model.estate import Database, Edit, Instance, by_name
from routing.model.route import Route
from routing.model.route_table import RouteTable

_DATABASE: Mapping[str, Decoder] = {
    "name": string,
    "broker_instance": identifier_or_null,
    "broker_enabled": boolean,
    "mirroring_role": or_null(string),
    "services": array_of(service_from),
    "queues": array_of(queue_from),
    "contracts": array_of(contract_from),
    "message_types": array_of(message_type_from),
    "priorities": array_of(priority_from),
    "remote_service_bindings": array_of(remote_service_binding_from),
    "routes": array_of(route_from),
    **COLLECTED,
}


def database_from(value: Any) -> Database:
    """Read a database as in the estate document, with all its objects."""
    given = fields(value, _DATABASE, ("name",))
    return Database(table=RouteTable(given.pop("routes", ())), **given)


_INSTANCE: Mapping[str, Decoder] = {
    "name": string,
    "addresses": array_of(network_address),
    "forwarding": boolean,
    "endpoint": or_null(endpoint_from),
    "missing_statements": array_of(missing_statement_from),
    "databases": array_of(database_from),
}


def instance_from(value: Any) -> Instance:
    """Read an instance as in the estate document, with all its databases."""
    given = fields(value, _INSTANCE, ("name",))
    return Instance(databases=by_name(given.pop("databases", ()), "databases"), **given)


_PLACE: Mapping[str, Decoder] = {"instance": string, "database": string}
_KINDS: Mapping[str, tuple[type[Any], Mapping[str, Decoder]]] = {
    "put_route": (PutRoute, {**_PLACE, "route": route_from}),
    "drop_route": (DropRoute, {**_PLACE, "name": string}),
    "put_service": (PutService, {**_PLACE, "service": service_from}),
    "drop_service": (DropService, {**_PLACE, "name": string}),
    "put_database": (PutDatabase, {"instance": string, "database": database_from}),
    "drop_database": (DropDatabase, {"instance": string, "name": string}),
    "put_instance": (PutInstance, {"instance": instance_from}),
    "drop_instance": (DropInstance, {"name": string}),
    "set_forwarding": (SetForwarding, {"instance": string, "forwarding": boolean}),
    "set_broker": (SetBroker, {**_PLACE, "enabled": boolean}),
    "set_mirroring_role": (SetMirroringRole, {**_PLACE, "mirroring_role": or_null(string)}),
    "set_queue": (SetQueue, {**_PLACE, "queue": string, "enabled": boolean}),
    "set_hop_limit": (SetHopLimit, {"hop_limit": integer}),
}
_NAMES: Mapping[type[Any], str] = {edit: kind for kind, (edit, _) in _KINDS.items()}


def edit_from(value: Any) -> Edit:
    """Read an edit from a JSON object; raise `Invalid` with the key that is wrong."""
    if type(value) is not dict:
        raise Invalid("", must_be(say("an object"), value))
    if "edit" not in value:
        raise Invalid("edit", say("is missing; it must be one of {known}", known=tuple(_KINDS)))
    kind = value["edit"]
    if type(kind) is not str or kind not in _KINDS:
        raise Invalid("edit", must_be(say("one of {known}", known=tuple(_KINDS)), kind))
    edit, converters = _KINDS[kind]
    given = fields({key: member for key, member in value.items() if key != "edit"}, converters, tuple(converters))
    made: Edit = edit(**given)
    return made


edits_from = array_of(edit_from)
"""Read edits from a JSON array; the path of an `Invalid` begins with the index of the wrong edit."""


def edit_as_json(edit: Edit) -> dict[str, Any]:
    """The object that `edit_from` reads."""
    kind = _NAMES[type(edit)]
    return {"edit": kind} | {field.name: _as_json(getattr(edit, field.name)) for field in fields_of(edit)}  # type: ignore[arg-type]  # each is a dataclass


def edits_as_json(edits: Iterable[Edit]) -> list[dict[str, Any]]:
    """The array that `edits_from` reads."""
    return [edit_as_json(edit) for edit in edits]


def _as_json(value: Any) -> Any:
    match value:
        case Route():
            return route_as_json(value)
        case Service():
            return service_as_json(value)
        case Database():
            return database_as_json(value)
        case Instance():
            return instance_as_json(value)
    return value


__all__ = ["database_from", "edit_as_json", "edit_from", "edits_as_json", "edits_from", "instance_from"]
