"""A claim on PostgreSQL: a transaction. Its locks are advisory ones, which end with it, however it ends.

They need no row, so they hold conversations that are not there yet; and try-locks never wait, so nothing deadlocks.
Rows are read by a statement after the one that locks: a statement sees the commits until its own beginning.
"""

from __future__ import annotations

import os
import select
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Final

import psycopg
from django.db import DatabaseError, IntegrityError, OperationalError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from brokerui.messaging.store.session import CONVERSATION, GROUP, Answer, Row, RowsAsTable, Session
from brokerui.messaging.store.tables import WrittenTable
from routing.runtime.store import Conflict

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
# Something to be written, as small as possible: a commit without it waits for nothing.
_HARDEN: Final = "SELECT pg_logical_emit_message(true, 'brokerui', '')"
_CURRENT = ", ".join(f"current_setting('{name}') AS {name}" for name in PLANS)
_SET = ", ".join(f"set_config('{name}', '{value}', true)" for name, value in PLANS.items())
# OFFSET keeps the two apart: what they were is read first.
_PLANNED: Final = f"SELECT before.*, {_SET} FROM (SELECT {_CURRENT} OFFSET 0) AS before"
_AS_BEFORE: Final = "SELECT " + ", ".join(f"set_config('{name}', %({name})s, true)" for name in PLANS)
_TAKEN: Final = "brokerui.taken"
"""A setting of the transaction: the keys that a statement took, for those that travel with it."""
_ORDERS: Final = (
    "SELECT nextval(pg_get_serial_sequence('queue_messages', 'queuing_order')) FROM generate_series(1, %(count)s::int8)"
)
IDLE: Final = 8
"""Connections that are kept for the next claim."""
FEW: Final = 10
"""Rows that are not worth a COPY."""
DUPLICATE: Final = "23505"
OTHERS_WERE_FASTER: Final = (DUPLICATE, "40001", "40P01")
"""Unique violation, serialization failure, deadlock."""

INSTANCES: Final = 1
"""The kind of the locks that whole instances are held by. They have two numbers, and are apart from all others."""
_SHARED = f"SELECT pg_advisory_xact_lock_shared({INSTANCES}, {{instance}})"
_LOCK = "pg_try_advisory_xact_lock(hashtextextended({key}, %({seed})s))"
_NOT_TEXT = {"int2", "int4", "int8", "bool"}


class PostgresSession(Session):
    """Within an open transaction of a connection."""

    holds_still = True
    row = "ctid"
    at_most = "LIMIT %(top)s::int8"

    def __init__(self, database: BaseDatabaseWrapper, connection: psycopg.Connection[Row], instance: int) -> None:
        self._wrapped = database.wrap_database_errors
        self._cursor = psycopg.Cursor(connection)
        self._connection = connection
        self._instance = instance
        self._together = ExitStack()
        """While it is open, statements travel together."""

    def _seed(self, kind: int) -> int:
        """Kinds of locks, and those of each instance, are apart."""
        return self._instance * 2 + kind

    @contextmanager
    def together(self) -> Iterator[None]:
        with self._wrapped, self._connection.pipeline():
            yield

    def lock(self, kind: int, keys: Sequence[str]) -> Answer:
        lock = _LOCK.format(key="given.key", seed="seed")
        sql = f"SELECT {lock} FROM unnest(%(keys)s::text[]) WITH ORDINALITY AS given(key, place) ORDER BY place"
        return self.ask(sql, {"seed": self._seed(kind), "keys": list(keys)})

    def lock_named(self, sql: str, parameters: Mapping[str, Any]) -> Answer:
        group = _LOCK.format(key="found.conversation_group_id", seed="group_seed")
        one = _LOCK.format(key="found.conversation_id", seed="conversation_seed")
        # OFFSET keeps each lock from being asked for twice, or before its row is found.
        taken = (
            f"SELECT found.*, mine.has_group, CASE WHEN mine.has_group THEN {one} ELSE false END"
            f" FROM ({sql} OFFSET 0) AS found CROSS JOIN LATERAL (SELECT {group} AS has_group OFFSET 0) AS mine"
        )
        seeds = {"group_seed": self._seed(GROUP), "conversation_seed": self._seed(CONVERSATION)}
        return self.ask(taken, {**parameters, **seeds})

    def take(self, kind: int, sql: str, parameters: Mapping[str, Any], limit: int) -> Answer:
        # OFFSET keeps the condition out of the query: it is asked in the query's order, and no more than needed.
        lock = _LOCK.format(key="found.key", seed="seed")
        taken = f"SELECT * FROM ({sql} OFFSET 0) AS found WHERE {lock} LIMIT %(limit)s"
        noted = f"SELECT taken.*, set_config('{_TAKEN}', string_agg(key, ' ') OVER (), true) FROM ({taken}) AS taken"
        return self.ask(noted, {**parameters, "seed": self._seed(kind), "limit": limit})

    def taken(self) -> RowsAsTable:
        return RowsAsTable(f"= ANY(string_to_array(current_setting('{_TAKEN}', true), ' '))", {})

    def free(self, kind: int, sql: str, parameters: Mapping[str, Any]) -> list[Row]:
        rows = self.rows(sql, parameters)
        held = (
            "SELECT hashtextextended(key, %(seed)s) IN (SELECT classid::bigint << 32 | objid::bigint FROM pg_locks"
            " WHERE locktype = 'advisory' AND objsubid = 1 AND granted AND pid <> pg_backend_pid()"
            " AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))"
            " FROM unnest(%(keys)s::text[]) WITH ORDINALITY AS given(key, place) ORDER BY place"
        )
        taken = self.rows(held, {"seed": self._seed(kind), "keys": [row[0] for row in rows]})
        return [row for row, (is_taken,) in zip(rows, taken, strict=True) if not is_taken]

    def ask(self, sql: str, parameters: Mapping[str, Any]) -> Answer:
        cursor = psycopg.Cursor(self._connection)
        with self._wrapped:
            return cursor.execute(sql, parameters, binary=True).fetchall

    def rows(self, sql: str, parameters: Mapping[str, Any]) -> list[Row]:
        with self._wrapped:
            return self._cursor.execute(sql, parameters, binary=True).fetchall()

    def run(self, sql: str, parameters: Mapping[str, Any]) -> None:
        with self._wrapped:
            self._cursor.execute(sql, parameters)

    def insert(self, table: WrittenTable, rows: Sequence[Row]) -> None:
        if len(rows) <= FEW:
            self._insert_few(table, rows)
            return
        sql = f"COPY {table.name} ({table.listed}) FROM STDIN (FORMAT BINARY)"
        self._together.close()  # it travels alone
        with self._wrapped, self._cursor.copy(sql) as copy:
            copy.set_types(table.kinds)
            for row in rows:
                copy.write_row(row)

    def _insert_few(self, table: WrittenTable, rows: Sequence[Row]) -> None:
        """One way there and back, where COPY takes three."""
        given = self.given(rows, **dict(zip(table.columns, table.kinds, strict=True)))
        sql = f"INSERT INTO {table.name} ({table.listed}) SELECT * FROM {given.sql}"
        with self._wrapped:
            self._cursor.execute(sql, given.parameters)

    def update(self, table: WrittenTable, keys: int, columns: Sequence[str], rows: Sequence[Row]) -> None:
        names = (*table.columns[:keys], *columns)
        kinds = dict(zip(table.columns, table.kinds, strict=True))
        given = self.given(rows, **{name: kinds[name] for name in names})
        values = ", ".join(f"{name} = given.{name}" for name in columns)
        same = " AND ".join(f"{table.name}.{name} = given.{name}" for name in names[:keys])
        self.run(f"UPDATE {table.name} SET {values} FROM {given.sql} WHERE {same}", given.parameters)

    @contextmanager
    def _travelling(self) -> Iterator[None]:
        """Send statements without waiting for each other, as long as no result is read. An error of one is raised at
        the end at the latest."""
        with self._wrapped, self._together:
            self._together.enter_context(self._connection.pipeline())
            yield

    def next_orders(self, count: int) -> list[int]:
        return [order for (order,) in self.rows(_ORDERS, {"count": count})]

    def of_rows(self, sql: str) -> str:
        return f"= ANY(ARRAY({sql}))"

    def among(self, keys: Iterable[str]) -> RowsAsTable:
        return RowsAsTable("= ANY(%(among)s::text[])", {"among": list(keys)})

    def given(self, rows: Sequence[Row], **kinds: str) -> RowsAsTable:
        columns = zip(*rows, strict=True) if rows else ((),) * len(kinds)
        arrays = ", ".join(f"%(given_{name})s::{kind}[]" for name, kind in kinds.items())
        values = {
            f"given_{name}": _literal(column) if kind in _NOT_TEXT else _texts(column, kind)
            for column, (name, kind) in zip(columns, kinds.items(), strict=True)
        }
        return RowsAsTable(f"unnest({arrays}) AS given({', '.join(kinds)})", values)

    def firsts(self, table: WrittenTable, condition: str, order: str) -> str:
        found = f"SELECT row.ctid, * FROM {table.name} AS row WHERE {condition} ORDER BY {order} {self.at_most}"
        return f"CROSS JOIN LATERAL ({found}) AS found"


def _literal(column: Sequence[int | bool | None]) -> str:
    """Numbers as PostgreSQL writes an array of them: Python writes such a list at once, and a driver one by one."""
    return f"{{{str(list(column))[1:-1].replace('None', 'NULL')}}}"


def _texts(column: Sequence[Any], kind: str) -> list[Any]:
    """Texts, and bodies, which may be parts of something larger."""
    return [None if one is None else bytes(one) for one in column] if kind == "bytea" else list(column)


class OwnSession(PostgresSession):
    """A transaction on a connection of our own."""

    def __init__(self, pool: Pool, instance: int) -> None:
        self._pool = pool
        super().__init__(pool.database, pool.take(), instance)
        self._is_open = False
        self._end = "COMMIT"
        """Where nothing was written: after ROLLBACK the driver would forget all statements that it has prepared."""

    @contextmanager
    def reading(self) -> Iterator[None]:
        try:
            yield
        except OperationalError as error:
            self._check_open(error)
            _check_conflict(error)
            raise

    def begin(self, sql: str) -> Answer:
        self._is_open = True
        self.run("BEGIN", {})
        self.run(_SHARED.format(instance=self._instance), {})
        return self.ask(sql, {})

    @property
    def losses(self) -> int:
        return self._pool.losses

    def flush(self) -> None:
        with self.reading():
            self.run(_HARDEN, {})

    @contextmanager
    def writing(self, *, is_async_commit: bool) -> Iterator[None]:
        self._end = "ROLLBACK"
        self._check_open()
        with _raising_conflicts(), self._travelling():
            yield
            if is_async_commit:
                self.run("SET LOCAL synchronous_commit = off", {})
            # With the rest: if the connection breaks from here on, it is not known whether it was committed.
            self.run("COMMIT", {})
        self._is_open = False

    def _check_open(self, error: OperationalError | None = None) -> None:
        """The locks ended with the connection, and nothing was written."""
        if not is_alive(self._connection):
            raise Conflict("the claim has ended with its connection to the database") from error

    def close(self) -> None:
        if self._is_open and not self._connection.closed:
            with suppress(psycopg.Error):
                self._cursor.execute(self._end)
        self._pool.put(self._connection)


class CallersSession(PostgresSession):
    """Within the transaction that the caller has opened, and ends: locks and changes live as long as that one.

    After a conflict the caller has to roll back, to a savepoint of its own at least.
    """

    def __init__(self, database: BaseDatabaseWrapper, instance: int) -> None:
        database.ensure_connection()
        # Statements whose parameters the server binds are prepared: ours, and none of Django's.
        database.connection.prepare_threshold = 1
        super().__init__(database, database.connection, instance)
        self._before: Answer | None = None
        """For the caller's settings, while others hold for our statements."""

    @contextmanager
    def reading(self) -> Iterator[None]:
        yield

    def begin(self, sql: str) -> Answer:
        self._before = self.ask(_PLANNED, {})
        self.run(_SHARED.format(instance=self._instance), {})
        return self.ask(sql, {})

    losses = 0

    def flush(self) -> None:
        """The caller's commit does."""

    @contextmanager
    def writing(self, *, is_async_commit: bool) -> Iterator[None]:
        with _raising_conflicts(), self._travelling():
            yield
            self._restore()

    def _restore(self) -> None:
        if self._before is not None:
            (settings,), self._before = self._before(), None
            self.run(_AS_BEFORE, dict(zip(PLANS, settings, strict=False)))

    def close(self) -> None:
        """The transaction goes on, and the locks with it."""
        with suppress(DatabaseError):  # it is broken, and what holds in it ends with it
            self._restore()


@contextmanager
def _raising_conflicts() -> Iterator[None]:
    """A conflict with what others have committed is raised as one; anything else stays what it is."""
    try:
        yield
    except (OperationalError, IntegrityError) as error:
        _check_conflict(error)
        raise


def _check_conflict(error: OperationalError | IntegrityError) -> None:
    if getattr(error.__cause__, "sqlstate", None) in OTHERS_WERE_FASTER:
        raise Conflict(str(error)) from error


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
        given = {
            key: value
            for key, value in self.database.get_connection_params().items()
            if key not in {"context", "cursor_factory", "prepare_threshold"}
        }
        given["options"] = f"{given.get('options', '')} {OPTIONS}".strip()
        with self.database.wrap_database_errors:
            return psycopg.connect(**given, autocommit=True, prepare_threshold=1)

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
