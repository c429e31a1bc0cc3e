"""Failures of Hadoop's file systems as those that Python's own files have."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from py4j.protocol import Py4JJavaError

from pipeline.files.location import Location
from routing.common.errors import InputError
from routing.common.sentence import say

_ABSENT: Final = ("java.io.FileNotFoundException", "java.nio.file.NoSuchFileException")
_PRESENT: Final = ("org.apache.hadoop.fs.FileAlreadyExistsException", "java.nio.file.FileAlreadyExistsException")
_DENIED: Final = (
    "org.apache.hadoop.security.AccessControlException",
    "java.nio.file.AccessDeniedException",
    "org.apache.hadoop.fs.s3a.auth.NoAuthWithAWSException",
)
_DENIED_HERE: Final = "(Permission denied)"
"""The word of Java for a file of this machine that is there and may not be opened, beside the name of one that is
not."""
_NO_STORE: Final = ("org.apache.hadoop.fs.s3a.UnknownStoreException", "java.net.UnknownHostException")
_NO_CLASS: Final = ("org.apache.hadoop.fs.UnsupportedFileSystemException", "java.lang.ClassNotFoundException")
_CONFLICT: Final = re.compile(r"(?<![^\s(\[,:=])412(?![^\s)\],.;:])")
"""The status with which a store refuses a conditional write that comes second; in the name of a file it is none."""

_CLASS: Final = re.compile(r"(?:[a-z]\w*\.)+[A-Z]\w*: ")
"""The class of Java with which an error begins that another one caused."""


@contextmanager
def reported(place: Location) -> Iterator[None]:
    """Raise the error of Python that an error of Java means. Raises `InputError` for a scheme without classes."""
    try:
        yield
    except Py4JJavaError as failure:
        raise python_error(place, *_causes(failure.java_exception)) from None


def python_error(place: Location, *causes: tuple[str, str]) -> OSError | InputError:
    """Return the error for the class and message of a failure of Java, followed by those of its causes."""
    names, message = {name for name, _ in causes}, _first_line(causes)
    if names & {*_NO_CLASS}:
        problem = say("nothing here reads {scheme}://: Spark lacks the library for it", scheme=_scheme(place))
        return InputError(str(place), "", problem)
    if names & {*_NO_STORE}:
        return OSError(errno.ENXIO, f"the store is not there ({message})", str(place))
    if names & {*_DENIED} or any(_DENIED_HERE in text for _, text in causes):
        return PermissionError(errno.EACCES, f"no permission ({message})", str(place))
    if names & {*_ABSENT}:
        return FileNotFoundError(errno.ENOENT, "is not there", str(place))
    if names & {*_PRESENT} or any("PreconditionFailed" in name or _CONFLICT.search(text) for name, text in causes):
        return FileExistsError(errno.EEXIST, "is there already", str(place))
    return OSError(errno.EIO, message, str(place))


def _causes(failure: Any) -> Iterator[tuple[str, str]]:
    while failure is not None:
        yield failure.getClass().getName(), failure.getMessage() or ""
        failure = failure.getCause()


def _first_line(causes: tuple[tuple[str, str], ...]) -> str:
    name, message = causes[0]
    return _CLASS.sub("", (message.splitlines() or [name])[0])


def _scheme(place: Location) -> str:
    return str(place).partition("://")[0]
