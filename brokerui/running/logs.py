"""The logs of the processes: one file each in the home, limited in size."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

LOG_BYTES = 5 << 20
"""Size at which a log is rotated; one older file is kept."""
TAIL_LINES = 12


class ProcessLog:
    """The file of one process."""

    def __init__(self, home: Path, name: str) -> None:
        folder = home / "log"
        folder.mkdir(mode=0o700, exist_ok=True)
        self.path = folder / f"{name}.log"

    def open(self) -> int:
        """Open the log for a process. In append mode, so that it goes on at the start of an emptied file."""
        return os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def write(self, text: str) -> None:
        """Write a line of the supervisor, with the time."""
        moment = datetime.now(UTC).isoformat(sep=" ", timespec="seconds")
        self.append(f"{moment} {text}\n")

    def append(self, text: str) -> bool:
        """Append text as it is. Return False where nothing can be written: a full volume ends no supervisor."""
        try:
            descriptor = self.open()
            try:
                os.write(descriptor, text.encode())
            finally:
                os.close(descriptor)
        except OSError:
            return False
        return True

    def bound(self, limit: int = LOG_BYTES) -> None:
        """Rotate a log that is too large. By a copy, because its process keeps the same file open."""
        if not self.path.exists() or self.path.stat().st_size <= limit:
            return
        try:
            shutil.copyfile(self.path, self.path.with_suffix(".log.1"))
        except OSError:
            self.path.with_suffix(".log.1").unlink(missing_ok=True)  # the volume is full: the older lines go
        os.truncate(self.path, 0)

    def tail(self) -> str:
        """Return the last lines."""
        try:
            with self.path.open("rb") as file:
                file.seek(max(0, self.path.stat().st_size - (1 << 14)))
                lines = file.read().decode(errors="replace").splitlines()
        except OSError:
            return ""
        return "\n".join(lines[-TAIL_LINES:])
