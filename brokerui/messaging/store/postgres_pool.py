"""Connections of a process to PostgreSQL for the claims of workers and verbs that are in no caller's transaction."""

from __future__ import annotations

import os
import select
from typing import TYPE_CHECKING, Final

from django.db import connections
from django.db.backends.base.base import BaseDatabaseWrapper

from brokerui.messaging.store.session import Row

if TYPE_CHECKING:
    import psycopg

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
    return _pools.setdefault(alias, Pool(alias))


class Pool:
    """Connections of a process to the database of Django's alias, for claims that are not in a caller's transaction."""

    def __init__(self, alias: str) -> None:
        self._alias = alias
        self._idle: list[psycopg.Connection[Row]] = []
        self._process = os.getpid()
        self.losses = 0
        """Connections that the server has ended."""

    @property
    def database(self) -> BaseDatabaseWrapper:
        return connections[self._alias]

    def take(self) -> psycopg.Connection[Row]:
        if self._process != os.getpid():  # what a fork has copied belongs to its parent
            self._idle, self._process = [], os.getpid()
        while self._idle:
            connection = self._idle.pop()
            if is_alive(connection):
                return connection
            self._lose(connection)
        return self._connect()

    def _lose(self, connection: psycopg.Connection[Row]) -> None:
        self.losses += 1
        connection.close()

    def _connect(self) -> psycopg.Connection[Row]:
        import psycopg  # noqa: PLC0415 - a program on SQLite starts without it

        given = {
            key: value
            for key, value in self.database.get_connection_params().items()
            if key not in {"context", "cursor_factory", "prepare_threshold"}
        }
        given["options"] = f"{given.get('options', '')} {OPTIONS}".strip()
        with self.database.wrap_database_errors:
            return psycopg.connect(**given, autocommit=True, prepare_threshold=None)

    def put(self, connection: psycopg.Connection[Row]) -> None:
        if connection.closed:
            self._lose(connection)
        elif len(self._idle) >= IDLE:
            connection.close()
        else:
            self._idle.append(connection)

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()


def is_alive(connection: psycopg.Connection[Row]) -> bool:
    """Return whether the server has not ended it meanwhile: then there is something to read without a query."""
    return not connection.closed and not select.select([connection.fileno()], [], [], 0)[0]


_pools: dict[str, Pool] = {}
