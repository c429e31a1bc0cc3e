"""Statements of the store on PostgreSQL, within a transaction. Its locks are advisory ones, which end with it.

They need no row, so they hold conversations that are not there yet; and try-locks never wait, so nothing deadlocks.
Rows are read by a statement after the one that locks: a statement sees the commits until its own beginning.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cache, lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final

from brokerui.messaging.store.postgres_values import bytes_array, literal_array, text_array
from brokerui.messaging.store.session import CONVERSATION, GROUP, Answer, OneWaySession, Row, RowsAsTable
from brokerui.messaging.store.tables import ENDPOINTS, WrittenTable
from routing.dialog.appended_messages import CHECKED, AppendedMessages, AppendOutcome

if TYPE_CHECKING:
    import psycopg

    from brokerui.messaging.store.postgres_statements import SessionStatements

TAKEN: Final = "brokerui.taken"
"""A setting of the transaction: the keys that a statement took, for those that travel with it."""
_ORDERS: Final = (
    "SELECT nextval(pg_get_serial_sequence('queue_messages', 'queuing_order')) FROM generate_series(1, %(count)s::int8)"
)
FEW: Final = 10
"""Rows that are not worth a COPY."""
INSTANCES: Final = 1
"""The kind of the locks that whole instances are held by. They have two numbers, and are apart from all others."""
_LOCK = "pg_try_advisory_xact_lock(hashtextextended({key}, %({seed})s))"
_REMEMBERED: Final = ("conversation_handle", "conversation_id", "integrity", "key_id", *CHECKED)
_remembered = attrgetter(*_REMEMBERED)
_APPEND: Final = (
    "SELECT * FROM brokerui_append_messages(%(instance)s::int4, %(known)s::int8, %(version)s::int8,"
    " %(conversation_handle)s::text, %(conversation_id)s::text, %(state)s::text, %(send_sequence)s::int8,"
    " %(conversation_group_id)s::text, %(far_broker_instance)s::text, %(kept_route)s::text, %(kept_identifier)s::text,"
    " %(kept_database)s::text, %(integrity)s::int4, %(key_id)b::bytea, %(ready)s::int8, %(attempt)s::int8,"
    " %(window)s::int4, %(at)s::int8, ARRAY[{types}], ARRAY[{bodies}])"
)
"""The function of the migration `0008_may_wait`."""
_ARRAYS: Final[dict[str, Callable[[Sequence[Any]], str | bytes]]] = {"text": text_array, "bytea": bytes_array}
"""Of the kinds of columns that are neither numbers nor truth values."""
COMPARED: Final = 32
"""Endpoints that one UPDATE writes: the server compares each of them with each of the given rows."""


@cache
def _appending(count: int) -> str:
    """The statement for some messages. The driver takes longer for an array than for its values."""
    types = ", ".join(f"%(type_{number})s::text" for number in range(count))
    bodies = ", ".join(f"%(body_{number})b::bytea" for number in range(count))
    return _APPEND.format(types=types, bodies=bodies)


def _cursor(connection: psycopg.Connection[Row]) -> psycopg.Cursor[Row]:
    """Return one of the driver's own kind; that of Django's connection is another."""
    import psycopg  # noqa: PLC0415 - a program on SQLite starts without it

    return psycopg.Cursor(connection)


def appended_outcome(found: Sequence[Row]) -> AppendOutcome | None:
    """Return what the function says of appended messages; None: it has written nothing."""
    return AppendOutcome(*found[0]) if found else None


class PostgresSession(OneWaySession):
    """Within an open transaction of a connection."""

    holds_still = True
    row = "ctid"
    at_most = "LIMIT %(top)s::int8"
    _together: ExitStack = ExitStack()
    """While it is open, statements travel together; this one never is."""

    def __init__(self, statements: SessionStatements, instance: int) -> None:
        self._statements = statements
        self._instance = instance

    @property
    @abstractmethod
    def _wrapped(self) -> AbstractContextManager[None]:
        """Raises Django's errors for those of the driver. A statement enters it once it has failed."""

    def _seed(self, kind: int) -> int:
        """Kinds of locks, and those of each instance, are apart."""
        return self._instance * 2 + kind

    @contextmanager
    def together(self) -> Iterator[None]:
        with self._wrapped, self._statements.together():
            yield

    def lock(self, kind: int, keys: Sequence[str]) -> Answer:
        lock = _LOCK.format(key="given.key", seed="seed")
        sql = f"SELECT {lock} FROM unnest(%(keys)s::text[]) WITH ORDINALITY AS given(key, place) ORDER BY place"
        return self.ask(sql, {"seed": self._seed(kind), "keys": list(keys)})

    def lock_named(self, sql: str, parameters: Mapping[str, Any]) -> Answer:
        group = _LOCK.format(key="found.conversation_group_id", seed="group_seed")
        one = _LOCK.format(key="found.conversation_id", seed="conversation_seed")
        seeds = {"group_seed": self._seed(GROUP), "conversation_seed": self._seed(CONVERSATION)}
        if self.wait_ms:
            return self.ask(_waiting_for(sql, group, one), {**parameters, **seeds})
        # OFFSET keeps each lock from being asked for twice, or before its row is found.
        taken = (
            f"SELECT found.*, mine.has_group, CASE WHEN mine.has_group THEN {one} ELSE false END"
            f" FROM ({sql} OFFSET 0) AS found CROSS JOIN LATERAL (SELECT {group} AS has_group OFFSET 0) AS mine"
        )
        return self.ask(taken, {**parameters, **seeds})

    def take(self, kind: int, sql: str, parameters: Mapping[str, Any], limit: int) -> Answer:
        # OFFSET keeps the condition out of the query: it is asked in the query's order, and no more than needed.
        lock = _LOCK.format(key="found.key", seed="seed")
        taken = f"SELECT * FROM ({sql} OFFSET 0) AS found WHERE {lock} LIMIT %(limit)s"
        return self.ask(_noted(taken), {**parameters, "seed": self._seed(kind), "limit": limit})

    def take_first(self, kind: int, sql: str, parameters: Mapping[str, Any], otherwise: str) -> Answer:
        return self.ask(_taking_first(sql, otherwise), {**parameters, "seed": self._seed(kind)})

    def taken(self) -> RowsAsTable:
        return RowsAsTable(f"= ANY(string_to_array(current_setting('{TAKEN}', true), ' '))", {})

    def taken_one(self) -> RowsAsTable:
        return RowsAsTable(f"current_setting('{TAKEN}', true)", {})

    def append(self, appended: AppendedMessages, known: int, version: int) -> AppendOutcome | None:
        return appended_outcome(self.rows(*self.appending(appended, known, version)))

    def appending(self, appended: AppendedMessages, known: int, version: int) -> tuple[str, dict[str, Any]]:
        """Return the statement of `append`, and its parameters."""
        parameters = {
            "instance": self._instance,
            "known": known,
            "version": version,
            "ready": appended.ready_since,
            "attempt": appended.next_attempt,
            "window": appended.window,
            "at": appended.now_ms,
            **dict(zip(_REMEMBERED, _remembered(appended.before), strict=True)),
        }
        for number, message in enumerate(appended.messages):
            parameters[f"type_{number}"] = message.message_type_name
            parameters[f"body_{number}"] = message.message_body
        return _appending(len(appended.messages)), parameters

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
        try:
            return self._statements.ask(sql, parameters)
        except Exception:
            with self._wrapped:
                raise

    def rows(self, sql: str, parameters: Mapping[str, Any]) -> list[Row]:
        try:
            return self._statements.ask(sql, parameters)()
        except Exception:
            with self._wrapped:
                raise

    def run(self, sql: str, parameters: Mapping[str, Any]) -> None:
        self.ask(sql, parameters)

    def insert(self, table: WrittenTable, rows: Sequence[Row]) -> None:
        if len(rows) <= FEW:
            self._insert_few(table, rows)
            return
        sql = f"COPY {table.name} ({table.listed}) FROM STDIN (FORMAT BINARY)"
        self._together.close()  # it travels alone
        with self._wrapped, _cursor(self._statements.connection).copy(sql) as copy:
            copy.set_types(table.kinds)
            for row in rows:
                copy.write_row(row)

    def _insert_few(self, table: WrittenTable, rows: Sequence[Row]) -> None:
        """One way there and back, where COPY takes three."""
        given = self.given(rows, **dict(zip(table.columns, table.kinds, strict=True)))
        sql = f"INSERT INTO {table.name} ({table.listed}) SELECT * FROM {given.sql}"
        with self._wrapped:
            self._statements.ask(sql, given.parameters)

    def update_endpoints(self, columns: Sequence[str], rows: Sequence[Row]) -> Answer:
        parts = [rows[first : first + COMPARED] for first in range(0, len(rows), COMPARED)]
        answers = [self._update_endpoints(columns, part) for part in parts]
        return lambda: [row for answer in answers for row in answer()]

    def _update_endpoints(self, columns: Sequence[str], rows: Sequence[Row]) -> Answer:
        row, kinds = ENDPOINTS.name, dict(zip(ENDPOINTS.columns, ENDPOINTS.kinds, strict=True))
        given = self.given(rows, **{name: kinds[name] for name in ("instance_id", "conversation_handle", *columns)})
        values = ", ".join(f"{name} = given.{name}" for name in columns)
        same = f"{row}.instance_id + 0 = given.instance_id AND {row}.conversation_handle = given.conversation_handle"
        if len(rows) > 1:  # a planner that takes the table for empty would begin with its rows, and read all of them
            same += f" AND {row}.conversation_handle = ANY(%(given_conversation_handle)s::text[])"
        returned = f"{row}.conversation_handle, {self.version(row)}"
        sql = f"UPDATE {row} SET {values} FROM {given.sql} WHERE {same} RETURNING {returned}"
        return self.ask(sql, given.parameters)

    def version(self, alias: str) -> str:
        """The transaction that has written it, and its place: no two rows of one key ever have both alike."""
        return f"{alias}.xmin::text || {alias}.ctid::text"

    @contextmanager
    def travelling(self) -> Iterator[None]:
        """Send statements without waiting for each other, as long as no result is read. An error of one is raised at
        the end at the latest."""
        with self._wrapped, ExitStack() as self._together:
            self._together.enter_context(self._statements.together())
            yield

    def next_orders(self, count: int) -> list[int]:
        return [order for (order,) in self.rows(_ORDERS, {"count": count})]

    def of_rows(self, sql: str) -> str:
        return f"= ANY(ARRAY({sql}))"

    def among(self, keys: Iterable[str]) -> RowsAsTable:
        return RowsAsTable("= ANY(%(among)s::text[])", {"among": list(keys)})

    def given(self, rows: Sequence[Row], **kinds: str) -> RowsAsTable:
        if len(rows) == 1:
            return _given_one(rows[0], kinds)
        columns = zip(*rows, strict=True) if rows else ((),) * len(kinds)
        arrays = ", ".join(f"%(given_{name})s::{kind}[]" for name, kind in kinds.items())
        values = {
            f"given_{name}": _ARRAYS.get(kind, literal_array)(column)
            for column, (name, kind) in zip(columns, kinds.items(), strict=True)
        }
        return RowsAsTable(f"unnest({arrays}) AS given({', '.join(kinds)})", values)

    @classmethod
    def firsts(cls, table: WrittenTable, condition: str, order: str) -> str:
        found = f"SELECT row.ctid, * FROM {table.name} AS row WHERE {condition} ORDER BY {order} {cls.at_most}"
        return f"CROSS JOIN LATERAL ({found}) AS found"


def _given_one(row: Row, kinds: Mapping[str, str]) -> RowsAsTable:
    """Return the table of one row. Both sides make and read its values faster than arrays of one, and the server joins
    nothing."""
    values = ", ".join([f"%(given_{name})s::{kind}" for name, kind in kinds.items()])
    parameters = {f"given_{name}": value for name, value in zip(kinds, row, strict=True)}
    return RowsAsTable(f"(VALUES ({values})) AS given({', '.join(kinds)})", parameters)


@lru_cache(maxsize=1_000)
def _taking_first(sql: str, otherwise: str) -> str:
    """Return the query that locks the first key of a query that is free; where there is none, an expression's value."""
    lock = _LOCK.format(key="found.key", seed="seed")
    taken = f"SELECT found.key FROM ({sql} OFFSET 0) AS found WHERE {lock} LIMIT 1"
    # COALESCE evaluates the second only where the first has found none. OFFSET keeps both from being asked twice.
    first = f"SELECT * FROM (SELECT COALESCE(({taken}), {otherwise}) AS key OFFSET 0) AS one WHERE key IS NOT NULL"
    return _noted(first)


def _noted(taken: str) -> str:
    """The query of keys that were taken, which notes them for statements that travel with it."""
    return f"SELECT taken.*, set_config('{TAKEN}', string_agg(key, ' ') OVER (), true) FROM ({taken}) AS taken"


def _waiting_for(sql: str, group: str, conversation: str) -> str:
    """The query whose locks wait, in the order of the conversations: then two callers that want several of them do not
    each wait for the other. It is written so that each lock is taken once its row is found, and only once."""
    waits = [f"(SELECT {lock.replace('pg_try_', 'pg_')} OFFSET 0)" for lock in (group, conversation)]
    return (
        f"SELECT found.*, true, true FROM ({sql} ORDER BY conversation_id OFFSET 0) AS found"
        f" CROSS JOIN LATERAL {waits[0]} AS one CROSS JOIN LATERAL {waits[1]} AS two"
    )
