"""Tables whose rows are only ever added: the database itself refuses to change or delete one.

A migration that SQLite carries out by making the table anew drops its triggers; add `AppendOnly` again after it.
"""

from __future__ import annotations

from typing import Any

from django.db import migrations

_POSTGRESQL = """
CREATE OR REPLACE FUNCTION {table}_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'rows of {table} are never changed or deleted'; END $$;
CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE ON {table}
FOR EACH ROW EXECUTE FUNCTION {table}_append_only();
"""
_SQLITE = """
CREATE TRIGGER {table}_append_only_{verb} BEFORE {verb} ON {table}
BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed or deleted'); END
"""
_VERBS = ("UPDATE", "DELETE")


class AppendOnly(migrations.RunPython):
    """Adds triggers that refuse UPDATE and DELETE of a table."""

    def __init__(self, table: str) -> None:
        self.table = table
        super().__init__(self._add, self._remove)

    def deconstruct(self) -> Any:
        return type(self).__name__, [self.table], {}

    def _add(self, _apps: Any, schema_editor: Any) -> None:
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(_POSTGRESQL.format(table=self.table))
            return
        for verb in _VERBS:
            schema_editor.execute(_SQLITE.format(table=self.table, verb=verb))

    def _remove(self, _apps: Any, schema_editor: Any) -> None:
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(f"DROP TRIGGER {self.table}_append_only ON {self.table}")
            schema_editor.execute(f"DROP FUNCTION {self.table}_append_only")
            return
        for verb in _VERBS:
            schema_editor.execute(f"DROP TRIGGER {self.table}_append_only_{verb}")


_TRUNCATE = """
CREATE TRIGGER {table}_append_only_truncate BEFORE TRUNCATE ON {table}
FOR EACH STATEMENT EXECUTE FUNCTION {table}_append_only();
"""
_REPLACE = """
CREATE TRIGGER {table}_append_only_INSERT BEFORE INSERT ON {table}
WHEN EXISTS (SELECT 1 FROM {table} WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'rows of {table} are never changed or deleted'); END
"""


class AppendOnlyAlways(migrations.RunPython):
    """Adds triggers beside those of `AppendOnly`, which TRUNCATE (PostgreSQL) and INSERT OR REPLACE (SQLite) evade."""

    def __init__(self, table: str) -> None:
        self.table = table
        super().__init__(self._add, self._remove)

    def deconstruct(self) -> Any:
        return type(self).__name__, [self.table], {}

    def _add(self, _apps: Any, schema_editor: Any) -> None:
        sql = _TRUNCATE if schema_editor.connection.vendor == "postgresql" else _REPLACE
        schema_editor.execute(sql.format(table=self.table))

    def _remove(self, _apps: Any, schema_editor: Any) -> None:
        if schema_editor.connection.vendor == "postgresql":
            schema_editor.execute(f"DROP TRIGGER {self.table}_append_only_truncate ON {self.table}")
        else:
            schema_editor.execute(f"DROP TRIGGER {self.table}_append_only_INSERT")
