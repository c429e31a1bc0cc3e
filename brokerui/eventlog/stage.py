"""The stage: lines of JSON in a file of its own, into which a process writes its events first.

A line is a batch: `[instance, [[at, number, values of the event], ...]]`. A process that is killed leaves at most one
incomplete line, the last. As long as the file is locked its process writes it; an unlocked file gets no more lines.
"""

from __future__ import annotations

import fcntl
import json
import os
import secrets
import socket
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

OPEN: Final = ".open"
"""Folder of these files, in that of the event log."""
SUFFIX: Final = ".jsonl"

Batch = tuple[str, Sequence[tuple[int, Any]]]
"""Events of an instance, each with its moment."""


class Stage:
    """The file that this process writes now, if any. For one thread."""

    def __init__(self, folder: Path, *, seconds: float, size: int) -> None:
        self._folder = folder / OPEN
        self._seconds = seconds
        self._most = size
        self._file: int | None = None
        self._size = 0
        self._began = 0.0
        self._source = f"{_plain(socket.gethostname())}-{os.getpid()}-{secrets.token_hex(4)}"
        self._number = 0

    @property
    def is_open(self) -> bool:
        return self._file is not None

    def write(self, batches: Sequence[Batch]) -> None:
        """Raises `OSError`; then the file is closed, and they may stand in it or not."""
        try:
            if self._file is None:
                self._open()
            for batch in batches:
                self._write(_line(batch))
        except OSError:
            self.close()
            raise
        self.close_if_due()

    def close_if_due(self) -> None:
        if self.is_open and (self._size >= self._most or time.monotonic() - self._began >= self._seconds):
            self.close()

    def close(self) -> None:
        """Close the file: it is complete."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _open(self) -> None:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._number += 1
        moment = datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
        path = self._folder / f"events-{moment}-{self._source}-{self._number:06}{SUFFIX}"
        # It gets its name once it is locked: else it might be taken for one that is complete.
        new = path.with_suffix(".new")
        self._file = os.open(new, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX)
        new.rename(path)
        self._size, self._began = 0, time.monotonic()

    def _write(self, line: bytes) -> None:
        assert self._file is not None
        self._size += len(line)
        while line:
            line = line[os.write(self._file, line) :]


def _line(batch: Batch) -> bytes:
    instance, events = batch
    rows = [(at, event.number, event) for at, event in events]
    return json.dumps([instance, rows], ensure_ascii=False, separators=(",", ":")).encode(errors="replace") + b"\n"


def _plain(host: str) -> str:
    """As a name of a file may have it."""
    return "".join(letter if letter.isalnum() and letter.isascii() else "_" for letter in host) or "host"


def staged(path: Path) -> Iterator[tuple[str, int, int, list[Any]]]:
    """Instance, moment, number and values of each event; a line that is not whole is passed over."""
    with path.open("rb") as file:
        for line in file:
            try:
                instance, rows = json.loads(line)
            except ValueError:
                continue
            yield from ((instance, *row) for row in rows)
