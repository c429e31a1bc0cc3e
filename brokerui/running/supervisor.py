"""Runs the processes of the product: starts them in order, restarts those that end, ends all together.

Order: Valkey; the web, which makes the home ready; then worker, beat and endpoint, which need the database; last, once
the pages answer, the pipeline.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from brokerui.core.languages import local
from brokerui.running.child import Child, Program
from brokerui.running.lock import HomeLock, ProductState, RunningProcess
from brokerui.running.log_merge import LogMerge
from brokerui.running.logs import ProcessLog
from brokerui.running.messages import (
    exit_text,
    failure_text,
    login_line,
    print_error,
    print_failure,
    print_line,
    restart_line,
)
from brokerui.running.report import ERROR, PREPARED, READY, Reports
from routing.common.sentence import Sentence, say

TURN_S = 1.0
GRACE_S = 8.0
"""Time that requests and tasks may take to end, in seconds."""
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class FailedError(Exception):
    """The product did not start; the text is the reason."""


@dataclass
class Supervisor:
    """The programs to run, and their processes."""

    home: Path
    lock: HomeLock
    address: str
    first: list[Program]
    """Programs that the web needs."""
    web: Program
    then: list[Program]
    """Programs that start once the home is prepared."""
    last: list[Program]
    """Programs that start once the pages answer."""
    reports: Reports
    together: LogMerge
    children: list[Child] = field(default_factory=list)
    is_announced: bool = False
    _login: tuple[str, str] | None = None
    _stop: bool = False
    _reaper: subprocess.Popen[bytes] | None = None

    def run(self) -> int:
        """Run until a signal stops it. Return 0 after a clean stop, 1 if the product did not start."""
        self._log = ProcessLog(self.home, "up")
        self.together.begin(self._log)
        waker = self._catch_signals()
        try:
            for program in (*self.first, self.web):
                self._add(program)
            while not self._stop:
                select.select([waker, self.reports.descriptor], [], [], self._pause())
                _drain(waker)
                self._turn()
        except FailedError as error:
            print_failure(str(error))
            self._print_login()  # the user is made, whatever failed afterwards
            return 1
        finally:
            self._end_all()
        return 0

    def _turn(self) -> None:
        for each in self.reports.read():
            self._on_report(each)
        for child in self.children:
            pid, status = child.pid, child.ended()
            if status is not None:
                self._tell_reaper(-pid)
            if status is not None and not self._stop:
                self._on_exit(child, status)
            elif child.process is None and time.monotonic() >= child.due:
                self._start(child)
            self.together.follow(child.log)
            child.log.bound()
        self.together.follow(self._log)
        self._log.bound()
        self._ensure_reaper()

    def _pause(self) -> float:
        """Seconds until the next restart is due; signals and reports interrupt the wait."""
        waiting = [child.due - time.monotonic() for child in self.children if child.process is None]
        return max(0.0, min([TURN_S, *waiting]))

    def _on_report(self, report: Mapping[str, Any]) -> None:
        if report["kind"] == ERROR and not self.is_announced:
            raise FailedError(report["text"])
        if report["kind"] == PREPARED and len(self.children) == len(self.first) + 1:
            self._login = report["login"]
            for text in report["conditions"]:
                self._say(text)
            for program in self.then:
                self._add(program)
        if report["kind"] == READY and not self.is_announced:
            self._announce()

    def _announce(self) -> None:
        self.is_announced = True
        print_line(say("BrokerUI is ready: {address}  (Ctrl-C stops it)", address=self.address))
        self._print_login()
        for program in self.last:
            self._add(program)

    def _print_login(self) -> None:
        if self._login:
            print_line(login_line(*self._login))
            self._login = None

    # -- Processes ---------------------------------------------------------------------------------------------

    def _add(self, program: Program) -> None:
        child = Child(program, ProcessLog(self.home, program.name))
        self.together.begin(child.log)
        self.children.append(child)
        self._start(child)

    def _start(self, child: Child) -> None:
        self._ensure_reaper()
        try:
            child.start()
        except OSError as error:
            if not self.is_announced:
                raise FailedError(f"{child.program.name}: {error}") from error
            child.schedule()
            return
        self._tell_reaper(child.pid)
        self._write_state()

    def _on_exit(self, child: Child, status: int) -> None:
        if child.program == self.web and not self.is_announced:
            for each in self.reports.read():
                self._on_report(each)
            raise FailedError(failure_text(child, status))
        pause = child.schedule()
        # Failures in a row are printed once; the log of the process has each of them.
        if child.failures == 1:
            self._event(restart_line(child, status))
        child.log.write(f"-- ended: {exit_text(status)}; starting again in {pause:.1f} s")
        self._write_state()

    def _end_all(self) -> None:
        """End the programs in reverse order: first those that create work, last those that the others need."""
        until = time.monotonic() + GRACE_S
        first, later = self.children[: len(self.first)], self.children[len(self.first) :]
        for group in (later[::-1], first):
            for child in group:  # once: a program that gets a second signal while it ends may print tracebacks
                child.ask_to_end()
            for child in group:
                child.end(until)
                self.together.follow(child.log)
        if self._reaper is not None and self._reaper.stdin is not None:
            self._reaper.kill()
            self._reaper.wait()
            self._reaper.stdin.close()

    def _write_state(self) -> None:
        running = tuple(RunningProcess(child.program.name, child.pid, child.restarts) for child in self.children)
        try:
            self.lock.write(ProductState(os.getpid(), self.address, running))
        except OSError:
            if not self.is_announced:
                raise
            # A volume has filled up: what runs goes on, and the state is written the next time.

    # -- Not leaving orphans ---------------------------------------------------------------------------------------

    def _ensure_reaper(self) -> None:
        """Start the reaper if it does not run, and tell it all process groups."""
        if self._reaper is not None and self._reaper.poll() is None:
            return
        self._reaper = subprocess.Popen(
            [sys.executable, "-m", "brokerui.core.reaper"],
            stdin=subprocess.PIPE,
            pass_fds=(self.lock.shared,),
            start_new_session=True,
        )
        for child in self.children:
            if child.pid:
                self._tell_reaper(child.pid)

    def _tell_reaper(self, pid: int) -> None:
        """Send a process group to the reaper; negative when it has ended."""
        if self._reaper is None or self._reaper.stdin is None:
            return
        try:
            self._reaper.stdin.write(b"%d\n" % pid)
            self._reaper.stdin.flush()
        except BrokenPipeError:
            return  # it was killed; the next turn starts another

    # -- Signals and words -----------------------------------------------------------------------------------------

    def _catch_signals(self) -> int:
        """Handle signals. Return a descriptor that becomes readable with each of them."""
        reader, writer = os.pipe()
        for end in (reader, writer):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in STOPPING:
            # Under `nohup` it continues when the terminal is closed.
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
                signal.signal(number, self._request_stop)
        return reader

    def _request_stop(self, *_signal: object) -> None:
        if self._stop:  # a second signal: kill at once
            for child in self.children:
                if child.process is not None:
                    child.process.kill()
        self._stop = True

    def _event(self, sentence: Sentence) -> None:
        self._say(local(sentence))

    def _say(self, text: str) -> None:
        """On the terminal, and in the log."""
        self._log.write(text)
        print_error(text)


def _drain(descriptor: int) -> None:
    try:
        os.read(descriptor, 1 << 12)
    except BlockingIOError:
        return
