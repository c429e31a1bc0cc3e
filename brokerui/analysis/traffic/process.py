"""A job of the pipeline as a process of its own: the only one that ever holds a Java."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from typing import IO, Any

from brokerui.core.reaper import end_groups

LINES = 200
"""That are kept of what it says."""
LINE = 500
"""Characters of one."""
GRACE_SECONDS = 15.0
SECRETS = ("SECRET_KEY", "KEYS_SECRET", "DATABASE_URL", "REDIS_URL", "BROKERUI_ADMIN_PASSWORD")
"""Environment variables with secrets of the product, which a job does not get."""


class JobProcess:
    """Started; it ends when this process does, whatever ends it: by the pipe that is its standard input."""

    def __init__(self, words: Sequence[str], log: deque[str]) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in SECRETS}
        self._log = log
        self._last_report: dict[str, Any] = {}
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "pipeline", *words, "--watched"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        pairs = ((self._process.stdout, self._heed), (self._process.stderr, self._keep))
        self._readers = [threading.Thread(target=_each_line, args=pair, daemon=True) for pair in pairs]
        for reader in self._readers:
            reader.start()

    @property
    def last_report(self) -> dict[str, Any]:
        """Return the last report of the job: `stage` and `rows`; at its end `counts`."""
        return dict(self._last_report)

    def wait(self, seconds: float) -> int | None:
        """Wait at most `seconds` and return the exit status; None if the process is still running."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None

    def end(self) -> None:
        """Nothing of it runs any more: it, its Java, and what that started. It may clear up before."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            if self.wait(GRACE_SECONDS) is None:
                self._process.kill()
                self._process.wait()
        end_groups([self._process.pid])
        for reader in self._readers:
            reader.join(GRACE_SECONDS)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _heed(self, line: str) -> None:
        try:
            self._last_report |= json.loads(line)
        except (ValueError, TypeError):
            self._keep(line)

    def _keep(self, line: str) -> None:
        self._log.append(line.rstrip("\n").replace("\0", " ")[:LINE])


def _each_line(stream: IO[str], take: Any) -> None:
    for line in stream:
        take(line)
