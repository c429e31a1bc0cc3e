"""Counts in which code a Python process spends its processor time.

Python loads this module by its name where PYTHONPATH names its folder. After each millisecond of processor time (or as
often as the kernel's clock allows) it notes the innermost function that is not of Python's library, and writes the
counts to a file per process in the folder BROKERUI_SAMPLES. The time of other threads counts for the function in which
the main thread is.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import sys
from collections import Counter
from pathlib import Path
from types import FrameType

FOLDER = os.environ.get("BROKERUI_SAMPLES", "")
CHECKOUT = f"{Path(__file__).resolve().parents[3]}/"
PLACES = (*(f"{folder}/" for folder in os.environ.get("PYTHONPATH", "").split(":")[1:]), CHECKOUT)
"""Where the code of the product may be: a compiled engine is beside copies of it."""
PACKAGES = "/site-packages/"
EVERY_S = 0.001
WRITTEN_AFTER = 10
"""Samples after which the file is written anew."""
ELSEWHERE = "python:"

counts = Counter[str]()


def code_of(frame: FrameType | None) -> str:
    """The file, within the checkout or the installed packages, and the function."""
    while frame is not None:
        code = frame.f_code
        file = code.co_filename
        if PACKAGES in file:
            return f"{file.rpartition(PACKAGES)[2]}:{code.co_name}"
        place = next(filter(file.startswith, PLACES), None)
        if place is not None and file != __file__:
            return f"{file.removeprefix(place)}:{code.co_name}"
        frame = frame.f_back
    return ELSEWHERE


def sample(_number: int, frame: FrameType | None) -> None:
    counts[code_of(frame)] += 1
    if counts.total() % WRITTEN_AFTER == 0:
        written = Path(FOLDER, f"{os.getpid()}.new")
        written.write_text(json.dumps(counts))
        written.replace(written.with_suffix(".json"))


def begin() -> None:
    """In each process anew: a fork has no timer, and counts of its own."""
    counts.clear()
    signal.setitimer(signal.ITIMER_PROF, EVERY_S, EVERY_S)


def end(event: str = "os.exec", _arguments: object = ()) -> None:
    """Before Python, or another program in this process, has no handler: the signal would kill it."""
    if event == "os.exec":
        signal.setitimer(signal.ITIMER_PROF, 0)


if FOLDER and "brokerui" in " ".join(sys.orig_argv) + os.environ.get("DJANGO_SETTINGS_MODULE", ""):
    signal.signal(signal.SIGPROF, sample)
    os.register_at_fork(after_in_child=begin)
    atexit.register(end)
    sys.addaudithook(end)
    begin()
