"""Lets Django empty the tables between two tests that commit, also those whose rows the product never deletes."""

from __future__ import annotations

from typing import Any

from django.db import connection

_TRIGGERS = (
    "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE '%\\_append\\_only\\_%' ESCAPE '\\'"
)


def let_flush_delete() -> None:
    """On SQLite drop the triggers before the tables are emptied, and create them again. PostgreSQL truncates."""
    if connection.vendor != "sqlite":
        return
    # Of the class: a test in a browser runs beside an event loop, where Django makes another connection.
    operations: Any = type(connection.ops)
    flush = operations.sql_flush

    def around(self: Any, *arguments: Any, **options: Any) -> list[str]:
        with self.connection.cursor() as cursor:
            triggers = cursor.execute(_TRIGGERS).fetchall()
        drops = [f'DROP TRIGGER "{name}"' for name, _ in triggers]
        return [*drops, *flush(self, *arguments, **options), *(sql for _, sql in triggers)]

    operations.sql_flush = around
