"""The steps of each server for a draft: T-SQL to run, in a safe order, and whether an import has shown it.

A hosted instance follows the live estate at once. An observed one is a SQL Server, which no version of the estate
changes: an administrator runs the T-SQL there, and the next import of the instance shows whether it did.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from brokerui.changes.edit_sql import instance_script
from brokerui.changes.models import SavedDraft
from brokerui.changes.selectors import draft_base, draft_estate
from brokerui.core.cache import LruCache
from brokerui.estate.models import Instance
from brokerui.estate.selectors import LiveEstate, estate_as_of, estate_current
from routing.diff.step_order import NO_HARM, Harm, Step, step_order
from routing.model.estate import Estate
from routing.model.object_changes import ObjectChange, ObjectChanges, ObjectKey, objects_changed
from routing.tsql.change_checks import END, START, check_after, check_before

_KNOWN_LATER = ("broker_instance", "transmission_queue", "conversation_endpoints")
"""Settings of a new database that only its server knows."""
MOST_STEPS: Final = 8
MOST_DATABASES: Final = 500
"""The order of more steps, or in a larger estate, is not tried out: a page waits for it."""
Harms = tuple[Harm | None, ...]
_orders: LruCache[list[tuple[Step, Harms]]] = LruCache(16)


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
    harm: Harm | None
    """The conversations that are worse until the next step than before and after all of them; None: not tried."""


@dataclass(frozen=True, slots=True)
class _Server:
    """An instance with what the draft changes of it."""

    name: str
    changes: ObjectChanges
    before: Estate
    after: Estate


def deployment(draft: SavedDraft, at: datetime) -> list[ServerStep]:
    """Return a step for each instance that the draft changes, in the order in which to run them; of a draft that was
    rolled back the steps that take it back.

    It is the order in which the fewest conversations get worse for a moment: none wherever there is such an order. Of
    equal ones, servers that only gain objects come first, those that only lose some come last. Hosted instances follow
    the live estate together. `at` is the moment for the lifetimes of routes.
    """
    base, made = _both(draft)
    before, after = base.estate, made.estate
    by_instance: dict[str, dict[ObjectKey, ObjectChange]] = {}
    for key, change in objects_changed(before, after).items():
        if key.instance:
            by_instance.setdefault(key.instance, {})[key] = change
    rows = _rows(by_instance)
    ranked = sorted(by_instance, key=lambda name: _rank(by_instance[name]))
    given = _at_once(ranked, {name for name in ranked if name in rows and rows[name].hosted})
    same = base.digest, made.digest, tuple(given), at.replace(second=0, microsecond=0)
    steps = _orders.get_or_make(same, lambda: _ordered(before, after, given, at))
    return [
        _step(draft, _Server(name, by_instance[name], before, after), rows.get(name), at, harm)
        for step, harms in steps
        for name, harm in zip(step, harms, strict=True)
    ]


def _both(draft: SavedDraft) -> tuple[LiveEstate, LiveEstate]:
    """Return the estates between which the steps lead."""
    if draft.rolled_back is None:
        return draft_base(draft), draft_estate(draft)
    number = draft.rolled_back.number
    return estate_as_of(version=number - 1), estate_as_of(version=number)


def _at_once(ranked: Sequence[str], hosted: Container[str]) -> list[Step]:
    """Return the steps: the hosted instances are one, at the place of the first of them."""
    together = tuple(name for name in ranked if name in hosted)
    return [together if name in hosted else (name,) for name in ranked if name not in together[1:]]


def _ordered(before: Estate, after: Estate, given: Sequence[Step], at: datetime) -> list[tuple[Step, Harms]]:
    """Return the steps in the safest order, and for each of their instances what suffers from then on."""
    databases = sum(len(one.databases) for one in before.instances.values())
    is_tried = len(given) <= MOST_STEPS and databases <= MOST_DATABASES
    order = step_order(before, after, given, at) if is_tried else None
    if order is None:
        return [(step, (None,) * len(step)) for step in given]
    return [(one.instances, (*(NO_HARM,) * (len(one.instances) - 1), one.harm)) for one in order]


def forget_orders() -> None:
    """Forget the orders that were tried out."""
    _orders.clear()


def _rows(names: Mapping[str, object]) -> dict[str, Instance]:
    return {row.name: row for row in Instance.objects.filter(name__in=list(names))}


def _rank(changes: ObjectChanges) -> int:
    """Return 0 where objects are only added, 1 where some are altered, 2 where they are only dropped."""
    if all(change.before is None for change in changes.values()):
        return 0
    return 2 if all(change.after is None for change in changes.values()) else 1


def _step(draft: SavedDraft, server: _Server, row: Instance | None, at: datetime, harm: Harm | None) -> ServerStep:
    is_hosted, imported_at = (row.hosted, row.imported_at) if row else (False, None)
    state = ServerState.LIVE if is_hosted and draft.applied else _state(draft, server, imported_at)
    script = _script(server, at)
    sql = _checked(server, script)
    return ServerStep(server.name, is_hosted, script, sql, len(server.changes), state, imported_at, harm)


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
    if imported_at is None or imported_at <= (draft.rolled_back or draft.applied).created_at:
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
