"""A difference as lines for a reader: added, changed and removed objects, by instance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from brokerui.estate.columns import database_columns, instance_columns
from brokerui.estate.difference import EstateDifference, ListChange
from brokerui.estate.tables import TABLES, DocumentList
from routing.common.names import is_system_service
from routing.model.estate import Database, Estate, Instance

NEW, CHANGED, REMOVED = "new", "changed", "removed"
VERBS = (REMOVED, CHANGED, NEW)
"""Verbs of a change; those that may do harm come first."""
INSTANCE, DATABASE, SERVICES = "instances", "databases", "services"
KINDS = (INSTANCE, DATABASE, *(table.kind for table in TABLES))
ORDER = "order"
"""The change of a list that has the same entries in another order."""
_BY_KIND = {table.kind: table for table in TABLES}
_DERIVED = ("address_key", "mirror_key")


class ChangeLine(NamedTuple):
    """One row that comes, goes or changes."""

    verb: str
    kind: str
    """The list's name in the document."""
    instance: str
    """Empty: the estate itself."""
    database: str
    """Empty for instances."""
    name: str
    """Empty: the list as a whole."""
    what: str = ""
    """For a changed row: `column: before → after`."""


def lines_of(change: EstateDifference, before: Estate, after: Estate) -> Iterator[ChangeLine]:
    """Yield a line for every row, in the order of the estates: removed rows, then changed ones, then new ones.

    The services that SQL Server creates in every database are left out: they come and go with their database.
    """
    for line in _all_lines(change, before, after):
        if not (line.kind == SERVICES and is_system_service(line.name)):
            yield line


def _all_lines(change: EstateDifference, before: Estate, after: Estate) -> Iterator[ChangeLine]:
    if change.hop_limit is not None:
        yield ChangeLine(CHANGED, INSTANCE, "", "", "", f"hop_limit: {before.hop_limit} → {after.hop_limit}")
    if change.instances.order:
        yield ChangeLine(CHANGED, INSTANCE, "", "", "", ORDER)
    for name in change.instances.dropped:
        yield from _whole(REMOVED, before.instances[name])
    for instance in change.instances.changed:
        old, new = _instance_values(before.instances[instance.name]), _instance_values(instance)
        yield ChangeLine(CHANGED, INSTANCE, instance.name, "", instance.name, _what(old, new))
    for name, databases in change.databases.items():
        yield from _databases(name, databases, before.instances[name])
    for kind, by_place in change.members.items():
        for (name, database), members in by_place.items():
            yield from _members(_BY_KIND[kind], name, before.instances[name].databases[database], members)
    for instance in change.instances.added:
        yield from _whole(NEW, instance)


def _databases(instance: str, change: ListChange[Database], before: Instance) -> Iterator[ChangeLine]:
    if change.order:
        yield ChangeLine(CHANGED, DATABASE, instance, "", "", ORDER)
    for name in change.dropped:
        yield from _whole_database(REMOVED, instance, before.databases[name])
    for one in change.changed:
        old, new = database_columns(before.databases[one.name]), database_columns(one)
        yield ChangeLine(CHANGED, DATABASE, instance, one.name, one.name, _what(old, new))
    for one in change.added:
        yield from _whole_database(NEW, instance, one)


def _members(table: DocumentList, instance: str, before: Database, change: ListChange[Any]) -> Iterator[ChangeLine]:
    if change.order:
        yield ChangeLine(CHANGED, table.kind, instance, before.name, "", ORDER)
    known = {member.name: member for member in table.members(before)} if change.changed else {}
    yield from (ChangeLine(REMOVED, table.kind, instance, before.name, name) for name in change.dropped)
    for one in change.changed:
        what = _what(_member_values(table, known[one.name]), _member_values(table, one))
        yield ChangeLine(CHANGED, table.kind, instance, before.name, one.name, what)
    yield from (ChangeLine(NEW, table.kind, instance, before.name, one.name) for one in change.added)


def _whole(verb: str, instance: Instance) -> Iterator[ChangeLine]:
    yield ChangeLine(verb, INSTANCE, instance.name, "", instance.name)
    for database in instance.databases.values():
        yield from _whole_database(verb, instance.name, database)


def _whole_database(verb: str, instance: str, database: Database) -> Iterator[ChangeLine]:
    yield ChangeLine(verb, DATABASE, instance, database.name, database.name)
    for table in TABLES:
        for member in table.members(database):
            yield ChangeLine(verb, table.kind, instance, database.name, member.name)


def _instance_values(instance: Instance) -> dict[str, Any]:
    return {"addresses": ", ".join(one.text for one in instance.addresses), **instance_columns(instance)}


def _member_values(table: DocumentList, member: Any) -> dict[str, Any]:
    """Return the columns of a member, and the names that it refers to."""
    values = {name: value for name, value in table.columns(member).items() if name not in _DERIVED}
    if table.usages:
        used = (" ".join(map(str, usage.values())) for usage in table.usages.columns(member))
        values[table.usages.owner] = ", ".join(used)
    return values


def _what(old: dict[str, Any], new: dict[str, Any]) -> str:
    return "; ".join(f"{name}: {_shown(old[name])} → {_shown(new[name])}" for name in new if old[name] != new[name])


def _shown(value: Any) -> str:
    if isinstance(value, dict) and "rows" in value:
        # Collected rows are long; the preview lists their findings.
        return f"{len(value['rows']) or 'no'} rows ({value['collected_at']})"
    return "NULL" if value is None else str(value)


@dataclass(frozen=True, slots=True)
class InstanceChanges:
    """Changes of one instance."""

    name: str
    verbs: Counter[str]
    kinds: Counter[tuple[str, str]]
    """By verb and kind."""
    first: tuple[ChangeLine, ...]
    """As many lines as a page shows."""

    @property
    def total(self) -> int:
        return self.verbs.total()

    @property
    def is_gone(self) -> bool:
        return bool(self.kinds[REMOVED, INSTANCE])


def by_instance(lines: Iterable[ChangeLine], shown: int) -> list[InstanceChanges]:
    """Return the changes by instance: first instances that lose rows, then the others, each group by name."""
    found: dict[str, list[ChangeLine]] = {}
    for line in lines:
        found.setdefault(line.instance, []).append(line)
    made = [_of(name, own, shown) for name, own in found.items()]
    return sorted(made, key=lambda one: (*(not one.verbs[verb] for verb in VERBS), one.name))


def _of(name: str, lines: list[ChangeLine], shown: int) -> InstanceChanges:
    kinds = Counter((line.verb, line.kind) for line in lines)
    verbs: Counter[str] = Counter(line.verb for line in lines)
    first = sorted(lines, key=lambda line: VERBS.index(line.verb))[:shown]
    return InstanceChanges(name, verbs, kinds, tuple(first))
