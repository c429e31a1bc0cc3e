"""Requests to the REST interface on an estate of 1,000 instances, 5,000 databases and 50,000 routes.

    .venv/bin/python benchmarks/rest.py

The claim: none takes more than 300 ms, on SQLite and on PostgreSQL.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.homes import on_both

if __name__ == "__main__":
    sys.exit(on_both("benchmarks.rest_on_database"))
