"""Keep the migrated SQLite database of a test process for the next one: migrating takes four seconds of a processor.

The file belongs to exactly these migrations and models: its name has the hash of their sources.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

from django.apps import apps
from django.db import connection

from brokerui.core.home import home_folder

FOLDER: Final = "migrated"
SOURCES: Final = ("models.py", "levels.py", "migrations/*.py")
"""What the rows of a new database come from, in the folder of an app."""


def kept_file() -> Path:
    """Return where the database of these migrations is kept, whether it is there or not."""
    digest = hashlib.sha256(sqlite3.sqlite_version.encode())
    for path in sources():
        digest.update(f"{path.name} {path.stat().st_size}\n".encode() + path.read_bytes())
    return home_folder() / FOLDER / f"{digest.hexdigest()[:32]}.sqlite3"


def sources() -> Iterator[Path]:
    """Yield the files on which a new database depends, in a fixed order."""
    for app in sorted(apps.get_app_configs(), key=lambda one: one.label):
        for pattern in SOURCES:
            yield from sorted(Path(app.path).glob(pattern))


def restored(name: str) -> sqlite3.Connection | None:
    """Fill the shared database in memory of this name; return the connection that keeps it, or None: no file."""
    file = kept_file()
    if not file.is_file():
        return None
    memory = sqlite3.connect(name, uri=True)
    with closing(sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True)) as kept:
        kept.backup(memory)
    return memory


def keep() -> None:
    """Write the database of this process for the next one, in place of those of other migrations."""
    file = kept_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    unfinished = file.with_suffix(f".{os.getpid()}")
    with closing(sqlite3.connect(unfinished)) as kept:
        connection.connection.backup(kept)
    for old in {*file.parent.glob("*.sqlite3")} - {file}:
        old.unlink(missing_ok=True)
    unfinished.replace(file)
