"""Running a measurement in a home and on a database of its own.

Django is set up before anything of it is imported, and for one database in each process.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from scripts.postgres import CannotRunError, kept, server

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = """
import importlib, sys
import django
django.setup()
sys.exit(not importlib.import_module(sys.argv[1]).measure(*sys.argv[2:]))
"""


def on_sqlite(module: str, *arguments: str) -> int:
    """How many claims were missed, 0 or 1, by `measure` of a module."""
    return _measured(module, arguments)


def on_postgresql(module: str, *arguments: str) -> int | None:
    """The same on PostgreSQL; None where it cannot run here, which is said."""
    try:
        with server(durable=True) as url:
            return _measured(module, arguments, DATABASE_URL=url)
    except CannotRunError as error:
        print(f"postgresql: skipped: {error}")
        return None


def on_kept(folder: Path, module: str, *arguments: str) -> int | None:
    """The same on a PostgreSQL whose database stays in the folder for the next run."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with kept(folder.resolve(), durable=True) as one:
            return _measured(module, arguments, DATABASE_URL=one.url)
    except CannotRunError as error:
        print(f"postgresql: skipped: {error}")
        return None


def on_both(module: str) -> int:
    """On SQLite, and on PostgreSQL where it can run."""
    return int(on_sqlite(module) + (on_postgresql(module) or 0) > 0)


def on_postgresql_or_sqlite(module: str, *arguments: str) -> int:
    """On PostgreSQL; where it cannot run, on SQLite."""
    missed = on_postgresql(module, *arguments)
    return on_sqlite(module, *arguments) if missed is None else missed


def _measured(module: str, arguments: tuple[str, ...], **database: str) -> int:
    inherited = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    command = [sys.executable, "-c", PROGRAM, module, *arguments]
    with tempfile.TemporaryDirectory() as home:
        environ = {**inherited, "BROKERUI_HOME": home, "DJANGO_SETTINGS_MODULE": "brokerui.settings", **database}
        return subprocess.run(command, cwd=ROOT, env=environ, check=False).returncode
