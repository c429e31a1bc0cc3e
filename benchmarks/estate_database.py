"""The live estate in the database, 1,000 instances and 50,000 routes, on SQLite and on PostgreSQL.

    .venv/bin/python benchmarks/estate_database.py

The claims: import of it from nothing under 60 seconds, an edit of one route under 0.1 seconds, the current estate in
under a millisecond where it is in memory. Each stands beside a peer of the same run.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.homes import on_both

if __name__ == "__main__":
    sys.exit(on_both("benchmarks.on_database"))
