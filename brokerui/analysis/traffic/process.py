"""The jobs of a round in a process of their own: the only one that ever holds a Java."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import IO, Any

from brokerui.core.reaper import end_groups

LINES = 200
"""That are kept of what it says."""
LINE = 500
"""Characters of one."""
GRACE_SECONDS = 15.0
ERROR = "error: "
SECRETS = ("SECRET_KEY", "KEYS_SECRET", "DATABASE_URL", "REDIS_URL", "BROKERUI_ADMIN_PASSWORD")
"""Environment variables with secrets of the product, which a job does not get."""


class RoundProcess:
    """Runs one job after the other, so that they share a Python and a Java. It ends when this process does, whatever
    ends it: by the pipe that is its standard input."""

    def __init__(self, options: Sequence[str], log: deque[str]) -> None:
        environment = {name: value for name, value in os.environ.items() if name not in SECRETS}
        self._log = log
        self._lines: deque[str] = deque(maxlen=LINES)
        """Lines of standard error, and odd ones of standard output, since the job began."""
        self._last_report: dict[str, Any] = {}
        self._heard = threading.Event()
        """Set once the job has reported its status, or the process has ended."""
        self._process = subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "pipeline", "round", "-", *options, "--watched"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        pairs = ((self._process.stdout, self._heed, self._heard.set), (self._process.stderr, self._keep, _nothing))
        self._readers = [threading.Thread(target=_each_line, args=pair, daemon=True) for pair in pairs]
        for reader in self._readers:
            reader.start()

    @property
    def is_running(self) -> bool:
        """Whether the process can take another job."""
        return self._process.poll() is None

    def begin(self, words: Sequence[str]) -> None:
        """Have it run a job, once the one before is over."""
        self._last_report = {}
        self._lines.clear()
        self._heard.clear()
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended, which `wait` finds
            self._process.stdin.write(f"{shlex.join(words)}\n")
            self._process.stdin.flush()
        if not self.is_running:
            self._heard.set()

    @property
    def last_report(self) -> dict[str, Any]:
        """Return the last report of the job: `stage` and `rows`; at its end `counts` and `status`."""
        return dict(self._last_report)

    def wait(self, seconds: float) -> int | None:
        """Wait at most `seconds` and return the status of the job, 0 if it is done; None if it is still running."""
        if not self._heard.wait(seconds):
            return None
        status = self._last_report.get("status")
        return int(status) if status is not None else self._process.wait() or 1

    def error(self) -> str:
        """Return the reason why the job failed: its own line, or, where the process has ended, the last one."""
        if (problem := self._last_report.get("error")) is not None:
            return str(problem)
        for reader in self._readers:
            reader.join(GRACE_SECONDS)
        lines = [line for line in self._lines if line.strip()]
        error_lines = [line.removeprefix(ERROR) for line in lines if line.startswith(ERROR)]
        return (error_lines or lines or [""])[-1]

    def end(self) -> None:
        """Nothing of it runs any more: it, its Java, and what that started. It may clear up before."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        end_groups([self._process.pid])
        for reader in self._readers:
            reader.join(GRACE_SECONDS)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                with suppress(BrokenPipeError):  # a line that it did not take
                    stream.close()

    def _heed(self, line: str) -> None:
        try:
            self._last_report |= json.loads(line)
        except (ValueError, TypeError):
            self._keep(line)
        if "status" in self._last_report:
            self._heard.set()

    def _keep(self, line: str) -> None:
        text = line.rstrip("\n").replace("\0", " ")[:LINE]
        self._lines.append(text)
        self._log.append(text)


def _each_line(stream: IO[str], take: Callable[[str], None], at_end: Callable[[], None]) -> None:
    for line in stream:
        take(line)
    at_end()


def _nothing() -> None:
    """Do nothing at the end of a stream that says nothing of jobs."""
