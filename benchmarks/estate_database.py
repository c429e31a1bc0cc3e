"""The live estate in the database, 1,000 instances and 50,000 routes, on SQLite and on PostgreSQL.

    .venv/bin/python benchmarks/estate_database.py

The claims: import of it from nothing under 60 seconds, an edit of one route under 0.1 seconds, the current estate in
under a millisecond where it is in memory. Each stands beside a peer of the same run.
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
from benchmarks.on_database import measure
sys.exit(not measure())
"""


def measured(home: str, **database: str) -> int:
    inherited = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    environ = {**inherited, "BROKERUI_HOME": home, "DJANGO_SETTINGS_MODULE": "brokerui.settings", **database}
    return subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, env=environ, check=False).returncode


def main() -> int:
    with tempfile.TemporaryDirectory() as home:
        missed = measured(home)
        try:
            with server(durable=True) as url:
                missed += measured(home, DATABASE_URL=url)
        except CannotRunError as error:
            print(f"postgresql: skipped: {error}")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
