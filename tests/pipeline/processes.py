"""The processes of a job, and whether it is writing: for tests that kill some of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from subprocess import PIPE

from brokerui.core.home import CHECKOUT

PATIENCE = 300
"""Seconds until a job counts as hanging, on a machine of any speed."""


def is_writing_rows(folder: Path) -> bool:
    """The rows themselves, not the questions that come first."""
    return bool(rows_at_work(folder))


def rows_at_work(folder: Path) -> set[str]:
    """The files of rows that tasks are writing. Folders may go while they are looked through."""
    places = ((place, name) for place, _, files in os.walk(folder) for name in files if name.startswith("part-"))
    parts = ((Path(place).parts, f"{place}/{name}") for place, name in places)
    return {file for folders, file in parts if "_temporary" in folders and "_work" not in folders}


def children(pid: int) -> Iterator[int]:
    """The processes that this one started, which it alone can have, and that have not ended."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            yield int(status.parent.name)


def java_killed_when(is_time: Callable[[], bool], arguments: Sequence[str]) -> tuple[int, str]:
    """The status and the words of a job whose Java is killed as soon as it is time."""
    command = [sys.executable, "-m", "pipeline", *arguments, "--master", "local[2]"]
    with subprocess.Popen(command, stdout=PIPE, stderr=PIPE, text=True, cwd=CHECKOUT) as process:
        try:
            until = time.monotonic() + PATIENCE
            while not is_time():
                assert process.poll() is None, process.stderr and process.stderr.read()
                assert time.monotonic() < until
                time.sleep(0.01)
        finally:
            for child in children(process.pid):
                os.kill(child, signal.SIGKILL)
        _, output = process.communicate(timeout=PATIENCE)
    return process.returncode, output
