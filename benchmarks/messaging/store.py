"""The store on PostgreSQL, with fsync and synchronous commit: rows a second, and the engine over it.

    .venv/bin/python benchmarks/messaging/store.py

The claims: what a batch does (claim, rows, endpoints, counters) takes at most 5 times the processor time of a bare COPY
of its rows in the same run, 200 rows a commit, and 10 times with 1; and two brokers in one process, each over a store,
pass 6,500 messages of 1 KB in a second of its core from SEND through fragments, acknowledgements and RECEIVE, all of it
committed. What the server takes, and the clock, stand beside it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from scripts.postgres import CannotRunError, server

ROOT = Path(__file__).resolve().parent.parent.parent
# Django is set up before anything of it is imported.
PROGRAM = """
import django, sys
django.setup()
from benchmarks.messaging.on_store import measure
sys.exit(not measure())
"""


def measured(home: str, url: str) -> int:
    environ = {**os.environ, "BROKERUI_HOME": home, "DJANGO_SETTINGS_MODULE": "brokerui.settings", "DATABASE_URL": url}
    return subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, env=environ, check=False).returncode


def main() -> int:
    with tempfile.TemporaryDirectory() as home:
        try:
            with server(durable=True) as url:
                return measured(home, url)
        except CannotRunError as error:
            print(f"postgresql: skipped: {error}")
            return 0


if __name__ == "__main__":
    sys.exit(main())
