"""Whether the database has the tables that this code works with: migrations that are to be applied, and those of newer
code, after which this code would write rows that no longer fit."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder


@dataclass(frozen=True, slots=True)
class MigrationState:
    """How the migrations of the database and those of this code differ."""

    pending_count: int
    newer: tuple[str, ...]
    """Migrations that the database has and this code does not know, as APP.NAME, in their order."""

    @property
    def problem(self) -> str | None:
        """Why this code cannot work with the database; None where it can."""
        if self.newer:
            return f"newer code has migrated it: {', '.join(self.newer)}"
        return f"{self.pending_count} migrations are not applied" if self.pending_count else None


def migration_state() -> MigrationState:
    """Compare now. Raises `DatabaseError`."""
    executor = MigrationExecutor(connection)
    pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    return MigrationState(len(pending), _newer(executor.loader, executor.loader.applied_migrations))


def newer_migrations() -> tuple[str, ...]:
    """Return the migrations that only newer code can have applied. Raises `DatabaseError`."""
    return _newer(_code(), MigrationRecorder(connection).applied_migrations())


@cache
def _code() -> MigrationLoader:
    """The migrations of this code, which are read once."""
    return MigrationLoader(None)


def _newer(loader: MigrationLoader, applied: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    known = {*loader.disk_migrations, *(name for one in loader.replacements.values() for name in one.replaces)}
    unknown = (name for name in applied if name not in known)
    return tuple(sorted(f"{app}.{name}" for app, name in unknown if app not in loader.unmigrated_apps))
