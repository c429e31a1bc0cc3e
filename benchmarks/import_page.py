"""The page of imports with an estate of 1,000 instances and 50,000 routes, on PostgreSQL (SQLite where there is none).

    .venv/bin/python benchmarks/import_page.py

The claims: reading, preview and applying together under 60 seconds, and no request over 0.3 seconds.
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
from benchmarks.on_import_page import measure
sys.exit(not measure())
"""


def measured(home: str, **database: str) -> int:
    inherited = {key: value for key, value in os.environ.items() if key != "DATABASE_URL"}
    environ = {**inherited, "BROKERUI_HOME": home, "DJANGO_SETTINGS_MODULE": "brokerui.settings", **database}
    return subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, env=environ, check=False).returncode


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
