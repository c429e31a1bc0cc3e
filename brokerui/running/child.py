"""One process of the product: starts, restarts and ends it."""

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
"""A process that ran for this long restarts without a longer pause."""


@dataclass(frozen=True, slots=True)
class Program:
    """A command, with its environment."""

    name: str
    command: tuple[str, ...]
    environment: Mapping[str, str]
    descriptors: tuple[int, ...] = ()
    """Open file descriptors that the process inherits."""


@dataclass(slots=True)
class Child:
    """A program and the process that runs it."""

    program: Program
    log: ProcessLog
    process: subprocess.Popen[bytes] | None = None
    begun: float = 0.0
    failures: int = 0
    """Failures in a row, without a steady run between them."""
    restarts: int = 0
    due: float = 0.0
    """Moment of the next start, by the monotonic clock."""

    @property
    def pid(self) -> int:
        return self.process.pid if self.process else 0

    def start(self) -> None:
        """Start the process in a session of its own, so that Ctrl-C reaches only the supervisor."""
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
        """Return the exit status (negative: a signal) once it has ended; then kill the others of its group."""
        if self.process is None or self.process.poll() is None:
            return None
        status, self.process = self.process, None
        signal_group(status.pid, signal.SIGKILL)
        return status.returncode

    def schedule(self) -> float:
        """Schedule the restart after a pause that doubles with each failure. Return the pause in seconds."""
        now = time.monotonic()
        self.failures = 1 if now - self.begun > STEADY_S else self.failures + 1
        pause = RESTART_BACKOFF.pause_s(self.failures)
        self.due, self.restarts = now + pause, self.restarts + 1
        return pause

    def ask_to_end(self) -> None:
        """Send SIGTERM to its first process, which ends the others."""
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)

    def end(self, until: float) -> None:
        """Wait until that moment, then kill the processes that still run in the group."""
        if self.process is None:
            return
        try:
            self.process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            signal_group(self.process.pid, signal.SIGKILL)
            self.process.wait()
        signal_group(self.process.pid, signal.SIGKILL)
        self.process = None
