"""A job that is told to end clears up first, and leaves no process behind."""

from __future__ import annotations

import logging
import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM)
GRACE_SECONDS = 60.0
"""How long the job may take to clear up before it is ended at once."""
_STARTING = threading.RLock()
"""Held while Java starts."""


def end_as_interrupted() -> None:
    """From now on SIGTERM ends this process as Ctrl-C does."""
    signal.signal(signal.SIGTERM, _interrupt)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    # Py4j would log that it was interrupted, as if something were wrong.
    logging.disable(logging.CRITICAL)
    raise KeyboardInterrupt


def end_in_time(grace: float = GRACE_SECONDS) -> None:
    """Tell this process to end, and see to it that it does. Of another thread than the main one.

    The time that Java's start still takes does not count: ended within it, Python would leave its Java behind.
    """
    os.kill(os.getpid(), signal.SIGTERM)
    with _STARTING:
        pass
    time.sleep(grace)
    os._exit(1)


@contextmanager
def undisturbed() -> Iterator[None]:
    """What asks this process to end waits for the end of the block, however often. In it Java starts.

    Where it can be reached Java writes into a folder that PySpark removes when it is interrupted. A Java that finds no
    such folder never looks whether its Python is still there, and stays for ever. Signals are of the main thread: in
    others this does nothing.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: set[int] = set()

    def keep(number: int, _frame: FrameType | None) -> None:
        came.add(number)

    former = {number: signal.signal(number, keep) for number in ENDING}
    try:
        with _STARTING:
            yield
    finally:
        for number, handler in former.items():
            if signal.getsignal(number) is keep:  # Spark takes Ctrl-C for itself
                signal.signal(number, handler)
    for told in came:
        signal.raise_signal(told)
