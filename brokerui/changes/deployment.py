"""The steps of each server for a draft: T-SQL to run, in a safe order, and whether an import has shown it.

A hosted instance follows the live estate at once. An observed one is a SQL Server, which no version of the estate
changes: an administrator runs the T-SQL there, and the next import of the instance shows whether it did.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

from brokerui.changes.edit_sql import instance_script
from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_base, draft_estate
from brokerui.estate.models import Instance
from brokerui.estate.selectors import estate_current
from routing.model.estate import Estate
from routing.model.object_changes import ObjectChange, ObjectChanges, ObjectKey, objects_changed
from routing.tsql.change_checks import END, START, check_after, check_before

_KNOWN_LATER = ("broker_instance", "transmission_queue", "conversation_endpoints")
"""Settings of a new database that only its server knows."""


class ServerState(StrEnum):
    """Whether a server has the change."""

    PLANNED = "planned"
    """The draft was not applied yet."""
    LIVE = "live"
    """A hosted instance, which follows the live estate."""
    TO_BE_RUN = "to be run"
    """An observed instance that was not imported since."""
    SEEN = "seen"
    """The import since then has all of the change."""
    DIFFERS = "differs"
    """The import since then lacks some of it, or has something else."""


@dataclass(frozen=True, slots=True)
class ServerStep:
    """The step of one server."""

    instance: str
    is_hosted: bool
    script: str
    """The statements alone. Empty for an instance that the draft drops: nothing is to be run there."""
    sql: str
    """The statements with a check before and a check after them."""
    objects: int
    """Number of objects that change there."""
    state: ServerState
    imported_at: datetime | None
    """Of the import that `state` is about."""


@dataclass(frozen=True, slots=True)
class _Server:
    """An instance with what the draft changes of it."""

    name: str
    changes: ObjectChanges
    before: Estate
    after: Estate


def deployment(draft: SavedDraft, at: datetime) -> list[ServerStep]:
    """Return a step for each instance that the draft changes, in the order in which to run them.

    Servers that only gain objects come first, those that only lose some come last: a route never leads to a service
    that is not there yet. `at` is the moment for the lifetimes of routes.
    """
    before, after = draft_base(draft).estate, draft_estate(draft).estate
    by_instance: dict[str, dict[ObjectKey, ObjectChange]] = {}
    for key, change in objects_changed(before, after).items():
        if key.instance:
            by_instance.setdefault(key.instance, {})[key] = change
    rows = _rows(by_instance)
    steps = sorted(by_instance.items(), key=lambda item: _rank(item[1]))
    servers = [_Server(name, changes, before, after) for name, changes in steps]
    return [_step(draft, server, rows.get(server.name), at) for server in servers]


def _rows(names: Mapping[str, object]) -> dict[str, Instance]:
    return {row.name: row for row in Instance.objects.filter(name__in=list(names))}


def _rank(changes: ObjectChanges) -> int:
    """Return 0 where objects are only added, 1 where some are altered, 2 where they are only dropped."""
    if all(change.before is None for change in changes.values()):
        return 0
    return 2 if all(change.after is None for change in changes.values()) else 1


def _step(draft: SavedDraft, server: _Server, row: Instance | None, at: datetime) -> ServerStep:
    is_hosted, imported_at = (row.hosted, row.imported_at) if row else (False, None)
    state = ServerState.LIVE if is_hosted and draft.applied else _state(draft, server, imported_at)
    script = _script(server, at)
    sql = _checked(server, script)
    return ServerStep(server.name, is_hosted, script, sql, len(server.changes), state, imported_at)


def _script(server: _Server, at: datetime) -> str:
    """Return the statements for a server; the hop limit, which is of the whole estate, is none of them."""
    if server.name not in server.after.instances:
        return ""
    after = replace(server.after, hop_limit=server.before.hop_limit)
    return instance_script(server.before, after, server.name, at)


def _checked(server: _Server, script: str) -> str:
    before, after = check_before(server.changes), check_after(server.changes)
    return "\n".join(part for part in (START, before, script, after, END) if part) if script else ""


def _state(draft: SavedDraft, server: _Server, imported_at: datetime | None) -> ServerState:
    if draft.applied is None:
        return ServerState.PLANNED
    if imported_at is None or imported_at <= draft.applied.created_at:
        return ServerState.TO_BE_RUN
    return ServerState.SEEN if _has_all(estate_current().estate, server) else ServerState.DIFFERS


def _has_all(live: Estate, server: _Server) -> bool:
    """Return whether the live estate has each object of the change as the draft has it."""
    apart = objects_changed(_only(live, server.name), _only(server.after, server.name))
    known = [key for key in apart if key.kind not in _KNOWN_LATER]
    return not any(_is_of(key, server.changes) or _is_of(key, apart, own=False) for key in known)


def _is_of(key: ObjectKey, changes: ObjectChanges, *, own: bool = True) -> bool:
    """Return whether an object, or the database or instance that holds it, is among the changes."""
    return (own and key in changes) or any(owner in changes for owner in key.owners)


def _only(estate: Estate, name: str) -> Estate:
    return Estate({name: estate.instances[name]}) if name in estate.instances else Estate()
