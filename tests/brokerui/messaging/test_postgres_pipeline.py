"""Statements of one way to PostgreSQL: they leave together, in order, and an error of one undoes all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg.errors import DivisionByZero

from brokerui.messaging.store.postgres_pipeline import sent_together
from brokerui.messaging.store.postgres_pool import pool_of
from tests.brokerui.messaging.test_store import on_postgres

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True), on_postgres]
LARGE = 1 << 20


@pytest.fixture
def connection() -> Iterator[psycopg.Connection[Any]]:
    taken = pool_of("default").take()
    yield taken
    taken.close()


def last_statement(pid: int) -> str:
    """The one that the server has from a connection."""
    with pool_of("default").take() as other:
        found = psycopg.Cursor(other).execute("SELECT query FROM pg_stat_activity WHERE pid = %s", (pid,))
        return str(found.fetchall()[0][0])


def test_statements_wait_for_the_first_result_that_is_read(connection: psycopg.Connection[Any]) -> None:
    one, two = psycopg.Cursor(connection), psycopg.Cursor(connection)
    psycopg.Cursor(connection).execute("SELECT 'before'")
    with sent_together(connection):
        one.execute("SELECT 'one', %s::int4", (1,))
        two.execute("SELECT 'two', %s::int4", (2,))
        assert "before" in last_statement(connection.info.backend_pid)
        assert (two.fetchall(), one.fetchall()) == ([("two", 2)], [("one", 1)])
        one.execute("SELECT 'three'")
    assert one.fetchall() == [("three",)]


def test_an_error_of_one_is_raised_at_the_end_and_undoes_all(connection: psycopg.Connection[Any]) -> None:
    cursor = psycopg.Cursor(connection)
    cursor.execute("CREATE TEMPORARY TABLE kept (n int4)")

    def fail() -> None:
        with sent_together(connection):
            cursor.execute("INSERT INTO kept VALUES (1)")
            psycopg.Cursor(connection).execute("SELECT 1 / %s::int4", (0,))
            cursor.execute("INSERT INTO kept VALUES (2)")

    with pytest.raises(DivisionByZero):
        fail()
    assert cursor.execute("SELECT n FROM kept").fetchall() == []
    with sent_together(connection):
        cursor.execute("INSERT INTO kept VALUES (3)")
    assert cursor.execute("SELECT n FROM kept").fetchall() == [(3,)]


def test_more_than_the_buffers_hold_goes_both_ways(connection: psycopg.Connection[Any]) -> None:
    """Neither the driver nor the server waits for the other to read."""
    cursors = [psycopg.Cursor(connection) for _ in range(20)]
    with sent_together(connection):
        for number, cursor in enumerate(cursors):
            cursor.execute("SELECT %s::int4, %b::bytea", (number, bytes([number]) * LARGE))
    assert [cursor.fetchall() for cursor in cursors] == [[(n, bytes([n]) * LARGE)] for n in range(20)]
