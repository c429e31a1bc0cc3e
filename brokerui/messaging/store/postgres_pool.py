"""Connections of a process to PostgreSQL for the claims of workers and verbs that are in no caller's transaction."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

if TYPE_CHECKING:
    from brokerui.messaging.store.postgres_statements import SessionStatements

# Plans that are right for any number of rows, since they are kept: the tables are empty one minute and full the next.
# Each join begins with the given values.
PLANS: Final = {
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "enable_material": "off",
    "jit": "off",
}
OPTIONS: Final = " ".join(
    f"-c {name}={value}" for name, value in (("default_transaction_isolation", "read\\ committed"), *PLANS.items())
)
IDLE: Final = 8
"""Connections that are kept for the next claim."""


def pool_of(alias: str) -> Pool:
    """The process has one for each database."""
    known = _pools.get(alias)
    return _pools.setdefault(alias, Pool(alias)) if known is None else known


class Pool:
    """Connections of a process to the database of Django's alias, for claims that are not in a caller's transaction.
    Each is lent with what sends its statements, and comes back without an open transaction."""

    def __init__(self, alias: str) -> None:
        self._alias = alias
        self._idle: list[SessionStatements] = []
        self._process = os.getpid()
        self.losses = 0
        """Connections that the server has ended."""

    @property
    def database(self) -> BaseDatabaseWrapper:
        return connections[self._alias]

    def take(self) -> SessionStatements:
        if self._process != os.getpid():  # what a fork has copied belongs to its parent
            self._idle, self._process = [], os.getpid()
        while self._idle:
            lent = self._idle.pop()
            if lent.is_alive():
                return lent
            self._lose(lent)
        return self._connect()

    def _lose(self, lent: SessionStatements) -> None:
        self.losses += 1
        lent.connection.close()

    def _connect(self) -> SessionStatements:
        import psycopg  # noqa: PLC0415 - a program on SQLite starts without it

        from brokerui.messaging.store.postgres_statements import SessionStatements  # noqa: PLC0415 - it imports psycopg

        given = {
            key: value
            for key, value in self.database.get_connection_params().items()
            if key not in {"context", "cursor_factory", "prepare_threshold"}
        }
        given["options"] = f"{given.get('options', '')} {OPTIONS}".strip()
        with self.database.wrap_database_errors:
            return SessionStatements(psycopg.connect(**given, autocommit=True, prepare_threshold=None))

    def put(self, lent: SessionStatements) -> None:
        if lent.connection.closed:
            self._lose(lent)
        elif len(self._idle) >= IDLE:
            lent.connection.close()
        else:
            self._idle.append(lent)

    def close(self) -> None:
        while self._idle:
            self._idle.pop().connection.close()


_pools: dict[str, Pool] = {}
