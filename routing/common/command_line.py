"""Arguments and error lines of a command, where a standard stream may take nothing."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any, TextIO


class CommandParser(argparse.ArgumentParser):
    """Reads arguments. Help that cannot be written is an error (OSError); argparse itself ignores that."""

    def _print_message(self, message: str, file: Any = None) -> None:
        if file is not sys.stdout:
            write_error(message)
        elif message:
            file.write(message)
            file.flush()


def write_error(text: str) -> None:
    """Write to standard error, if it takes anything."""
    errors: TextIO | None = sys.stderr
    if errors is None:
        return
    try:
        errors.write(text)
        errors.flush()
    except OSError:  # Python would flush the text again at exit, and end with 120
        os.dup2(os.open(os.devnull, os.O_WRONLY), errors.fileno())
