"""One log of all processes: what each writes into its own, line by line, with its name before it.

The processes write to files and not to us, so that none of them waits for us or ends with us.
"""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path

from brokerui.running.logs import ProcessLog

NAME = "all"
NAME_WIDTH = 8
"""Letters of the longest name of a process."""
READ_BYTES = 1 << 20


class LogMerge:
    """`log/all.log` of a home. `as_json`: each line is an object, also what a process has not written as one."""

    def __init__(self, home: Path, *, as_json: bool = False) -> None:
        self._log = ProcessLog(home, NAME)
        self._as_json = as_json
        self._read: dict[Path, int] = {}
        """How far each log is copied."""

    def begin(self, log: ProcessLog) -> None:
        """What was written before is there already."""
        self._read[log.path] = log.path.stat().st_size if log.path.exists() else 0

    def follow(self, log: ProcessLog) -> None:
        """Copy the whole lines that have come. Before the log is put aside (`Log.bound`), so that none is missed."""
        lines = self._new_lines(log.path)
        if lines:
            self._append([self._told(log.path.stem, line) for line in lines])

    def _new_lines(self, path: Path) -> list[str]:
        start = self._read.get(path, 0)
        size = path.stat().st_size if path.exists() else 0
        if size <= start:
            self._read[path] = size
            return []
        with path.open("rb") as file:
            file.seek(start)
            whole = file.read(READ_BYTES)
        end = whole.rfind(b"\n") + 1 or (len(whole) if len(whole) == READ_BYTES else 0)
        self._read[path] = start + end
        return whole[:end].decode(errors="replace").splitlines()

    def _told(self, name: str, line: str) -> str:
        if not self._as_json:
            return f"{name:<{NAME_WIDTH}} {line}"
        if line.startswith("{"):
            return line
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        return json.dumps({"time": now, "process": name, "message": line}, ensure_ascii=False)

    def _append(self, lines: list[str]) -> None:
        descriptor = self._log.open()
        try:
            os.write(descriptor, "".join(f"{line}\n" for line in lines).encode())
        finally:
            os.close(descriptor)
        self._log.bound()
