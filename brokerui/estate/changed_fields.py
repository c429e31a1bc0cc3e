"""The fields of the estate that a version changed, for the audit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from brokerui.estate.audit_changes import Changes, Value, changes_of, first_fields, text_of
from brokerui.estate.columns import database_columns, instance_columns
from brokerui.estate.difference import EstateDifference, ListChange
from brokerui.estate.tables import TABLES
from routing.model.estate import Estate, Instance

Columns = Callable[[Any], Mapping[str, Any]]


def changed_fields(change: EstateDifference, before: Estate, after: Estate) -> Changes:
    """Return the first ones: the version has all."""
    return first_fields(_fields(change, before, after))


def _fields(change: EstateDifference, before: Estate, after: Estate) -> Iterator[list[Value]]:
    if change.hop_limit is not None:
        yield ["hop_limit", before.hop_limit, after.hop_limit]
    yield from _of_list("instance", change.instances, before.instances, _instance)
    for instance, databases in change.databases.items():
        old = before.instances[instance].databases
        yield from _of_list(f"{instance}: database", databases, old, database_columns)
    for table in TABLES:
        for (instance, database), members in change.members.get(table.kind, {}).items():
            known = {one.name: one for one in table.members(before.instances[instance].databases[database])}
            yield from _of_list(f"{instance}/{database}: {table.kind}", members, known, table.columns)


def _of_list(place: str, change: ListChange[Any], old: Mapping[str, Any], columns: Columns) -> Iterator[list[Value]]:
    for value in change.changed:
        for name, one, other in changes_of(columns(old[value.name]), columns(value)):
            yield [f"{place} {value.name}: {name}", one, other]
    for value in change.added:
        yield [f"{place} {value.name}", None, text_of(columns(value)) or value.name]
    for name in change.dropped:
        yield [f"{place} {name}", text_of(columns(old[name])) or name, None]


def _instance(value: Instance) -> Mapping[str, Any]:
    return {"addresses": [address.text for address in value.addresses], **instance_columns(value)}
