"""One process of the product: started, watched, started again, ended."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Mapping
from dataclasses import dataclass

from brokerui.core.backoff import Backoff
from brokerui.core.reaper import signal_group
from brokerui.running.logs import ProcessLog

RESTART_BACKOFF = Backoff(first_s=0.2, max_s=30.0)
STEADY_S = 30.0
"""Who ran so long starts again as if for the first time."""


@dataclass(frozen=True, slots=True)
class Program:
    """What to start."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    descriptors: tuple[int, ...] = ()
    """Open files that it is handed."""


@dataclass(slots=True)
class Child:
    """A program, and the process that runs it now."""

    program: Program
    log: ProcessLog
    process: subprocess.Popen[bytes] | None = None
    begun: float = 0.0
    failures: int = 0
    """In a row, without having run steadily in between."""
    restarts: int = 0
    due: float = 0.0
    """When to start it again."""

    @property
    def pid(self) -> int:
        return self.process.pid if self.process else 0

    def start(self) -> None:
        """In a session of its own: Ctrl-C is for the supervisor, which then ends all in order."""
        output = self.log.open()
        try:
            self.process = subprocess.Popen(  # noqa: S603 - our own programs
                self.program.command,
                env=dict(self.program.environment),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=self.program.descriptors,
                start_new_session=True,
            )
        finally:
            os.close(output)
        self.begun = time.monotonic()

    def ended(self) -> int | None:
        """Its exit status (of a signal: the negative number) once it has ended, after clearing up what it left."""
        if self.process is None or self.process.poll() is None:
            return None
        status, self.process = self.process, None
        signal_group(status.pid, signal.SIGKILL)
        return status.returncode

    def schedule(self) -> float:
        """Have it started again, the later the more often it failed; gives the pause."""
        now = time.monotonic()
        self.failures = 1 if now - self.begun > STEADY_S else self.failures + 1
        pause = RESTART_BACKOFF.pause_s(self.failures)
        self.due, self.restarts = now + pause, self.restarts + 1
        return pause

    def ask_to_end(self) -> None:
        """Only its first process: that one ends its own."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)

    def end(self, until: float) -> None:
        """Wait for it, and kill what is left at that moment."""
        if self.process is None:
            return
        try:
            self.process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            signal_group(self.process.pid, signal.SIGKILL)
            self.process.wait()
        signal_group(self.process.pid, signal.SIGKILL)
        self.process = None
