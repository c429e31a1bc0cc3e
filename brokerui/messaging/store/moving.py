"""The whole content of a database: exchanged between two instances, or dropped, a statement for each table.

Takes an exclusive lock on the instances until the transaction ends. Claims that began earlier, where the database
cannot keep them out, and brokers with an older version of the estate fail at their commit: `least_version`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

from django.db import OperationalError, connection
from django.db.models import F

from brokerui.messaging.errors import BusyError
from brokerui.messaging.models import HostedInstance
from brokerui.messaging.store.numbers import queue_number
from brokerui.messaging.store.postgres import INSTANCES

PATIENCE: Final = "10s"
"""How long to wait for applications that have received, or sent, and not committed yet."""
NOBODY: Final = -1
"""The instance of rows that are on their way; none has this number."""

_OF_HANDLES: Final = ("retained_messages", "transmission_queue", "held_fragments", "transmission_objects")
_OF_DATABASE: Final = ("route_requests", "conversation_groups", "conversation_endpoints")
_MINE: Final = "instance_id = %(instance)s AND database = %(database)s"
_HANDLES: Final = (
    "instance_id = %(instance)s AND conversation_handle IN"
    f" (SELECT conversation_handle FROM conversation_endpoints WHERE {_MINE})"
)
_QUEUES: Final = f"SELECT DISTINCT queue FROM queue_counters WHERE {_MINE}"
_OF_QUEUE: Final = "queue_number = %(number)s AND instance_id = %(instance)s"


@contextmanager
def alone_in(instances: Sequence[int]) -> Iterator[None]:
    """Lock these instances in the caller's transaction: no claim begins until it ends.

    Raises `BusyError` where an application goes on for too long.
    """
    if connection.vendor == "postgresql":  # on SQLite only one transaction writes at a time
        with connection.cursor() as cursor:
            cursor.execute(f"SET LOCAL lock_timeout = '{PATIENCE}'")
            try:
                for instance in sorted(instances):
                    cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [INSTANCES, instance])
            except OperationalError as error:
                raise BusyError from error
            cursor.execute("SET LOCAL lock_timeout = DEFAULT")
    yield


def exchange(database: str, one: int, other: int) -> None:
    """Exchange the contents of two instances in a database."""
    if _is_empty(database, other):
        _move(database, one, other)
    elif _is_empty(database, one):
        _move(database, other, one)
    else:
        for source, target in ((one, NOBODY), (other, one), (NOBODY, other)):
            _move(database, source, target)


def drop(database: str, instance: int) -> None:
    """All conversations of a database, with all their messages."""
    mine = {"instance": instance, "database": database}
    for table in _OF_HANDLES:
        _run(f"DELETE FROM {table} WHERE {_HANDLES}", mine)
    for (queue,) in _rows(_QUEUES, mine):
        number = {"number": queue_number(instance, (database, queue))}
        _run(f"DELETE FROM queue_messages WHERE {_OF_QUEUE}", mine | number)
    for table in ("queue_counters", *_OF_DATABASE):
        _run(f"DELETE FROM {table} WHERE {_MINE}", mine)


def not_before(version: int, instances: Sequence[int]) -> None:
    """Raise the least estate version of these instances: a claim with an older version fails at its commit."""
    rows = HostedInstance.objects.filter(id__in=instances)
    rows.update(known=F("known") + 1, least_version=version)


def _is_empty(database: str, instance: int) -> bool:
    mine = {"instance": instance, "database": database}
    tables = ("queue_counters", "queue_states", *_OF_DATABASE)
    return not any(_rows(f"SELECT 1 FROM {table} WHERE {_MINE} LIMIT 1", mine) for table in tables)


def _move(database: str, source: int, target: int) -> None:
    mine = {"instance": source, "database": database, "target": target}
    for table in _OF_HANDLES:
        _run(f"UPDATE {table} SET instance_id = %(target)s WHERE {_HANDLES}", mine)
    for (queue,) in _rows(_QUEUES, mine):
        numbers = {"number": queue_number(source, (database, queue)), "new": queue_number(target, (database, queue))}
        for table in ("queue_messages", "queue_counters"):
            changed = f"UPDATE {table} SET instance_id = %(target)s, queue_number = %(new)s"
            _run(f"{changed} WHERE {_OF_QUEUE}", mine | numbers)
    for table in ("queue_states", *_OF_DATABASE):
        _run(f"UPDATE {table} SET instance_id = %(target)s WHERE {_MINE}", mine)
    _move_leases(mine)


def _move_leases(mine: dict[str, Any]) -> None:
    """Move leases with their messages. One that is being settled stays, and that is refused: its transaction waits
    until this one has ended, so this one must not wait for it."""
    others = " FOR UPDATE SKIP LOCKED" if connection.features.has_select_for_update_skip_locked else ""
    free = f"SELECT receipt FROM receive_leases WHERE {_MINE}{others}"
    _run(f"UPDATE receive_leases SET instance_id = %(target)s WHERE receipt IN ({free})", mine)


def _run(sql: str, parameters: dict[str, Any]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)


def _rows(sql: str, parameters: dict[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())
