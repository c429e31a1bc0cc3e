"""The row of a hosted instance, which everything that it holds belongs to. The first use of an instance makes it."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from django.db import DEFAULT_DB_ALIAS, connection

from brokerui.messaging.models import HostedInstance
from brokerui.messaging.store.postgres_pool import pool_of

PATIENCE: Final = "2s"
"""How long to wait for another transaction that makes or deletes the row: it may be the caller's own."""
_INSERT: Final = (
    "INSERT INTO hosted_instances (name, known, least_version, followed_version)"
    " VALUES (%s, 0, 0, 0) ON CONFLICT (name) DO NOTHING"
)


def hosted_row(name: str) -> tuple[HostedInstance, bool]:
    """Return the row of an instance, and whether the transaction of the caller has made it just now, so that a rollback
    takes it away.

    On PostgreSQL a row that the caller's transaction makes would keep every other first use of the instance waiting
    until that transaction ends; it is committed at once, on a connection of its own.
    """
    if connection.vendor == "postgresql" and connection.in_atomic_block and not _known(name):
        _make_apart(name)
    row, is_new = HostedInstance.objects.get_or_create(name=name)
    return row, is_new and connection.in_atomic_block


def _known(name: str) -> bool:
    return HostedInstance.objects.filter(name=name).exists()


def _make_apart(name: str) -> None:
    """Commit the row, unless another transaction has it for longer than `PATIENCE`: then the caller waits as well."""
    from psycopg.errors import LockNotAvailable  # noqa: PLC0415 - a program on SQLite starts without it

    pool = pool_of(DEFAULT_DB_ALIAS)
    lent = pool.take()
    try:
        with connection.wrap_database_errors, suppress(LockNotAvailable), lent.connection.transaction():
            lent.connection.execute("SELECT set_config('lock_timeout', %s, true)", [PATIENCE])
            lent.connection.execute(_INSERT, [name])
    finally:
        pool.put(lent)
