"""A claim on SQLite. One writes at a time there, so a claim does not hold a transaction: it holds locks beside the
database, reads in one transaction, and writes in another.

Both wait for the transaction that writes. So a claim reads committed rows, even if the claim before it in a
conversation has given up its locks within a transaction of a caller that has not ended.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from django.db import IntegrityError, connections, transaction

from brokerui.messaging.store.locks import locks_of
from brokerui.messaging.store.session import CONVERSATION, GROUP, Answer, Row, RowsAsTable, Session
from brokerui.messaging.store.tables import ENDPOINTS, WrittenTable
from routing.runtime.store import Conflict

_DUPLICATE = {"SQLITE_CONSTRAINT_UNIQUE", "SQLITE_CONSTRAINT_PRIMARYKEY"}

_LAST = "UPDATE sqlite_sequence SET seq"
_OF_QUEUES = "WHERE name = 'queue_messages'"


class SqliteSession(Session):
    """On the connection that Django has for this thread; within a transaction of the caller's, if there is one."""

    holds_still = False
    row = "rowid"
    at_most = "LIMIT ifnull(%(top)s, -1)"

    def __init__(self, alias: str, instance: int) -> None:
        self._alias = alias
        self._instance = instance
        self._locks = locks_of(str(connections[alias].settings_dict["NAME"]))
        self._taken: list[str] = []
        """Keys, by the last query that took some."""

    def reading(self) -> AbstractContextManager[None]:
        return transaction.atomic(self._alias)

    def together(self) -> AbstractContextManager[None]:
        return nullcontext()  # the database is here

    def begin(self, sql: str) -> Answer:
        return self.ask(sql, {})

    losses = 0

    def flush(self) -> None:
        """Each commit does."""

    @contextmanager
    def writing(self, *, is_async_commit: bool) -> Iterator[None]:
        try:
            with transaction.atomic(self._alias):
                yield
        except IntegrityError as error:
            if getattr(error.__cause__, "sqlite_errorname", None) in _DUPLICATE:
                raise Conflict(str(error)) from error
            raise

    def close(self) -> None:
        self._locks.release(self)

    def _lock(self, kind: int, key: str) -> bool:
        return self._locks.take(self, f"{self._instance} {kind} {key}")

    def lock(self, kind: int, keys: Sequence[str]) -> Answer:
        found = [(self._lock(kind, key),) for key in keys]
        return lambda: found

    def lock_named(self, sql: str, parameters: Mapping[str, Any]) -> Answer:
        with connections[self._alias].cursor() as cursor:
            cursor.execute(sql, parameters)
            names = [column[0] for column in cursor.description]
            group, conversation = names.index("conversation_group_id"), names.index("conversation_id")
            found = [(*row, *self._lock_both(row[group], row[conversation])) for row in cursor.fetchall()]
        return lambda: found

    def _lock_both(self, group: str, conversation: str) -> tuple[bool, bool]:
        is_mine = self._lock(GROUP, group)
        return is_mine, is_mine and self._lock(CONVERSATION, conversation)

    def take(self, kind: int, sql: str, parameters: Mapping[str, Any], limit: int) -> Answer:
        taken: list[Row] = []
        with connections[self._alias].cursor() as cursor:
            cursor.execute(sql, parameters)
            for row in cursor:
                if len(taken) == limit:
                    break
                if self._lock(kind, row[0]):
                    taken.append(row)
        self._taken = [row[0] for row in taken]
        return lambda: taken

    def take_first(self, kind: int, sql: str, parameters: Mapping[str, Any], otherwise: str) -> Answer:
        if self.take(kind, sql, parameters, 1)():
            return lambda: [(key,) for key in self._taken]
        found = [row for row in self.rows(f"SELECT {otherwise}", parameters) if row[0] is not None]
        return lambda: found

    def taken(self) -> RowsAsTable:
        return self.among(self._taken)

    def taken_one(self) -> RowsAsTable:
        return RowsAsTable("%(taken)s", {"taken": next(iter(self._taken), None)})

    def free(self, kind: int, sql: str, parameters: Mapping[str, Any]) -> list[Row]:
        keys = [(row, f"{self._instance} {kind} {row[0]}") for row in self.rows(sql, parameters)]
        return [row for row, key in keys if self._locks.is_free(self, key)]

    def ask(self, sql: str, parameters: Mapping[str, Any]) -> Answer:
        found = self.rows(sql, parameters)
        return lambda: found

    def rows(self, sql: str, parameters: Mapping[str, Any]) -> list[Row]:
        with connections[self._alias].cursor() as cursor:
            cursor.execute(sql, parameters)
            return list(cursor.fetchall())

    def run(self, sql: str, parameters: Mapping[str, Any]) -> None:
        with connections[self._alias].cursor() as cursor:
            cursor.execute(sql, parameters)

    def insert(self, table: WrittenTable, rows: Sequence[Row]) -> None:
        values = ", ".join(["%s"] * len(table.columns))
        self._run_each(f"INSERT INTO {table.name} ({table.listed}) VALUES ({values})", rows)

    def update_endpoints(self, columns: Sequence[str], rows: Sequence[Row]) -> Answer:
        values = ", ".join(f"{name} = %s" for name in columns)
        sql = f"UPDATE {ENDPOINTS.name} SET {values} WHERE instance_id = %s AND conversation_handle = %s"
        self._run_each(sql, ((*row[2:], *row[:2]) for row in rows))
        return list

    def version(self, alias: str) -> str:
        return "NULL"

    def _run_each(self, sql: str, rows: Iterable[Row]) -> None:
        with connections[self._alias].cursor() as cursor:
            cursor.executemany(sql, list(rows))

    def next_orders(self, count: int) -> list[int]:
        """AUTOINCREMENT keeps the last value of a table in a row, which is there once the table had one."""
        if not self.rows(f"{_LAST} = seq + %(count)s {_OF_QUEUES} RETURNING seq", {"count": count}):
            self.run("INSERT INTO sqlite_sequence (name, seq) VALUES ('queue_messages', %(count)s)", {"count": count})
        ((last,),) = self.rows(f"SELECT seq FROM sqlite_sequence {_OF_QUEUES}", {})
        return list(range(last - count + 1, last + 1))

    def of_rows(self, sql: str) -> str:
        return f"IN ({sql})"

    def among(self, keys: Iterable[str]) -> RowsAsTable:
        return RowsAsTable("IN (SELECT value FROM json_each(%(among)s))", {"among": json.dumps(list(keys))})

    def given(self, rows: Sequence[Row], **kinds: str) -> RowsAsTable:
        columns = ", ".join(f"json_extract(value, '$[{place}]') AS {name}" for place, name in enumerate(kinds))
        return RowsAsTable(f"(SELECT {columns} FROM json_each(%(given)s)) AS given", {"given": json.dumps(rows)})

    @classmethod
    def firsts(cls, table: WrittenTable, condition: str, order: str) -> str:
        found = f"SELECT row.rowid FROM {table.name} AS row WHERE {condition} ORDER BY {order} {cls.at_most}"
        return f"JOIN {table.name} AS found ON found.rowid IN ({found})"
