"""Space that is left where BrokerUI writes: in the home, beside an SQLite database, and in folders of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, connection

LEAST_FILES = 100
"""Files that a volume can still hold; below this number it counts as full."""
MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Volume:
    """A volume, by the first folder in it that BrokerUI writes to."""

    folder: Path
    free_bytes: int
    total_bytes: int
    has_files_left: bool = True
    """Whether new files can be made: a volume may have bytes left and no file entries."""

    @property
    def is_full(self) -> bool:
        """Whether so little is left that a message may soon not be stored."""
        return self.free_bytes < settings.SPACE_LEAST_BYTES or not self.has_files_left

    @property
    def is_low(self) -> bool:
        """Whether little is left, and time to make room."""
        return not self.is_full and self.free_bytes < settings.SPACE_LOW_BYTES

    @property
    def text(self) -> str:
        """Return one line: the folder, and the free and the total space of its volume."""
        free, total = (f"{size // MEGABYTE:,} MB" for size in (self.free_bytes, self.total_bytes))
        files = "" if self.has_files_left else ", and no more files can be made"
        return f"{self.folder}: {free} of {total} are free{files}"


def volumes() -> tuple[Volume, ...]:
    """Return each volume that BrokerUI writes to, once."""
    found: dict[int, Volume] = {}
    for folder in _folders():
        found.setdefault(folder.stat().st_dev, _volume(folder))
    return tuple(found.values())


def server_database_bytes() -> int | None:
    """Return how large the database is where a server keeps it; None for SQLite, or where the server does not say."""
    if connection.vendor != "postgresql":
        return None
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])
    except DatabaseError:
        return None


def _folders() -> Iterator[Path]:
    """Folders that are not made yet stand for the one in which they will be."""
    wanted = [settings.HOME]
    if connection.vendor == "sqlite" and "memory" not in (name := str(connection.settings_dict["NAME"])):
        wanted.append(Path(name).parent)
    if settings.EVENT_LOG:
        wanted.append(settings.EVENT_LOG_FOLDER)
    if settings.EVENT_LOG or settings.TRAFFIC_FOLDER:
        wanted.append(settings.PIPELINE_FOLDER)
    for folder in wanted:
        yield next((one for one in (folder, *folder.parents) if one.exists()), Path("/"))


def _volume(folder: Path) -> Volume:
    state = os.statvfs(folder)
    has_files_left = not state.f_files or state.f_favail >= LEAST_FILES
    return Volume(folder, state.f_bavail * state.f_frsize, state.f_blocks * state.f_frsize, has_files_left)
