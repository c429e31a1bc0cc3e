"""Recognise what a failure of Spark means: a damaged file, or a JVM that has ended."""

from __future__ import annotations

import re
from urllib.parse import unquote

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark.errors import PySparkException

from pipeline.runtime.shutdown import SHUTDOWN

_DAMAGED = re.compile(
    r"\[(?:FAILED_READ_FILE|CANNOT_READ_FILE_FOOTER)[^\]]*\].{0,80}?([a-z][a-z0-9+.-]*:/\S+?)\.?(?:\s|\Z)", re.DOTALL
)
_DENIED = re.compile(r"\b(?:AccessDeniedException|AccessControlException|NoAuthWithAWSException): ([^\n]+)")
_OF_THIS_MACHINE = re.compile("^file:/+")
_STOPPED = ("Answer from Java side is empty", "stopped SparkContext", "SparkContext was shut down")
"""Words of a failure after Spark has stopped: its Java has gone, or the cluster has taken the job off."""
SPARK_FAILURES = (PySparkException, Py4JError, ConnectionError)


class GraphError(Exception):
    """A declared graph is inconsistent or could not be computed; Spark wrote the reason to standard error."""


def damaged_file(failure: Exception) -> str | None:
    """Return the path or the URL of the file that could not be read to its end; None: the failure is another."""
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
