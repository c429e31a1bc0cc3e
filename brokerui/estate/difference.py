"""The rows to write to turn one estate into another: the lists that differ, and how.

Parts that two estates share are skipped by identity, so that after an edit this costs about as much as the edit.
Values are compared as they are written: two spellings of one address differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from brokerui.estate.columns import database_columns, instance_columns
from brokerui.estate.tables import TABLES, DocumentList
from routing.model.estate import Database, Estate, Instance

T = TypeVar("T")
Place = tuple[str, str]
"""An instance and a database of it."""


@dataclass(slots=True)
class ListChange(Generic[T]):
    """How one list of named things changes."""

    dropped: list[str]
    changed: list[T]
    added: list[T]
    """In their order, all after what stays unless `order` says otherwise."""
    order: list[str] | None
    """All names that the list has afterwards, where what stays is ordered anew or something is added before it."""

    def __bool__(self) -> bool:
        return bool(self.dropped or self.changed or self.added or self.order)


@dataclass(slots=True)
class EstateDifference:
    """All lists that differ."""

    hop_limit: int | None = None
    """The new one; None: as before."""
    instances: ListChange[Instance] = field(default_factory=lambda: ListChange([], [], [], None))
    databases: dict[str, ListChange[Database]] = field(default_factory=dict)
    """By instance; the databases of new and of dropped ones are not told."""
    members: dict[str, dict[Place, ListChange[Any]]] = field(default_factory=dict)
    """By kind (`Table.kind`) and database, likewise."""

    def __bool__(self) -> bool:
        return self.hop_limit is not None or bool(self.instances or self.databases or self.members)


def difference(before: Estate, after: Estate) -> EstateDifference:
    """Return the difference that turns `before` into `after`."""
    found = EstateDifference(hop_limit=after.hop_limit if after.hop_limit != before.hop_limit else None)
    found.instances = _list(before.instances, after.instances, _same_instance)
    for name, instance in after.instances.items():
        old = before.instances.get(name)
        if old is not None and old is not instance:
            _of_instance(found, old, instance)
    return found


def _of_instance(found: EstateDifference, old: Instance, new: Instance) -> None:
    databases = _list(old.databases, new.databases, _same_database)
    if databases:
        found.databases[new.name] = databases
    for name, database in new.databases.items():
        before = old.databases.get(name)
        if before is None or before is database:
            continue
        for table in TABLES:
            change = _members(table, before, database)
            if change:
                found.members.setdefault(table.kind, {})[new.name, name] = change


def _members(table: DocumentList, before: Database, after: Database) -> ListChange[Any] | None:
    old, new = table.members(before), table.members(after)
    if old is new or (not old and not new):
        return None
    usages = table.usages.columns if table.usages else lambda _: []

    def same(one: Any, other: Any) -> bool:
        return table.columns(one) == table.columns(other) and usages(one) == usages(other)

    return _list({member.name: member for member in old}, {member.name: member for member in new}, same)


def _list(before: Mapping[str, T], after: Mapping[str, T], same: Callable[[T, T], bool]) -> ListChange[T]:
    kept = [name for name in before if name in after]
    names = list(after)
    return ListChange(
        dropped=[name for name in before if name not in after],
        changed=[
            after[name] for name in kept if before[name] is not after[name] and not same(before[name], after[name])
        ],
        added=[value for name, value in after.items() if name not in before],
        order=None if names[: len(kept)] == kept else names,
    )


def _same_instance(one: Instance, other: Instance) -> bool:
    """But for its databases."""
    texts = [[address.text for address in instance.addresses] for instance in (one, other)]
    return texts[0] == texts[1] and instance_columns(one) == instance_columns(other)


def _same_database(one: Database, other: Database) -> bool:
    """But for its lists."""
    return database_columns(one) == database_columns(other)
