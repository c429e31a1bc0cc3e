"""A task that meets a database that another process has locked leaves one line in the log; a fault its traceback."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from celery import Celery
from django.db.utils import OperationalError
from psycopg import errors

from brokerui.core.passing_errors import PassingErrorFilter, passes_by_itself

TRACE = logging.getLogger("celery.app.trace")


def locked(path: Path) -> None:
    """Write to a database while another connection holds its lock. Raises `sqlite3.OperationalError`."""
    holder, writer = (sqlite3.connect(path, timeout=0.01, isolation_level=None) for _ in range(2))
    holder.execute("BEGIN IMMEDIATE")
    try:
        writer.execute("BEGIN IMMEDIATE")
    finally:
        holder.close()
        writer.close()


def no_table(path: Path) -> None:
    """Read a table that is not there. Raises `sqlite3.OperationalError`."""
    connection = sqlite3.connect(path)
    try:
        connection.execute("SELECT * FROM nothing")
    finally:
        connection.close()


def of_django(make: Callable[[Path], None], path: Path) -> OperationalError:
    """Return the error as Django raises it."""
    with pytest.raises(sqlite3.OperationalError) as found:
        make(path)
    error = OperationalError(*found.value.args)
    error.__cause__ = found.value
    return error


def test_a_lock_passes_and_a_missing_table_does_not(tmp_path: Path) -> None:
    assert passes_by_itself(of_django(locked, tmp_path / "a"))
    assert not passes_by_itself(of_django(no_table, tmp_path / "a"))
    assert not passes_by_itself(OperationalError("database is locked")), "of unknown origin"
    assert not passes_by_itself(ValueError("database is locked"))
    assert not passes_by_itself(None)


@pytest.mark.parametrize(
    ("cause", "expected"),
    [
        (errors.OperationalError("connection refused"), True),
        (errors.AdminShutdown("terminating connection"), True),
        (errors.ConnectionFailure("gone"), True),
        (errors.OutOfMemory("out of memory"), False),
    ],
)
def test_a_server_that_restarts_comes_again(cause: Exception, expected: bool) -> None:
    error = OperationalError(str(cause))
    error.__cause__ = cause
    assert passes_by_itself(error) is expected


@pytest.mark.parametrize(("make", "lines", "level"), [(locked, 0, "WARNING"), (no_table, 1, "ERROR")])
def test_a_task_that_meets_a_lock_leaves_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, make: Callable[[Path], None], lines: int, level: str
) -> None:
    app = Celery("test", set_as_current=False)

    @app.task(name="test.write")
    def write() -> None:
        raise of_django(make, tmp_path / "a")

    write.apply(throw=False)
    (record,) = [record for record in caplog.records if record.name == TRACE.name]
    assert (record.levelname, bool(record.exc_info)) == (level, bool(lines))
    assert "test.write" in record.getMessage()
    assert len(record.getMessage().splitlines()) == 1


def test_the_logs_of_tasks_jobs_and_the_schedule_have_the_filter() -> None:
    for name in ("celery.app.trace", "celery.beat", "django_celery_beat.schedulers", "brokerui.core.jobs.running"):
        assert any(isinstance(one, PassingErrorFilter) for one in logging.getLogger(name).filters), name
