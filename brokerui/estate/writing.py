"""Writes a difference into the tables: deletions, then changes, then additions, many rows in each statement.

Everything here runs inside the transaction of a service.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from brokerui.estate.columns import database_columns, instance_columns
from brokerui.estate.difference import EstateDifference, ListChange, Place
from brokerui.estate.lists import CHUNK, Written, chunks, write_list
from brokerui.estate.models import Database, Instance, InstanceAddress
from brokerui.estate.pairs import mirrored_pairs
from brokerui.estate.tables import TABLES, DocumentList, Usages
from routing.model import estate as law

New = list[tuple[Any, Any]]
"""New values of `routing`, each with the row that was made of it."""


def write_difference(difference: EstateDifference, before: law.Estate, after: law.Estate) -> None:
    """Make the rows of `before` those of `after`."""
    instances = _write_instances(difference.instances)
    known = _instance_ids({*difference.databases, *(name for place in _places(difference) for name in place[:1])})
    databases = _write_databases(difference.databases, known, instances)
    places = _database_ids(_places(difference), known)
    for table in TABLES:
        _write_members(table, difference.members.get(table.kind, {}), places, databases)
    if difference.instances or difference.databases:
        _write_partners(mirrored_pairs(before), mirrored_pairs(after))


def _places(difference: EstateDifference) -> set[Place]:
    return {place for changes in difference.members.values() for place in changes}


def _instance_ids(names: set[str]) -> dict[str, int]:
    rows: dict[str, int] = {}
    for part in chunks(sorted(names)):
        rows.update(Instance.objects.filter(name__in=part).values_list("name", "id"))
    return rows


def _database_ids(places: set[Place], instances: Mapping[str, int]) -> dict[Place, int]:
    """By instance and name, those that are there."""
    found: dict[Place, int] = {}
    for part in chunks(sorted(places)):
        owners = {instances[instance]: instance for instance, _ in part if instance in instances}
        rows = Database.objects.filter(instance_id__in=owners, name__in={name for _, name in part})
        found.update(((owners[owner], name), key) for owner, name, key in rows.values_list("instance_id", "name", "id"))
    return found


# ---------------------------------------------------------------- instances


def _write_instances(change: ListChange[law.Instance]) -> New:
    written = write_list(Instance, None, {None: change}, instance_columns)
    # An address may move from one instance to another: all go before any comes.
    for part in chunks([row.pk for _, row in written.changed]):
        InstanceAddress.objects.filter(instance_id__in=part).delete()
    rows = [row for value, instance in written.changed + written.added for row in _addresses(value, instance)]
    InstanceAddress.objects.bulk_create(rows)
    return written.added


def _addresses(instance: law.Instance, row: Instance) -> Iterator[InstanceAddress]:
    seen: set[str] = set()
    for position, address in enumerate(instance.addresses):
        repeated = address.key in seen
        seen.add(address.key)
        yield InstanceAddress(instance=row, position=position, text=address.text, key=address.key, repeated=repeated)


# ---------------------------------------------------------------- databases


def _write_databases(changes: Mapping[str, ListChange[law.Database]], known: Mapping[str, int], instances: New) -> New:
    by_owner = {known[name]: change for name, change in changes.items()}
    by_owner |= {row.pk: _all_new(value.databases.values()) for value, row in instances}
    # An identifier may move from one database to another: all go before any comes.
    for owner, change in by_owner.items():
        if change.changed:
            names = [database.name for database in change.changed]
            Database.objects.filter(instance_id=owner, name__in=names).update(broker_instance=None)
    new = [row.pk for _, row in instances]
    return write_list(Database, "instance_id", by_owner, database_columns, new).added


def _all_new(values: Any) -> ListChange[Any]:
    return ListChange([], [], list(values), None)


def _write_partners(before: Mapping[Place, Place], after: Mapping[Place, Place]) -> None:
    moved = {place for place in {*before, *after} if before.get(place) != after.get(place)}
    if not moved:
        return
    ids = _database_ids(moved, _instance_ids({instance for instance, _ in moved}))
    for part in chunks(sorted(ids.values())):
        Database.objects.filter(id__in=part).update(partner=None)
    pairs = [(ids[place], ids[after[place]]) for place in sorted(moved) if place in after]
    rows = [Database(id=one, partner_id=other) for one, other in pairs]
    Database.objects.bulk_update(rows, ["partner"], batch_size=CHUNK)


# ---------------------------------------------------------------- rows of the members of a database


def _write_members(
    table: DocumentList, changes: Mapping[Place, ListChange[Any]], places: Mapping[Place, int], databases: New
) -> None:
    by_owner = {places[place]: change for place, change in changes.items()}
    new = {row.pk: members for value, row in databases if (members := list(table.members(value)))}
    by_owner |= {owner: _all_new(members) for owner, members in new.items()}
    written = write_list(table.model, "database_id", by_owner, table.columns, list(new))
    if table.usages:
        _write_usages(table.usages, written)


def _write_usages(usages: Usages, written: Written) -> None:
    model: Any = usages.model
    for part in chunks([row.pk for _, row in written.changed]):
        model.objects.filter(**{f"{usages.owner}_id__in": part}).delete()
    model.objects.bulk_create(
        model(**{usages.owner: row}, position=position, **columns)
        for value, row in written.changed + written.added
        for position, columns in enumerate(usages.columns(value))
    )
