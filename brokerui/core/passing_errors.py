"""Errors of the database that pass by themselves: another process holds its lock for long, or its server restarts.

Work that meets one is done again: a task because beat sends its wake-up again, a job because it is tried again. So the
log has a line of it. A traceback says nothing more, and reads like a fault of the product.
"""

from __future__ import annotations

import logging
import sqlite3
from typing import Final

from django.db.utils import OperationalError

SQLITE_PASSING: Final = frozenset((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL))
SQLITE_PRIMARY: Final = 0xFF
"""The bits of an extended code of SQLite that say which kind of error it is."""
POSTGRES_PASSING: Final = ("08", "57P")
"""Beginnings of SQLSTATE: no connection, or a server that stops or starts."""


def passes_by_itself(error: BaseException | None) -> bool:
    """Return whether an error of Django's is a lock of SQLite's or an absence of PostgreSQL that passes."""
    if not isinstance(error, OperationalError):
        return False
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return getattr(cause, "sqlite_errorcode", 0) & SQLITE_PRIMARY in SQLITE_PASSING
    if not type(cause).__module__.startswith("psycopg"):
        return False
    state = getattr(cause, "sqlstate", None)
    return state is None or state.startswith(POSTGRES_PASSING)


class PassingErrorFilter(logging.Filter):
    """Makes a warning of one line of a record about such an error; any other record stays as it is."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Return True: every record is written."""
        if record.exc_info and passes_by_itself(record.exc_info[1]):
            record.exc_info = record.exc_text = None
            record.levelno, record.levelname = logging.WARNING, logging.getLevelName(logging.WARNING)
        return True
