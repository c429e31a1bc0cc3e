"""Every page and resource on an estate of 1,000 instances, 5,000 databases and 50,000 routes, on PostgreSQL.

    .venv/bin/python benchmarks/pages.py [PART OF A NAME]

The claims: none takes more than 300 ms, not the first time in a process that has just started, not while findings and
surveys are still being worked out, and not right after an edit either.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from scripts.postgres import CannotRunError, server

ROOT = Path(__file__).resolve().parent.parent
PROGRAM = """
import django, sys
django.setup()
from benchmarks.on_pages import measure
sys.exit(not measure(*sys.argv[1:]))
"""


def measured(home: str, **database: str) -> int:
    inherited = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    environ = {**inherited, "BROKERUI_HOME": home, "DJANGO_SETTINGS_MODULE": "brokerui.settings", **database}
    command = [sys.executable, "-c", PROGRAM, *sys.argv[1:]]
    return subprocess.run(command, cwd=ROOT, env=environ, check=False).returncode


def main() -> int:
    with tempfile.TemporaryDirectory() as home:
        try:
            with server(durable=True) as url:
                return measured(home, DATABASE_URL=url)
        except CannotRunError as error:
            print(f"postgresql: skipped: {error}")
            return measured(home)


if __name__ == "__main__":
    sys.exit(main())
