"""How many rows a difference adds, changes and removes: what the list of versions shows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from brokerui.estate.difference import EstateDifference, ListChange
from brokerui.estate.tables import TABLES
from routing.model.estate import Database, Estate, Instance


@dataclass(frozen=True, slots=True)
class ChangedRowCounts:
    """Numbers of added, changed and removed rows: instances, databases, and the objects in them."""

    added: int
    changed: int
    removed: int


def counted(change: EstateDifference, before: Estate) -> ChangedRowCounts:
    """A list in another order counts as one change, and so does another hop limit."""
    lists: list[ListChange[Any]] = [change.instances, *change.databases.values()]
    members = [one for by_place in change.members.values() for one in by_place.values()]
    gone = [before.instances[name] for name in change.instances.dropped]
    lost = [before.instances[name].databases[one] for name, each in change.databases.items() for one in each.dropped]
    come = [database for each in change.databases.values() for database in each.added]
    return ChangedRowCounts(
        added=_instances(change.instances.added) + _databases(come) + sum(len(one.added) for one in members),
        changed=sum(map(_changed, lists)) + sum(map(_changed, members)) + (change.hop_limit is not None),
        removed=_instances(gone) + _databases(lost) + sum(len(one.dropped) for one in members),
    )


def _changed(one: ListChange[Any]) -> int:
    return len(one.changed) + (1 if one.order else 0)


def _instances(instances: Iterable[Instance]) -> int:
    return sum(1 + _databases(instance.databases.values()) for instance in instances)


def _databases(databases: Iterable[Database]) -> int:
    return sum(1 + sum(len(list(table.members(database))) for table in TABLES) for database in databases)
