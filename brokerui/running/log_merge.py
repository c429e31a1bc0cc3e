"""Merges the logs of all processes into one file, line by line, with the name of the process before each line.

The processes write to files and not to the supervisor, so that none of them waits for it or ends with it.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

from brokerui.running.logs import ProcessLog

NAME = "all"
NAME_WIDTH = 8
"""Width of the column of process names, in characters."""
READ_BYTES = 1 << 20


class LogMerge:
    """`log/all.log` of a home. `as_json`: each line is an object, also what a process has not written as one."""

    def __init__(self, home: Path, *, as_json: bool = False) -> None:
        self._log = ProcessLog(home, NAME)
        self._as_json = as_json
        self._read: dict[Path, int] = {}
        """Bytes of each log that are copied."""

    def begin(self, log: ProcessLog) -> None:
        """Start at the end of the log: earlier lines are copied already."""
        self._read[log.path] = log.path.stat().st_size if log.path.exists() else 0

    def follow(self, log: ProcessLog) -> None:
        """Copy the complete new lines. Call it before `ProcessLog.bound`, so that no line is missed."""
        before = self._read.get(log.path, 0)
        lines = self._new_lines(log.path)
        if lines and not self._append([self._merged(log.path.stem, line) for line in lines]):
            self._read[log.path] = before

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

    def _merged(self, name: str, line: str) -> str:
        if not self._as_json:
            return f"{name:<{NAME_WIDTH}} {line}"
        if line.startswith("{"):
            return line
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        return json.dumps({"time": now, "process": name, "message": line}, ensure_ascii=False)

    def _append(self, lines: list[str]) -> bool:
        """Return False where nothing can be written, as on a full volume."""
        is_written = self._log.append("".join(f"{line}\n" for line in lines))
        self._log.bound()
        return is_written
