"""What Spark says when a file or a process fails, in our words."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

from py4j.protocol import Py4JError, Py4JJavaError, Py4JNetworkError
from pyspark.errors import PySparkException

from pipeline.ending import ENDING

_DAMAGED = re.compile(
    r"\[(?:FAILED_READ_FILE|CANNOT_READ_FILE_FOOTER)[^\]]*\].{0,80}?(file:\S+?)\.?(?:\s|\Z)", re.DOTALL
)
FAILURES = (PySparkException, Py4JError, ConnectionError)


class GraphError(Exception):
    """A declared graph does not hold, or could not be computed; Spark said why on standard error."""


def damaged_file(failure: Exception) -> Path | None:
    """The file that could not be read to its end, where that is what happened."""
    found = _DAMAGED.search(str(failure))
    return Path("/" + unquote(found[1]).removeprefix("file:").lstrip("/")) if found else None


def has_ended(failure: Exception) -> bool:
    """Whether Spark itself is gone: killed, or out of memory.

    A call that broke may say that instead, or only that there was an error, or that there is no such class.
    """
    if isinstance(failure, (Py4JNetworkError, ConnectionError)) or "Answer from Java side is empty" in str(failure):
        return True
    return isinstance(failure, Py4JError) and not isinstance(failure, Py4JJavaError) and ENDING.is_alone()
