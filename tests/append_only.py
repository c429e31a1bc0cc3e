"""Lets Django empty the tables between two tests that commit, also those whose rows the product never deletes."""

from __future__ import annotations

from typing import Any

from django.db import connection

_SQLITE = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%\\_append\\_only\\_%' ESCAPE '\\'"
_POSTGRESQL = "SELECT tgname, tgrelid::regclass::text FROM pg_trigger WHERE tgname LIKE '%\\_append\\_only\\_truncate'"
_HOW = "DISABLE", "ENABLE"


def let_flush_delete() -> None:
    """On SQLite drop the triggers before the tables are emptied, and create them again; switch those of PostgreSQL off
    and on, which truncates."""
    around = {"sqlite": _around_sqlite, "postgresql": _around_postgresql}[connection.vendor]
    # Of the class: a test in a browser runs beside an event loop, where Django makes another connection.
    operations: Any = type(connection.ops)
    flush = operations.sql_flush

    def sql_flush(self: Any, *arguments: Any, **options: Any) -> list[str]:
        found = flush(self, *arguments, **options)
        return around(self, found) if found else found

    operations.sql_flush = sql_flush


def _around_sqlite(operations: Any, flush: list[str]) -> list[str]:
    triggers = _rows(operations, _SQLITE)
    return [*(f'DROP TRIGGER "{name}"' for name, _ in triggers), *flush, *(sql for _, sql in triggers)]


def _around_postgresql(operations: Any, flush: list[str]) -> list[str]:
    triggers = _rows(operations, _POSTGRESQL)
    disable, enable = ([f'ALTER TABLE {table} {how} TRIGGER "{name}"' for name, table in triggers] for how in _HOW)
    return [*disable, *flush, *enable]


def _rows(operations: Any, query: str) -> list[tuple[str, str]]:
    with operations.connection.cursor() as cursor:
        cursor.execute(query)
        rows: list[tuple[str, str]] = cursor.fetchall()
    return rows
