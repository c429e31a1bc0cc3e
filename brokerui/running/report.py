"""What the web process tells its supervisor, through a pipe: lines of JSON. A password goes this way and no other."""

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
        """The end to hand to the process; the same for each that follows."""
        return self._writer

    def read(self) -> list[dict[str, Any]]:
        """What has come since the last time; never waits."""
        try:
            self._unread += os.read(self.descriptor, 1 << 16)
        except BlockingIOError:
            return []
        *lines, self._unread = self._unread.split(b"\n")
        return [json.loads(line) for line in lines]


def report(descriptor: int, kind: str, **more: object) -> None:
    """A line in one write, so that it arrives whole. Nobody may be there any more to read it."""
    try:
        os.write(descriptor, (json.dumps({"kind": kind, **more}) + "\n").encode())
    except OSError:
        return
