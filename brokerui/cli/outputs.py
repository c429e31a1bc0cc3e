"""Files that a command writes: whole, or not at all."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from tempfile import mkstemp

from routing.common.errors import InputError
from routing.common.sentence import say

STANDARD_OUTPUT = "-"


def write_output(name: str, text: str) -> None:
    """The text to a file, or (`-`) to standard output. A file that is there is replaced in one step.

    Raises `InputError` where it cannot be written; the old file is untouched then.
    """
    if name == STANDARD_OUTPUT:
        sys.stdout.write(text)
        return
    try:
        _replace(Path(name).resolve(), text)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise InputError(name, "", say("cannot be written: {reason}", reason=reason)) from None


def _replace(path: Path, text: str) -> None:
    """A new file beside the old one takes its place, and its mode; a device or a pipe is written as it is."""
    if path.exists() and not path.is_file():
        path.write_text(text, encoding="utf-8")
        return
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_umask()
    handle, temporary = mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(temporary).unlink()
        raise


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
