"""The standard streams of a command: what cannot be written is an error, also where a stream is closed."""

from __future__ import annotations

import errno
import os
import select
import sys
from io import TextIOBase, TextIOWrapper, UnsupportedOperation
from pathlib import Path
from typing import TextIO

from routing.common.errors import InputError
from routing.common.sentence import say

CANNOT_WRITE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EBADF, errno.EIO)
"""Error numbers that mean that a stream takes nothing."""


class ClosedOutput(TextIOBase):
    """Stands for a standard output that was closed from the start: writing to it is an error."""

    def write(self, _: str) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))

    def writable(self) -> bool:
        return True


def ready_streams() -> None:
    """Write UTF-8, which JSON is, whatever the locale says. Lines for a closed standard error are dropped."""
    output: TextIO | None = sys.stdout
    if output is None:
        sys.stdout = ClosedOutput()
    elif isinstance(output, TextIOWrapper):
        output.reconfigure(encoding="utf-8")
    errors: TextIO | None = sys.stderr
    if errors is None:
        sys.stderr = _nowhere()


def need_output() -> None:
    """Refuse a command that would do its work and then find that standard output was closed from the start."""
    if isinstance(sys.stdout, ClosedOutput):
        raise InputError("-", "", say("cannot be written: {reason}", reason=os.strerror(errno.EBADF)))


def wait_until_taken() -> None:
    """Write the buffer, and wait until standard output takes a short answer at once: then a pipe has a reader, or
    room. Raises `OSError` where it takes nothing any more."""
    need_output()
    sys.stdout.flush()
    if (poll := _output()) is not None:
        poll.poll()


def is_taken_at_once(text: str) -> bool:
    """True if standard output takes all of a text now, without waiting for its reader."""
    poll = _output()
    return poll is None or (len(text.encode()) <= select.PIPE_BUF and bool(poll.poll(0)))


def write_now(text: str) -> None:
    """Write to standard output, and flush it."""
    sys.stdout.write(text)
    sys.stdout.flush()


def _output() -> select.poll | None:
    """Tells whether the standard output takes `PIPE_BUF` bytes; None for one in memory."""
    try:
        descriptor = sys.stdout.fileno()
    except (UnsupportedOperation, ValueError):
        return None
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    return poll


def forget_output() -> None:
    """Keep Python's own flush at exit from meeting the same fault again."""
    if isinstance(sys.stdout, ClosedOutput):
        sys.stdout = _nowhere()
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")
