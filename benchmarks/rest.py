"""Requests to the REST interface on an estate of 1,000 instances, 5,000 databases and 50,000 routes.

    .venv/bin/python benchmarks/rest.py

The claim: none takes more than 300 ms, on SQLite and on PostgreSQL.
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
# Django is set up before anything of it is imported, and for one database in each process.
PROGRAM = """
import django, sys
django.setup()
from benchmarks.rest_on_database import measure
sys.exit(not measure())
"""


def measured(**database: str) -> int:
    inherited = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    with tempfile.TemporaryDirectory() as home:
        environ = {**inherited, "BROKERUI_HOME": home, "DJANGO_SETTINGS_MODULE": "brokerui.settings", **database}
        return subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, env=environ, check=False).returncode


def main() -> int:
    missed = measured()
    try:
        with server(durable=True) as url:
            missed += measured(DATABASE_URL=url)
    except CannotRunError as error:
        print(f"postgresql: skipped: {error}")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
