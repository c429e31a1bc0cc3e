"""Statements on a connection to PostgreSQL: those of one way leave together, in order, and an error undoes all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from django.db import DataError, connection, transaction
from psycopg.errors import DivisionByZero

from brokerui.messaging.store import postgres_statements
from brokerui.messaging.store.postgres_pool import pool_of
from brokerui.messaging.store.postgres_statements import SessionStatements
from brokerui.messaging.store.postgres_transactions import CallersSession, OwnSession
from brokerui.messaging.store.postgres_values import bytes_array, literal_array, text_array
from tests.brokerui.messaging.test_store import on_postgres

pytestmark = [pytest.mark.both_databases, pytest.mark.django_db(transaction=True), on_postgres]
LARGE = 1 << 20
Connection = psycopg.Connection[Any]


@pytest.fixture
def driver() -> Iterator[Connection]:
    """A new connection of the store's own, which commits each statement and has prepared nothing."""
    pool = pool_of("default")
    pool.close()
    taken = pool.take().connection
    yield taken
    taken.close()


def last_statement(pid: int) -> str:
    """The one that the server has from a connection."""
    with pool_of("default").take().connection as other:
        found = psycopg.Cursor(other).execute("SELECT query FROM pg_stat_activity WHERE pid = %s", (pid,))
        return str(found.fetchall()[0][0])


def prepared_on(driver: Connection) -> list[str]:
    """The statements that the server has prepared for a connection."""
    return [sql for (sql,) in driver.execute("SELECT statement FROM pg_prepared_statements ORDER BY prepare_time")]


# ---------------------------------------------------------------- together


def test_statements_wait_for_the_first_reply_that_is_read(driver: Connection) -> None:
    ours = SessionStatements(driver)
    ours.ask("SELECT 'before'", {})
    with ours.together():
        one = ours.ask("SELECT 'one', %(n)s::int4", {"n": 1})
        two = ours.ask("SELECT 'two', %(n)s::int4", {"n": 2})
        assert "before" in last_statement(driver.info.backend_pid)
        assert (two(), one()) == ([("two", 2)], [("one", 1)])
        three = ours.ask("SELECT 'three'", {})
    assert three() == [("three",)]


def failing(ours: SessionStatements) -> None:
    with ours.together():
        ours.ask("INSERT INTO kept VALUES (1)", {})
        ours.ask("SELECT 1 / %(n)s::int4", {"n": 0})
        ours.ask("INSERT INTO kept VALUES (2)", {})


def test_an_error_of_one_is_raised_at_the_end_and_undoes_all(driver: Connection) -> None:
    ours = SessionStatements(driver)
    ours.ask("CREATE TEMPORARY TABLE kept (n int4)", {})
    for _ in range(2):  # once as they are prepared, and once afterwards
        with pytest.raises(DivisionByZero):
            failing(ours)
        assert ours.ask("SELECT n FROM kept", {})() == []
    with ours.together():
        ours.ask("INSERT INTO kept VALUES (2)", {})
    assert ours.ask("SELECT n FROM kept", {})() == [(2,)]


def test_the_error_of_a_reply_that_is_read_ends_the_way(driver: Connection) -> None:
    """The replies after it are not taken for those of later statements."""
    ours = SessionStatements(driver)
    ours.ask("CREATE TEMPORARY TABLE kept (n int4)", {})

    def fail() -> None:
        with ours.together():
            ours.ask("INSERT INTO kept VALUES (1)", {})
            reply = ours.ask("SELECT 1 / %(n)s::int4", {"n": 0})
            ours.ask("INSERT INTO kept VALUES (2)", {})
            reply()

    with pytest.raises(DivisionByZero):
        fail()
    assert ours.ask("SELECT n FROM kept", {})() == []


def test_more_than_the_buffers_hold_goes_both_ways(driver: Connection) -> None:
    """Neither the driver nor the server waits for the other to read."""
    ours = SessionStatements(driver)
    with ours.together():
        replies = [
            ours.ask("SELECT %(n)s::int4, %(body)s::bytea", {"n": n, "body": bytes([n]) * LARGE}) for n in range(20)
        ]
    assert [reply() for reply in replies] == [[(n, bytes([n]) * LARGE)] for n in range(20)]


def test_after_an_interrupted_wait_the_connection_is_closed(
    driver: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else its late reply would be taken for that of the next statement."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    ours = SessionStatements(driver)
    ours.ask("SELECT 1", {})
    monkeypatch.setattr(driver, "wait", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ours.ask("SELECT 1", {})
    assert driver.closed


# ---------------------------------------------------------------- prepared statements


def test_a_statement_is_prepared_by_its_first_use_on_a_connection(driver: Connection) -> None:
    for _ in range(2):
        assert SessionStatements(driver).ask("SELECT 1, %(n)s::int4", {"n": 7})() == [(1, 7)]
    assert prepared_on(driver) == ["SELECT 1, $1::int4"]


def test_a_rollback_keeps_prepared_statements(driver: Connection) -> None:
    ours = SessionStatements(driver)
    for sql in ("BEGIN", "SELECT 1", "ROLLBACK", "BEGIN", "SELECT 1", "ROLLBACK"):
        ours.ask(sql, {})
    assert prepared_on(driver) == ["BEGIN", "SELECT 1", "ROLLBACK"]


def test_a_connection_prepares_no_more_than_the_limit(driver: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(postgres_statements, "MOST", 2)
    ours = SessionStatements(driver)
    assert [ours.ask(f"SELECT {n}", {})() for n in (1, 2, 3, 3, 1)] == [[(n,)] for n in (1, 2, 3, 3, 1)]
    assert prepared_on(driver) == ["SELECT 1", "SELECT 2"]


def test_after_statements_were_discarded_only_one_use_of_them_fails(driver: Connection) -> None:
    ours = SessionStatements(driver)
    ours.ask("SELECT 1", {})
    driver.execute("DEALLOCATE ALL")
    with pytest.raises(psycopg.errors.InvalidSqlStatementName):
        ours.ask("SELECT 1", {})
    assert ours.ask("SELECT 1", {})() == [(1,)]


def test_nothing_is_prepared_where_the_driver_prepares(driver: Connection) -> None:
    """A rollback of the driver discards all statements then."""
    driver.prepare_threshold = 5
    for _ in range(2):
        assert SessionStatements(driver).ask("SELECT %(n)s::int4", {"n": 7})() == [(7,)]
    assert prepared_on(driver) == []


# ---------------------------------------------------------------- the transaction of a caller


def test_the_first_statement_of_a_caller_begins_the_transaction_on_the_same_way() -> None:
    with transaction.atomic():
        session = CallersSession(connection, 1)
        assert session.rows("SELECT 1", {}) == [(1,)]
        session.run("CREATE TABLE kept (n int4)", {})
        transaction.set_rollback(True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT to_regclass('kept')")
        assert cursor.fetchone() == (None,)


def test_the_isolation_of_a_caller_holds_for_the_first_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    connection.ensure_connection()
    monkeypatch.setattr(connection.connection, "isolation_level", psycopg.IsolationLevel.SERIALIZABLE)
    with transaction.atomic():
        assert CallersSession(connection, 1).rows("SHOW transaction_isolation", {}) == [("serializable",)]


def test_a_connection_in_a_pipeline_of_its_owner_is_refused(driver: Connection) -> None:
    """Its replies would be taken for ours."""
    with driver.pipeline(), pytest.raises(psycopg.NotSupportedError):
        SessionStatements(driver)


@pytest.mark.parametrize("method", ["ask", "rows", "run"])
def test_the_error_of_a_statement_is_one_of_django(method: str) -> None:
    own = OwnSession(pool_of("default"), 1)
    with pytest.raises(DataError):
        getattr(own, method)("SELECT 1 / 0", {})
    own.close()
    pool_of("default").close()
    with pytest.raises(DataError), transaction.atomic():
        getattr(CallersSession(connection, 1), method)("SELECT 1 / 0", {})


# ---------------------------------------------------------------- values


def test_values_arrive_as_they_were(driver: Connection) -> None:
    given = {
        "n": -(2**62),
        "yes": True,
        "text": "Ä '\"\\{},%s",
        "none": None,
        "body": bytes(range(256)),
        "part": memoryview(b"abc")[1:],
        "texts": ["", "NULL", 'a"b\\,{}'],
    }
    kinds = {"n": "int8", "yes": "bool", "text": "text", "none": "text", "body": "bytea", "part": "bytea"}
    sql = "SELECT " + ", ".join(f"%({name})s::{kind}" for name, kind in {**kinds, "texts": "text[]"}.items())
    expected = (*(given[name] for name in kinds if name != "part"), b"bc", given["texts"])
    assert SessionStatements(driver).ask(sql, given)() == [expected]


def test_arrays_arrive_as_they_were(driver: Connection) -> None:
    given = {
        "bodies": bytes_array([b"", None, bytes(range(256))]),
        "texts": text_array(["x", None, ""]),
        "none": text_array([]),
        "numbers": literal_array([1, None, -(2**62)]),
        "truths": literal_array([True, None, False]),
    }
    sql = "SELECT %(bodies)s::bytea[], %(texts)s::text[], %(none)s::text[], %(numbers)s::int8[], %(truths)s::bool[]"
    ((bodies, texts, none, numbers, truths),) = SessionStatements(driver).ask(sql, given)()
    assert bodies == [b"", None, bytes(range(256))]
    assert (texts, none) == (["x", None, ""], [])
    assert (numbers, truths) == ([1, None, -(2**62)], [True, None, False])


@pytest.mark.parametrize("value", ["a\0b", ["a\0b"]])
def test_a_text_with_a_nul_is_refused(value: object) -> None:
    """The library would cut it off."""
    kind = "text" if isinstance(value, str) else "text[]"
    session = CallersSession(connection, 1)
    with pytest.raises(DataError), transaction.atomic():
        session.rows(f"SELECT %(value)s::{kind}", {"value": value})
