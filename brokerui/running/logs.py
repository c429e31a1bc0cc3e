"""The logs of the processes: one file each in the home, kept from growing without bound."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

LOG_BYTES = 5 << 20
"""A log is put aside at this size; one older one is kept."""
TAIL_LINES = 12


class ProcessLog:
    """The file of one process."""

    def __init__(self, home: Path, name: str) -> None:
        folder = home / "log"
        folder.mkdir(mode=0o700, exist_ok=True)
        self.path = folder / f"{name}.log"

    def open(self) -> int:
        """A descriptor for a process to write to. Appending: so it goes on at the start once the file is emptied."""
        return os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def write(self, text: str) -> None:
        """A line of our own, with the time."""
        moment = datetime.now(UTC).isoformat(sep=" ", timespec="seconds")
        descriptor = self.open()
        try:
            os.write(descriptor, f"{moment} {text}\n".encode())
        finally:
            os.close(descriptor)

    def bound(self, limit: int = LOG_BYTES) -> None:
        """Put the content aside where there is too much. Who writes keeps the same file open, hence a copy."""
        if not self.path.exists() or self.path.stat().st_size <= limit:
            return
        shutil.copyfile(self.path, self.path.with_suffix(".log.1"))
        os.truncate(self.path, 0)

    def tail(self) -> str:
        """The last lines."""
        try:
            with self.path.open("rb") as file:
                file.seek(max(0, self.path.stat().st_size - (1 << 14)))
                lines = file.read().decode(errors="replace").splitlines()
        except OSError:
            return ""
        return "\n".join(lines[-TAIL_LINES:])
