"""A database that a test process takes over from another one is the database that it would have made."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from tests import migrated


@pytest.mark.django_db
def test_the_database_of_this_process_has_all_migrations() -> None:
    executor = MigrationExecutor(connection)
    assert executor.migration_plan(executor.loader.graph.leaf_nodes()) == []
    assert connection.vendor != "sqlite" or migrated.kept_file().is_file()


def test_a_changed_migration_is_another_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    first, source = migrated.kept_file(), tmp_path / "0001_initial.py"
    everything = [*migrated.sources(), source]
    assert {"models.py", "levels.py", "0001_initial.py"} <= {path.name for path in everything}
    monkeypatch.setattr(migrated, "sources", lambda: iter(everything))
    source.write_text("operations = []")
    second = migrated.kept_file()
    source.write_text("operations = [1]")
    assert len({first, second, migrated.kept_file()}) == 3


def test_a_kept_database_is_given_to_the_next_process(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    name = f"file:{tmp_path.name}?mode=memory&cache=shared"
    monkeypatch.setattr(migrated, "kept_file", lambda: tmp_path / "kept.sqlite3")
    assert migrated.restored(name) is None
    with sqlite3.connect(tmp_path / "kept.sqlite3") as kept:
        kept.execute("CREATE TABLE a (b)")
    kept.close()
    memory = migrated.restored(name)
    assert memory is not None
    other = sqlite3.connect(name, uri=True)
    assert other.execute("SELECT name FROM sqlite_master").fetchall() == [("a",)]
    memory.close()
    other.close()
