"""State of an instance that every claim reads: queues that are off, rollbacks, route requests, mirrored routes.

It changes seldom. Each change counts up `hosted_instances.known`, and it is read again when that number is another. So
does a change of the instance's keys (`brokerui.messaging.keys`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from brokerui.estate.selectors import LIVE_VERSION
from brokerui.messaging.store.session import Answer, Row, Session
from routing.common.event_subclasses import MirroredRouteSubclass
from routing.dialog.batch import ChangeSet, RouteRequestKey
from routing.dialog.endpoint import QueueKey
from routing.mirror.state_machine import MirroredRoute, MirroredRouteKey
from routing.runtime.store import Conflict

Kinds = Mapping[str, str]
"""Types of columns by their names."""

NUMBER: Final = f"SELECT known, coalesce(({LIVE_VERSION}), 0) FROM hosted_instances WHERE id = {{instance}}"
_QUEUE: Final = {"database": "text", "name": "text"}
_IS_ON: Final = {"is_receive_enabled": "bool"}
_ROLLBACKS: Final = {"rollbacks": "int2"}
_ASKED: Final = {"database": "text", "service": "text"}
_IN: Final = {"conversation_handle": "text"}
_KEY: Final = {"address": "text", "mirror_address": "text", "service": "text", "identifier": "text"}
_STATE: Final = {
    "phase": "text",
    "principal": "int2",
    "heard": "text",
    "heard_mirror": "text",
    "question": "text",
    "question_mirror": "text",
    "rounds": "int4",
    "due": "int8",
    "claimed_at": "int8",
    "shown": "int2",
}


class InstanceState(NamedTuple):
    """As of a number."""

    number: int
    live_version: int
    """The current version of the estate."""
    least_version: int
    """The lowest version of the estate that may claim: see `moving`."""
    off: frozenset[QueueKey]
    rollbacks: Mapping[QueueKey, int]
    requests: Mapping[RouteRequestKey, str]
    mirrored: Mapping[MirroredRouteKey, MirroredRoute]


def ask(session: Session, instance: int) -> Answer:
    """A claim begins: for `known_as_of`."""
    return session.begin(NUMBER.format(instance=instance))


def look(session: Session, instance: int, last: InstanceState | None) -> InstanceState | None:
    """The state of the instance now, later in a claim."""
    return known_as_of(session.rows(NUMBER.format(instance=instance), {}), session, instance, last)


def known_as_of(
    found: Sequence[Row], session: Session, instance: int, last: InstanceState | None
) -> InstanceState | None:
    """The state of the instance now; `last` where nothing has changed; None where it is not hosted."""
    if not found:
        return None
    (number, live_version), *_ = found
    known = last if last is not None and last.number == number else _read(session, instance, number)
    return known if known.live_version == live_version else known._replace(live_version=live_version)


def _read(session: Session, instance: int, number: int) -> InstanceState:
    """Read the state. It may be newer than `number`; then it is read once more than needed."""
    mine = {"instance": instance}
    off = "SELECT database, name FROM queue_states WHERE instance_id = %(instance)s AND NOT is_receive_enabled"
    counts = "SELECT database, name, rollbacks FROM queue_states WHERE instance_id = %(instance)s AND rollbacks > 0"
    query = "SELECT database, service, conversation_handle FROM route_requests WHERE instance_id = %(instance)s"
    routes = f"SELECT {', '.join((*_KEY, *_STATE))} FROM mirrored_routes WHERE instance_id = %(instance)s"
    least = "SELECT least_version FROM hosted_instances WHERE id = %(instance)s"
    return InstanceState(
        number,
        0,
        session.rows(least, mine)[0][0],
        frozenset((database, name) for database, name in session.rows(off, mine)),
        {(database, name): count for database, name, count in session.rows(counts, mine)},
        {(database, service): handle for database, service, handle in session.rows(query, mine)},
        {route.key: route for route in map(_route, session.rows(routes, mine))},
    )


def _route(row: Row) -> MirroredRoute:
    address, mirror, service, identifier, phase, principal, *both, rounds, due, claimed_at, shown = row
    return MirroredRoute(
        MirroredRouteKey(address, mirror, service, identifier or None),
        phase,
        principal,
        (both[0], both[1]),
        (both[2], both[3]),
        rounds,
        due,
        claimed_at,
        None if shown is None else MirroredRouteSubclass(shown),
    )


def _key(key: MirroredRouteKey) -> Row:
    return (*key[:3], key.identifier or "")


def _row(route: MirroredRoute) -> Row:
    shown = None if route.shown is None else int(route.shown)
    query = (*route.heard, *route.questions)
    return (*_key(route.key), route.phase, route.principal, *query, route.rounds, route.due, route.claimed_at, shown)


# ---------------------------------------------------------------- writing


def write(session: Session, instance: int, changes: ChangeSet) -> None:
    """Read the state again. Raises `Conflict` where another transaction has requested the same route."""
    if not (changes.mirrored or changes.requests or changes.queues or changes.rollbacks):
        return
    table = _Tables(session, instance)
    # First, so that two transactions that write wait for each other here and nowhere else.
    session.run("UPDATE hosted_instances SET known = known + 1 WHERE id = %(instance)s", {"instance": instance})
    table.put("queue_states", _QUEUE, _IS_ON, [(*queue, is_on) for queue, is_on in changes.queues.items()])
    table.put("queue_states", _QUEUE, _ROLLBACKS, [(*queue, count) for queue, count in changes.rollbacks.items()])
    table.put("mirrored_routes", _KEY, _STATE, [_row(route) for route in changes.mirrored.values() if route])
    table.end("mirrored_routes", _KEY, [_key(key) for key, route in changes.mirrored.items() if not route])
    table.end("route_requests", _ASKED, [query for query, handle in changes.requests.items() if handle is None])
    new = [(*query, handle) for query, handle in changes.requests.items() if handle is not None]
    same = " WHERE route_requests.conversation_handle = excluded.conversation_handle"
    if len(table.put("route_requests", _ASKED, _IN, new, same)) < len(new):
        raise Conflict("a route was asked for by another")


class _Tables(NamedTuple):
    """Rows by their key."""

    session: Session
    instance: int

    def put(self, table: str, key: Kinds, values: Kinds, rows: Sequence[Row], where: str = "") -> list[Row]:
        """Rows that are new, or take the place of old ones, of those that are as `where` says; one for each."""
        if not rows:
            return []
        given = self.session.given(rows, **key, **values)
        columns = ", ".join((*key, *values))
        return self.session.rows(
            f"INSERT INTO {table} (instance_id, {columns}) SELECT %(instance)s, {columns} FROM {given.sql} WHERE true"
            f" ON CONFLICT (instance_id, {', '.join(key)}) DO UPDATE SET"
            f" {', '.join(f'{name} = excluded.{name}' for name in values)}{where} RETURNING 1",
            {"instance": self.instance, **given.parameters},
        )

    def end(self, table: str, key: Kinds, rows: Sequence[Row]) -> None:
        """Rows go."""
        if rows:
            given = self.session.given(rows, **key)
            names = ", ".join(f"given.{name}" for name in key)
            sql = (
                f"DELETE FROM {table} WHERE instance_id = %(instance)s"
                f" AND ({', '.join(key)}) IN (SELECT {names} FROM {given.sql})"
            )
            self.session.run(sql, {"instance": self.instance, **given.parameters})
