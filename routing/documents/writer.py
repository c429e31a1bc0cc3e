"""Writes an estate as the text of its document: every key in fixed order, one object per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import fields
from datetime import datetime
from typing import Any

from routing.common.moment import format_moment
from routing.documents.collected_json import COLLECTED, collected_as_json
from routing.model.catalog_objects import Service
from routing.model.estate import Database, Estate, Instance
from routing.model.route import Route

_ROWS = ("queues", "contracts", "message_types", "priorities", "remote_service_bindings")


def estate_as_json(estate: Estate, format_name: str, valid_from: datetime | None = None) -> Iterator[str]:
    """The text of the document, in pieces."""
    since = f' "valid_from": "{format_moment(valid_from)}",' if valid_from else ""
    yield f'{{"format": {_dumps(format_name)},{since} "hop_limit": {estate.hop_limit},\n "instances": ['
    yield from _between("\n  ", (_instance(instance) for instance in estate.instances.values()))
    yield "]}\n"


def route_as_json(route: Route) -> dict[str, Any]:
    """A route as in the document."""
    return {
        "name": route.name,
        "remote_service_name": route.remote_service_name,
        "broker_instance": route.broker_instance,
        "lifetime": format_moment(route.lifetime) if route.lifetime else None,
        "address": route.address.text,
        "mirror_address": route.mirror_address.text if route.mirror_address else None,
    }


def instance_as_json(instance: Instance) -> dict[str, Any]:
    """An instance as in the document."""
    databases = [database_as_json(database) for database in instance.databases.values()]
    return {**_instance_head(instance), "databases": databases}


def database_as_json(database: Database) -> dict[str, Any]:
    """A database as in the document."""
    return {**_database_head(database), **_database_rows(database), **collected_of(database)}


def collected_of(database: Database) -> dict[str, Any]:
    """Return the collected rows of a database, as in the document; without the kinds that were not collected."""
    values = {key: getattr(database, key) for key in COLLECTED}
    return {key: collected_as_json(value) for key, value in values.items() if value is not None}


def service_as_json(service: Service) -> Any:
    """A service as in the document: only its name if neither queue nor contracts are known."""
    return service.name if service.queue is None and not service.contracts else part_as_json(service)


def _instance(instance: Instance) -> str:
    databases = "".join(_between("\n    ", (_database(d) for d in instance.databases.values())))
    return f'{_dumps(_instance_head(instance))[:-1]},\n   "databases": [{databases}]}}'


def _instance_head(instance: Instance) -> dict[str, Any]:
    head = {
        "name": instance.name,
        "addresses": [address.text for address in instance.addresses],
        "forwarding": instance.forwarding,
    }
    if instance.endpoint is not None:
        head["endpoint"] = part_as_json(instance.endpoint)
    if instance.missing_statements:
        head["missing_statements"] = part_as_json(instance.missing_statements)
    return head


def _database(database: Database) -> str:
    lines = (
        f'"{kind}": [' + "".join(_between("\n      ", map(_dumps, members))) + "]"
        for kind, members in _database_rows(database).items()
    )
    rest = (f'"{key}": {_dumps(value)}' for key, value in collected_of(database).items())
    return _dumps(_database_head(database))[:-1] + "".join(f",\n     {line}" for line in (*lines, *rest)) + "}"


def _database_head(database: Database) -> dict[str, Any]:
    return {
        "name": database.name,
        "broker_instance": database.broker_instance,
        "broker_enabled": database.broker_enabled,
        "mirroring_role": database.mirroring_role,
    }


def _database_rows(database: Database) -> dict[str, list[Any]]:
    rows = {"services": [service_as_json(service) for service in database.services]}
    rows |= {kind: [part_as_json(part) for part in members] for kind in _ROWS if (members := getattr(database, kind))}
    rows["routes"] = [route_as_json(route) for route in database.table.routes.values()]
    return rows


def part_as_json(part: Any) -> Any:
    """An object of `catalog_objects` as JSON, with all its fields."""
    if isinstance(part, tuple):
        return [part_as_json(member) for member in part]
    if hasattr(part, "__dataclass_fields__"):
        return {field.name: part_as_json(getattr(part, field.name)) for field in fields(part)}
    return part


def _between(indent: str, texts: Iterable[str]) -> Iterator[str]:
    for index, text in enumerate(texts):
        yield ("," if index else "") + indent + text


def _dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
