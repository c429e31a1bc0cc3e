"""Reports of the web process to the supervisor: lines of JSON in a pipe. The first password goes only this way."""

from __future__ import annotations

import json
import os
from typing import Any

PREPARED, READY, ERROR = "prepared", "ready", "error"


class Reports:
    """The reading end."""

    def __init__(self) -> None:
        self.descriptor, self._writer = os.pipe()
        os.set_blocking(self.descriptor, False)
        self._unread = b""

    @property
    def writer(self) -> int:
        """The end that the web process inherits; the same for each restart."""
        return self._writer

    def read(self) -> list[dict[str, Any]]:
        """Return the reports since the last call, without waiting."""
        try:
            self._unread += os.read(self.descriptor, 1 << 16)
        except BlockingIOError:
            return []
        *lines, self._unread = self._unread.split(b"\n")
        return [json.loads(line) for line in lines]


def report(descriptor: int, kind: str, **more: object) -> None:
    """Write a report in one call, so that it arrives whole. Ignores that the supervisor may have ended."""
    try:
        os.write(descriptor, (json.dumps({"kind": kind, **more}) + "\n").encode())
    except OSError:
        return
