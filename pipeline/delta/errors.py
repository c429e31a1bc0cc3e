"""Failures of a log as the errors that the pipeline reports in one line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from deltalake.exceptions import DeltaError

from pipeline.files.location import Location
from routing.common.errors import InputError
from routing.common.sentence import say

_OBJECT: Final = re.compile(r":? \w+ \{ .*")
"""An object in the words of its programmers at the end of a reason."""


class OvertakenError(InputError):
    """Another commit came first: nothing of this one counts."""

    def __init__(self, place: Location) -> None:
        problem = say("was written by another run meanwhile; nothing of this one counts: run it again")
        super().__init__(str(place), "", problem)


@contextmanager
def log_errors(place: Location) -> Iterator[None]:
    """Raise `InputError` where the log of the table at this place cannot be read or written."""
    try:
        yield
    except (DeltaError, OSError, ValueError) as error:
        if isinstance(error, PermissionError | InputError):
            raise
        reason = _OBJECT.sub("", (str(error).splitlines() or [type(error).__name__])[0])
        raise InputError(str(place), "", say("its Delta log fails: {reason}", reason=reason)) from None
