"""Java starts undisturbed: whoever is told to end meanwhile ends once it is there.

Where it can be reached Java writes into a folder that PySpark removes when it is interrupted. A Java that finds no such
folder never looks whether its Python is still there, and stays for ever.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ENDING = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def undisturbed() -> Iterator[None]:
    """What asks this process to end waits for the end of the block, however often. Signals are of the main thread: in
    others this does nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: set[int] = set()

    def keep(number: int, _frame: FrameType | None) -> None:
        came.add(number)

    former = {number: signal.signal(number, keep) for number in ENDING}
    try:
        yield
    finally:
        for number, handler in former.items():
            if signal.getsignal(number) is keep:  # Spark takes Ctrl-C for itself
                signal.signal(number, handler)
    for told in came:
        signal.raise_signal(told)
