"""A job that is told to end clears up first, and leaves no process behind."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, NoReturn

NUMBERS = (signal.SIGINT, signal.SIGTERM)
GRACE_SECONDS = 120
"""After which a process that was told to end is killed; Java may need half of it only to start."""
CHILD_SECONDS = 5.0
"""What those that it started have."""


class Ending:
    """Of this process, by Ctrl-C or SIGTERM: each block clears up after itself, as `KeyboardInterrupt` has it."""

    def __init__(self) -> None:
        self._is_heeded = self._is_told = self._is_held = False
        self._writer: subprocess.Popen[Any] | None = None

    def heed(self) -> None:
        """From now on. Only in the main thread."""
        self._is_heeded = True
        for number in NUMBERS:
            signal.signal(number, self._hear)

    def writes_for_us(self, process: subprocess.Popen[Any] | None) -> None:
        """The Java of this process ends before anything is cleared up, else its tasks would make it again.

        Spark took Ctrl-C for itself when it began: here that is taken back.
        """
        self._writer = process
        if self._is_heeded:
            self.heed()

    def is_alone(self) -> bool:
        """Whether the Java of this process is gone. One that goes just now has a moment for it."""
        if self._writer is None:
            return False
        with suppress(subprocess.TimeoutExpired):
            self._writer.wait(CHILD_SECONDS)
        return self._writer.returncode is not None

    @contextmanager
    def undisturbed(self) -> Iterator[None]:
        """The end waits for the end of the block, in which Java starts, but not for longer than `GRACE_SECONDS`.

        Where it can be reached Java writes into a folder that PySpark removes when it is interrupted. A Java that finds
        no such folder never looks whether its Python is still there, and stays for ever.
        """
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False
            if self._is_told:
                self._end()

    def _hear(self, _number: int, _frame: FrameType | None) -> None:
        if self._is_told:
            return
        self._is_told = True
        # Whatever becomes of the interruption: in a destructor Python would print it and go on.
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(GRACE_SECONDS)
        if not self._is_held:
            self._end()

    def _end(self) -> NoReturn:
        if self._writer is not None:
            _end_process(self._writer)
        raise KeyboardInterrupt


ENDING = Ending()
"""Of the process that this is."""


def say_it_once() -> None:
    """A job says in one line that Java is gone; Py4J logs each call that it broke, with a traceback, for all to see.

    For the process of a job, as `ENDING` is.
    """
    logging.getLogger().addFilter(is_not_of_py4j)
    logging.getLogger("py4j").setLevel(logging.CRITICAL + 1)


def is_not_of_py4j(record: logging.LogRecord) -> bool:
    """Its calls are logged under no name: only the module says whose they are."""
    return record.module != "java_gateway"


def end_group(leader: subprocess.Popen[Any]) -> None:
    """All that it started: asked to end, and after a while made to."""
    until = time.monotonic() + CHILD_SECONDS
    with suppress(ProcessLookupError, PermissionError):  # nobody is left; on macOS, none but the dead
        os.killpg(leader.pid, signal.SIGTERM)
        while time.monotonic() < until:
            time.sleep(0.1)
            leader.poll()
            os.killpg(leader.pid, 0)
        os.killpg(leader.pid, signal.SIGKILL)
    leader.wait()


def _end_process(process: subprocess.Popen[Any]) -> None:
    process.terminate()
    try:
        process.wait(CHILD_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
