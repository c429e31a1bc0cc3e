"""Every page and resource on an estate of 1,000 instances, 5,000 databases and 50,000 routes, on PostgreSQL.

    .venv/bin/python benchmarks/pages.py [PARTS OF NAMES, BY COMMAS]

The claims: none takes more than 300 ms, not the first time in a process that has just started, not while findings and
surveys are still being worked out, and not right after an edit either.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.homes import on_postgresql_or_sqlite

if __name__ == "__main__":
    sys.exit(on_postgresql_or_sqlite("benchmarks.on_pages", *sys.argv[1:]))
