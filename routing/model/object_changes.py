"""Which objects differ between two estates: each by its key, with its value before and after.

An object is the hop limit, an instance or database that is only in one of the two, one setting of either, or a member
of a database: a route, a service, a queue and so on. Values are compared as they are written: two spellings of one
address differ. Parts that two estates share are skipped by identity.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from typing import Any, Final, NamedTuple

from routing.common.names import MSDB
from routing.model.address import Address
from routing.model.estate import UNWRITTEN_MSDB, Database, Estate, Instance
from routing.model.route import Route

HOP_LIMIT: Final = "hop_limit"
INSTANCE: Final = "instance"
DATABASE: Final = "database"
INSTANCE_SETTINGS: Final = ("addresses", "forwarding", "endpoint", "missing_statements")
DATABASE_SETTINGS: Final = (
    "broker_instance",
    "broker_enabled",
    "mirroring_role",
    "transmission_queue",
    "conversation_endpoints",
)
ROUTES: Final = "routes"
MEMBERS: Final = tuple(
    field.name for field in fields(Database) if field.name not in {"name", "table", *DATABASE_SETTINGS}
)
"""Lists of a database whose members have a name, but for its routes."""


class ObjectKey(NamedTuple):
    """Names an object. `kind` is HOP_LIMIT, INSTANCE, DATABASE, a setting of one of these, ROUTES or one of MEMBERS."""

    kind: str
    instance: str = ""
    database: str = ""
    name: str = ""

    @property
    def owners(self) -> tuple[ObjectKey, ...]:
        """The database and the instance that hold it."""
        of_instance = ObjectKey(INSTANCE, self.instance)
        if self.database and self.kind != DATABASE:
            return ObjectKey(DATABASE, self.instance, self.database), of_instance
        return (of_instance,) if self.instance and self.kind != INSTANCE else ()


class ObjectChange(NamedTuple):
    """The value of an object in two estates; None where it does not exist."""

    before: Any
    after: Any


ObjectChanges = Mapping[ObjectKey, ObjectChange]


def objects_changed(before: Estate, after: Estate) -> dict[ObjectKey, ObjectChange]:
    """Return the objects that differ, by key. The order of objects is not compared."""
    found: dict[ObjectKey, ObjectChange] = {}
    if before.hop_limit != after.hop_limit:
        found[ObjectKey(HOP_LIMIT)] = ObjectChange(before.hop_limit, after.hop_limit)
    for name, old, new in _apart(before.instances, after.instances):
        if old is None or new is None:
            found[ObjectKey(INSTANCE, name)] = ObjectChange(old, new)
        else:
            found.update(_of_instance(old, new))
    return found


def with_objects(estate: Estate, changes: ObjectChanges) -> Estate:
    """Return the estate with the `after` of each change. Their owners must exist, or be among the changes.

    Raises `Invalid` where the objects cannot stand together, as with one identifier in two databases.
    """
    instances: dict[str, Instance | None] = dict(estate.instances)
    databases: dict[tuple[str, str], dict[ObjectKey, Any]] = {}
    for key, change in changes.items():
        if key.kind == INSTANCE:
            instances[key.instance] = change.after
        elif key.kind != HOP_LIMIT:
            databases.setdefault((key.instance, key.database), {})[key] = change.after
    for (name, database), values in databases.items():
        instance = instances[name]
        assert instance is not None
        instances[name] = _with_values(instance, database, values)
    limit = changes.get(ObjectKey(HOP_LIMIT), ObjectChange(None, estate.hop_limit)).after
    return Estate({name: one for name, one in instances.items() if one is not None}, limit)


def _of_instance(old: Instance, new: Instance) -> Iterator[tuple[ObjectKey, ObjectChange]]:
    for setting in INSTANCE_SETTINGS:
        values = ObjectChange(getattr(old, setting), getattr(new, setting))
        if written(values.before) != written(values.after):
            yield ObjectKey(setting, new.name), values
    for name, before, after in _apart(old.databases, new.databases):
        if before is None or after is None:
            yield ObjectKey(DATABASE, new.name, name), ObjectChange(before, after)
        else:
            yield from _of_database(new.name, before, after)


def _of_database(instance: str, old: Database, new: Database) -> Iterator[tuple[ObjectKey, ObjectChange]]:
    for setting in DATABASE_SETTINGS:
        values = ObjectChange(getattr(old, setting), getattr(new, setting))
        if values.before != values.after:
            yield ObjectKey(setting, instance, new.name), values
    for kind in (ROUTES, *MEMBERS):
        for name, before, after in _apart(_members(old, kind), _members(new, kind)):
            if written(before) != written(after):
                yield ObjectKey(kind, instance, new.name, name), ObjectChange(before, after)


def _members(database: Database, kind: str) -> Mapping[str, Any]:
    if kind == ROUTES:
        return database.table.routes
    return {member.name: member for member in getattr(database, kind)}


def _apart(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Yield the members that are not one object in both: name, before, after."""
    if old is new:
        return
    for name, member in old.items():
        other = new.get(name)
        if other is not member:
            yield name, member, other
    yield from ((name, None, member) for name, member in new.items() if name not in old)


def written(value: Any) -> Any:
    """Return a value that is equal where two objects are written alike: addresses are equal in any spelling."""
    if isinstance(value, Route):
        return value, value.address.text, value.mirror_address and value.mirror_address.text
    if isinstance(value, tuple):
        return tuple([one.text if isinstance(one, Address) else one for one in value])
    return value


def _with_values(instance: Instance, database: str, values: Mapping[ObjectKey, Any]) -> Instance:
    """Return an instance with new settings, or with a new database, or with other parts of one."""
    if not database:
        return replace(instance, **{key.kind: value for key, value in values.items()})
    whole = ObjectKey(DATABASE, instance.name, database)
    if whole in values:
        new = values[whole]
        return instance.without_database(database) if new is None else instance.with_database(new)
    old = instance.databases[database] if database != MSDB else instance.databases.get(MSDB, UNWRITTEN_MSDB)
    return instance.with_database(_with_parts(old, values))


def _with_parts(database: Database, values: Mapping[ObjectKey, Any]) -> Database:
    parts: dict[str, Any] = {key.kind: value for key, value in values.items() if key.kind in DATABASE_SETTINGS}
    for kind in MEMBERS:
        changed = {key.name: value for key, value in values.items() if key.kind == kind}
        if changed:
            parts[kind] = tuple(_merged(_members(database, kind), changed))
    table = database.table
    for key, value in values.items():
        if key.kind == ROUTES:
            table = table.edited(key.name, value)
    return replace(database, table=table, **parts)


def _merged(members: Mapping[str, Any], changed: Mapping[str, Any]) -> Iterable[Any]:
    return [member for member in {**members, **changed}.values() if member is not None]
