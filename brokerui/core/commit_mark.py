"""A mark of everything that is committed in the database: as long as it stays the same, nothing was committed."""

from __future__ import annotations

import os
import sqlite3
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from django.db import connection

POSTGRESQL: Final = "SELECT pg_current_snapshot()::text"
"""The transactions whose rows are visible: the same ones, the same rows."""
SQLITE: Final = "PRAGMA data_version"
"""Rises with each commit of another connection; this module's connection itself never writes."""


@dataclass
class _Watcher:
    """The connection of this process that compares the versions of an SQLite file: only one and the same can."""

    guard: threading.Lock = field(default_factory=threading.Lock)
    of: tuple[int, str] | None = None
    """Process and file; a process that was forked makes a connection of its own."""
    sqlite: sqlite3.Connection | None = None

    def version(self, path: str) -> str:
        with self.guard:
            if self.sqlite is None or self.of != (os.getpid(), path):
                self.sqlite = sqlite3.connect(f"file:{path}?mode=ro", uri=True, check_same_thread=False)
                self.of = (os.getpid(), path)
            return str(self.sqlite.execute(SQLITE).fetchone()[0])


_watcher = _Watcher()


def commit_mark() -> str | None:
    """Return the mark; None where there is none: inside a transaction, which sees what it wrote itself, and of a
    database in memory. Marks of one process can be compared, those of two cannot."""
    if connection.in_atomic_block:
        return None
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(POSTGRESQL)
            return str(cursor.fetchone()[0])
    path = str(connection.settings_dict["NAME"])
    return _watcher.version(path) if Path(path).is_file() else None
