"""The mark of committed rows: the same as long as nobody commits, another one after each commit."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest
from django.contrib.auth.models import Group
from django.db import connection, transaction

from brokerui.core.commit_mark import _Watcher, commit_mark


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_each_commit_gives_another_mark() -> None:
    if connection.vendor == "sqlite":
        assert commit_mark() is None  # the database of the tests is in memory
        return
    first = commit_mark()
    assert first is not None
    assert commit_mark() == first
    Group.objects.create(name="one")
    assert commit_mark() != first


@pytest.mark.both_databases
@pytest.mark.django_db(transaction=True)
def test_a_transaction_sees_its_own_rows_and_has_no_mark() -> None:
    with transaction.atomic():
        Group.objects.create(name="one")
        assert commit_mark() is None


def test_a_file_of_sqlite_has_one_too(tmp_path: Path) -> None:
    path = tmp_path / "one.sqlite3"
    with sqlite3.connect(path) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("CREATE TABLE one (n)")
    watcher = _Watcher()
    first = watcher.version(str(path))
    writer.execute("SELECT * FROM one").fetchall()
    assert watcher.version(str(path)) == first
    writer.execute("INSERT INTO one VALUES (1)")
    assert watcher.version(str(path)) == first  # not committed yet
    writer.commit()
    assert watcher.version(str(path)) != first
    writer.close()
