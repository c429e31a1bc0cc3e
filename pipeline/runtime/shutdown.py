"""End a job on Ctrl-C or SIGTERM: it removes unfinished output, and leaves no process behind."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

SIGNALS = (signal.SIGINT, signal.SIGTERM)
GRACE_S = 120
"""After this the process is killed; Java alone may take half of it to start."""
CHILD_GRACE_S = 5.0
"""Time that a child process has to end after SIGTERM."""
SILENCE_S = 2.0
"""Time that Java has to silence its log."""


def _nothing() -> None:
    """Do nothing."""


class Shutdown:
    """Turns Ctrl-C and SIGTERM into `KeyboardInterrupt`, so that each `with` and `finally` block cleans up."""

    def __init__(self) -> None:
        self._is_installed = self._is_requested = self._is_deferred = False
        self._java: subprocess.Popen[Any] | None = None
        self._silence: Callable[[], object] = _nothing

    def install(self) -> None:
        """Install the signal handlers. Call it in the main thread."""
        self._is_installed = True
        for number in SIGNALS:
            signal.signal(number, self._on_signal)

    def own_java(self, process: subprocess.Popen[Any] | None, silence: Callable[[], object] = _nothing) -> None:
        """End this Java before anything is removed, because its tasks would write it again; `silence` ends its log.

        Spark replaced the handler of Ctrl-C when it started; this installs ours again.
        """
        self._java, self._silence = process, silence
        if self._is_installed:
            self.install()

    def java_has_ended(self) -> bool:
        """Return whether the Java of this process has ended. Waits `CHILD_GRACE_S` for one that is about to end."""
        if self._java is None:
            return False
        with suppress(subprocess.TimeoutExpired):
            self._java.wait(CHILD_GRACE_S)
        return self._java.returncode is not None

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Defer a shutdown until the block ends, for at most `GRACE_S`; only in the main thread, which hears signals.

        In the block tables are committed, so that all or none of them count, or Java starts: it writes its port into a
        folder that PySpark removes when it is interrupted. A Java that does not find the folder never checks whether
        its Python still runs, and would stay for ever.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        self._is_deferred = True
        try:
            yield
        finally:
            self._is_deferred = False
            if self._is_requested:
                self._end()

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        if self._is_requested:
            return
        self._is_requested = True
        # A last resort: Python ignores a KeyboardInterrupt that is raised in a destructor.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(GRACE_S)
        if not self._is_deferred:
            self._end()

    def _end(self) -> NoReturn:
        if self._java is not None:
            _within(SILENCE_S, self._silence)
            _end_process(self._java)
        raise KeyboardInterrupt


SHUTDOWN = Shutdown()
"""The shutdown of this process."""


def silence_py4j() -> None:
    """Silence Py4J, which logs a traceback for each call that fails after Java has ended; the job says it in one line.

    Call it in the process of a job only.
    """
    logging.getLogger().addFilter(is_not_of_py4j)
    logging.getLogger("py4j").setLevel(logging.CRITICAL + 1)


def is_not_of_py4j(record: logging.LogRecord) -> bool:
    """Return whether a log record is not of Py4J, which logs to the root logger: only the module tells."""
    return record.module != "java_gateway"


def end_process_group(leader: subprocess.Popen[Any]) -> None:
    """End a process and all its children: SIGTERM, and SIGKILL after `CHILD_GRACE_S`."""
    until = time.monotonic() + CHILD_GRACE_S
    with suppress(ProcessLookupError, PermissionError):  # no process is left; on macOS, only ended ones
        os.killpg(leader.pid, signal.SIGTERM)
        while time.monotonic() < until:
            time.sleep(0.1)
            leader.poll()
            os.killpg(leader.pid, 0)
        os.killpg(leader.pid, signal.SIGKILL)
    leader.wait()


def _within(seconds: float, call: Callable[[], object]) -> None:
    """Call a function in a thread of its own, as the caller may have been interrupted in the middle of a call to Java.
    Returns when it has, or after this time."""

    def called() -> None:
        with suppress(Exception):
            call()

    thread = threading.Thread(target=called, daemon=True)
    thread.start()
    thread.join(seconds)


def _end_process(process: subprocess.Popen[Any]) -> None:
    process.terminate()
    try:
        process.wait(CHILD_GRACE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
