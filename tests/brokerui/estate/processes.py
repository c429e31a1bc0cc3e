"""Processes of their own on the database of a test."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from django.db import connection

from brokerui.core.home import CHECKOUT


def environment(home: Path) -> dict[str, str]:
    """On a server the database of this test; else a file in a home of its own."""
    given = {**os.environ, "BROKERUI_HOME": str(home)}
    given.pop("DATABASE_URL", None)
    if connection.vendor == "postgresql":
        to = connection.settings_dict
        place = f"{to['HOST']}/{to['NAME']}" if to["HOST"].startswith("/") else f"{to['NAME']}"
        login = f"{to['USER']}:{to['PASSWORD']}" if to["PASSWORD"] else to["USER"]
        where = "" if to["HOST"].startswith("/") else to["HOST"] + (f":{to['PORT']}" if to["PORT"] else "")
        given["DATABASE_URL"] = f"postgres://{login}@{where}/{place}"
    return given


def start(home: Path, module: str, *arguments: str) -> subprocess.Popen[str]:
    """A process on the database of this test that runs a module with arguments."""
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.Popen(
        command, cwd=CHECKOUT, env=environment(home), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def output_of(process: subprocess.Popen[str]) -> str:
    """What a process printed, once it has ended without an error."""
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0, err
    return out
