"""Give the database of a test process its first rows back after each test that commits.

Django's `flush` empties all tables, though a test has written to few, and makes content types, permissions and groups
anew: 0.1 s of PostgreSQL and 0.01 s of SQLite after each of 1,400 tests.
"""

from __future__ import annotations

from typing import Any

from django.db import connection, transaction
from django.test import TransactionTestCase

APPEND_ONLY = "\\_append\\_only\\_"
"""In the names of triggers that refuse to delete rows (`brokerui/core/append_only.py`)."""


class Emptying:
    """The tables of a new database, with the rows that migrations have made (permissions, groups, rules of alerts)."""

    def __init__(self) -> None:
        self.first: dict[str, tuple[str, list[tuple[Any, ...]]]] = {}
        """For each table that has rows: the statement that writes one, and the rows."""
        with connection.cursor() as cursor:
            self.tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
            for table in self.tables:
                cursor.execute(f"SELECT * FROM {quoted(table)}")
                if rows := cursor.fetchall():
                    names = ", ".join(quoted(column[0]) for column in cursor.description)
                    values = ", ".join(["%s"] * len(cursor.description))
                    self.first[table] = f"INSERT INTO {quoted(table)} ({names}) VALUES ({values})", rows
        of_vendor = {"sqlite": Sqlite, "postgresql": Postgresql}[connection.vendor]
        self.database: Sqlite | Postgresql = of_vendor()

    def take_over(self) -> None:
        """Be what runs after a test that commits, in place of `flush`."""
        TransactionTestCase._fixture_teardown = lambda _case: self.empty()  # type: ignore[attr-defined]  # no stub has it

    def empty(self) -> None:
        with transaction.atomic(), connection.cursor() as cursor:
            emptied = self.database.with_dependents(self._changed(cursor))
            for statement in self.database.statements(emptied):
                cursor.execute(statement)
            for table in self.first.keys() & emptied:
                cursor.executemany(*self.first[table])

    def _changed(self, cursor: Any) -> set[str]:
        """Return the tables whose rows are not the first."""
        others = [table for table in self.tables if table not in self.first]
        cursor.execute(
            " UNION ALL ".join(f"SELECT '{one}' WHERE EXISTS (SELECT 1 FROM {quoted(one)})" for one in others)
        )
        changed = {table for (table,) in cursor.fetchall()}
        for table, (_, rows) in self.first.items():
            cursor.execute(f"SELECT * FROM {quoted(table)}")
            if cursor.fetchall() != rows:
                changed.add(table)
        return changed


class Sqlite:
    """Deletes the rows of each table; keys between them are looked at when the transaction ends."""

    def __init__(self) -> None:
        self.triggers = rows(
            "SELECT tbl_name, name, sql FROM sqlite_master"
            f" WHERE type = 'trigger' AND name LIKE '%{APPEND_ONLY}%' ESCAPE '\\'"
        )

    def with_dependents(self, tables: set[str]) -> set[str]:
        return tables

    def statements(self, tables: set[str]) -> list[str]:
        """Drop the triggers that refuse it, and create them again."""
        triggers = [one for one in self.triggers if one[0] in tables]
        return [
            *(f"DROP TRIGGER {quoted(name)}" for _, name, _ in triggers),
            *(f"DELETE FROM {quoted(table)}" for table in sorted(tables)),
            *(sql for _, _, sql in triggers),
        ]


class Postgresql:
    """Truncates the tables and those that refer to them, as PostgreSQL asks for: rows that are deleted would leave
    their places to later ones, and tests would see rows in another order."""

    def __init__(self) -> None:
        self.triggers = rows(
            f"SELECT tgrelid::regclass::text, tgname FROM pg_trigger WHERE tgname LIKE '%{APPEND_ONLY}truncate'"
        )
        self.references = rows(
            "SELECT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint WHERE contype = 'f'"
        )

    def with_dependents(self, tables: set[str]) -> set[str]:
        found, new = set(tables), set(tables)
        while new:
            new = {one for one, other in self.references if other in new} - found
            found |= new
        return found

    def statements(self, tables: set[str]) -> list[str]:
        """Switch the triggers that refuse it off and on."""
        if not tables:
            return []
        triggers = [one for one in self.triggers if one[0] in tables]
        disable, enable = (
            [f'ALTER TABLE {table} {how} TRIGGER "{name}"' for table, name in triggers] for how in ("DISABLE", "ENABLE")
        )
        return [*disable, f"TRUNCATE {', '.join(map(quoted, sorted(tables)))}", *enable]


def quoted(name: str) -> str:
    return connection.ops.quote_name(name)


def rows(query: str) -> list[tuple[str, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(query)
        found: list[tuple[str, ...]] = cursor.fetchall()
    return found
