"""The edits that make one estate of another: as fine as edits are, else whole databases or instances."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from routing.common.errors import Invalid
from routing.common.names import is_system_service
from routing.model import object_changes as objects
from routing.model.catalog_objects import Queue, Service
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
from routing.model.estate import Database, Edit, Estate, Instance
from routing.model.object_changes import (
    INSTANCE_SETTINGS,
    ObjectChange,
    ObjectChanges,
    ObjectKey,
    objects_changed,
    written,
)


def edits_between(before: Estate, after: Estate) -> tuple[Edit, ...]:
    """Return edits with which `before` becomes `after`, also in the order of its objects."""
    changes = objects_changed(before, after)
    edits = list(_fine(changes, after))
    try:
        edited = before.edited(edits)
        edits += _whole_databases(edited, after)
        edited = before.edited(edits)
    except Invalid:  # an identifier or an address moves from one object to another
        edits = [SetHopLimit(after.hop_limit)] if before.hop_limit != after.hop_limit else []
        edited = before.edited(edits)
    return (*edits, *_whole_instances(edited, after))


def _fine(changes: ObjectChanges, after: Estate) -> Iterator[Edit]:
    """Yield an edit for each object that has one of its own; drops come first, so that names and addresses are free."""
    for key, change in sorted(changes.items(), key=lambda item: item[1].after is not None):
        edit = _edit(key, change, after)
        if edit is not None:
            yield edit


def _edit(key: ObjectKey, change: ObjectChange, after: Estate) -> Edit | None:
    """Return the edit of one object; None where only its whole database or instance can be put."""
    new = change.after
    match key.kind:
        case objects.HOP_LIMIT:
            return SetHopLimit(new)
        case objects.INSTANCE:
            return DropInstance(key.instance) if new is None else PutInstance(new)
        case objects.DATABASE:
            return DropDatabase(key.instance, key.database) if new is None else PutDatabase(key.instance, new)
        case "forwarding":
            return SetForwarding(key.instance, new)
        case "broker_enabled":
            return SetBroker(key.instance, key.database, new)
        case "mirroring_role":
            return SetMirroringRole(key.instance, key.database, new)
        case objects.ROUTES if new is None:
            return DropRoute(key.instance, key.database, key.name)
        case objects.ROUTES:
            return PutRoute(key.instance, key.database, new)
        case "services" if not is_system_service(key.name):
            return _service_edit(key, new)
        case "queues":
            return _queue_edit(key, change)
    return None


def _service_edit(key: ObjectKey, new: Service | None) -> Edit:
    if new is None:
        return DropService(key.instance, key.database, key.name)
    return PutService(key.instance, key.database, new)


def _queue_edit(key: ObjectKey, change: ObjectChange) -> Edit | None:
    """Return the switch of a queue, where nothing else of the queue differs."""
    old, new = change.before or Queue(key.name), change.after
    if new is None or replace(old, enabled=new.enabled) != new:
        return None
    return SetQueue(key.instance, key.database, key.name, new.enabled)


def _whole_databases(edited: Estate, after: Estate) -> Iterator[Edit]:
    """Yield the databases that fine edits did not bring about, but for those of new instances."""
    for instance, old, new in _changed_instances(edited, after):
        for name, database in new.databases.items():
            if name in old.databases and not _same_database(old.databases[name], database):
                yield PutDatabase(instance, database)


def _whole_instances(edited: Estate, after: Estate) -> list[Edit]:
    """Return drops and additions from the first instance that differs, so that the order is that of `after`."""
    was, wanted = list(edited.instances.values()), list(after.instances.values())
    same = 0
    while same < min(len(was), len(wanted)) and _same_instance(was[same], wanted[same]):
        same += 1
    if [one.name for one in was] == [one.name for one in wanted] and not _moves_addresses(was, wanted):
        pairs = zip(was, wanted, strict=True)
        return [PutInstance(new) for old, new in pairs if not _same_instance(old, new)]
    drops: list[Edit] = [DropInstance(one.name) for one in was[same:]]
    return drops + [PutInstance(one) for one in wanted[same:]]


def _moves_addresses(was: list[Instance], wanted: list[Instance]) -> bool:
    """Return whether an address passes from one instance to another: none may have it twice, not even for a moment."""
    owners = {address.key: one.name for one in was for address in one.addresses}
    return any(owners.get(address.key, one.name) != one.name for one in wanted for address in one.addresses)


def _changed_instances(edited: Estate, after: Estate) -> Iterator[tuple[str, Instance, Instance]]:
    for name, new in after.instances.items():
        old = edited.instances.get(name)
        if old is not None and old is not new:
            yield name, old, new


def _same_instance(old: Instance, new: Instance) -> bool:
    """Return whether two instances are written alike, also in the order of databases and routes."""
    if old is new:
        return True
    return (
        old.name == new.name
        and all(written(getattr(old, setting)) == written(getattr(new, setting)) for setting in INSTANCE_SETTINGS)
        and list(old.databases) == list(new.databases)
        and all(_same_database(old.databases[name], database) for name, database in new.databases.items())
    )


def _same_database(old: Database, new: Database) -> bool:
    if old is new:
        return True
    pairs = zip(old.table.routes.values(), new.table.routes.values(), strict=False)
    return old == new and all(written(one) == written(other) for one, other in pairs)
