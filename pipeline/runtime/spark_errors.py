"""Recognise what a failure of Spark means: a damaged file, a place that is refused, or a JVM that has ended."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark.errors import PySparkException

from pipeline.runtime.shutdown import SHUTDOWN

_DAMAGED = re.compile(
    r"\[(?:FAILED_READ_FILE|CANNOT_READ_FILE_FOOTER)[^\]]*\].{0,80}?([a-z][a-z0-9+.-]*:/\S+?)\.?(?:\s|\Z)", re.DOTALL
)
_DENIED = re.compile(r"\b(?:AccessDeniedException|AccessControlException|NoAuthWithAWSException): ([^\n]+)")
_REFUSED = re.compile(
    r"\b(No space left on device|Disk quota exceeded|File too large|Read-only file system|Permission denied"
    r"|Not a directory|Too many open files)\b"
)
"""Reasons of the operating system for which a file is not read or written."""
_MISSING = re.compile(
    r"(?:\[PATH_NOT_FOUND\] Path does not exist|\[FAILED_READ_FILE\.FILE_NOT_EXIST\][^\n]{0,80}? file):?"
    r" ([a-z][a-z0-9+.-]*:/\S+?)\.?(?:\s|\Z)"
)
_NO_FOLDER = re.compile(r"Mkdirs failed to create (\S+)")
_WRITTEN = re.compile(r"writing rows to (\S+?)\.?(?:\s|$)")
_NAMED = re.compile(r"(\S*/\S+?)(?: \(|: )(?:No space|Disk quota|File too|Read-only|Permission|Not a dir|Too many)")
_UNFINISHED = "/_temporary"
"""The folder in which Spark has files that are not finished."""
_OF_THIS_MACHINE = re.compile("^file:/+")
_STOPPED = ("Answer from Java side is empty", "stopped SparkContext", "SparkContext was shut down")
"""Words of a failure after Spark has stopped: its Java has gone, or the cluster has taken the job off."""
SPARK_FAILURES = (PySparkException, Py4JError, ConnectionError)


class GraphError(Exception):
    """A declared graph is inconsistent or could not be computed; Spark wrote the reason to standard error."""


class RefusedPlace(NamedTuple):
    """A place that Spark could not read or write."""

    place: str
    """Its path or URL; empty: Spark does not say it."""
    reason: str


def refused_place(failure: Exception) -> RefusedPlace | None:
    """Return the place at which the operating system refused Spark, and its words; None: the failure is another."""
    text = str(failure) if isinstance(failure, SPARK_FAILURES) else ""
    words, folder = _REFUSED.search(text), _NO_FOLDER.search(text)
    if words is None and folder is None:
        return None
    named = _WRITTEN.search(text) or folder or _NAMED.search(text)
    place = "" if named is None else unquote(named[1]).partition(_UNFINISHED)[0]
    return RefusedPlace(_OF_THIS_MACHINE.sub("/", place), words[1] if words else "no folder can be made there")


def missing_file(failure: Exception) -> str | None:
    """Return the path or the URL of a file that is gone, which Spark was to read; None: the failure is another."""
    found = _MISSING.search(str(failure)) if isinstance(failure, SPARK_FAILURES) else None
    return _OF_THIS_MACHINE.sub("/", unquote(found[1])) if found else None


def damaged_file(failure: Exception) -> str | None:
    """Return the path or the URL of the file that could not be read to its end; None: the failure is another."""
    if _REFUSED.search(str(failure)) or _MISSING.search(str(failure)):
        return None
    found = _DAMAGED.search(str(failure))
    return _OF_THIS_MACHINE.sub("/", unquote(found[1])) if found else None


def denied(failure: Exception) -> str | None:
    """Return the words of a store that refused Spark to read or write; None: the failure is another."""
    found = _DENIED.search(str(failure)) if isinstance(failure, SPARK_FAILURES) else None
    return found[1].strip() if found else None


def spark_has_ended(failure: Exception) -> bool:
    """Return whether Spark has ended: its Java was killed or had no memory left, or the cluster ended the job.

    The failure itself need not show it: Py4J may report a broken connection, any error, or an unknown class.
    """
    if isinstance(failure, (Py4JNetworkError, ConnectionError)) or any(words in str(failure) for words in _STOPPED):
        return True
    return isinstance(failure, Py4JError) and not isinstance(failure, Py4JJavaError) and SHUTDOWN.java_has_ended()
