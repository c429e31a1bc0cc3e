"""The page of imports with an estate of 1,000 instances and 50,000 routes, on PostgreSQL (SQLite where there is none).

    .venv/bin/python benchmarks/import_page.py

The claims: reading, preview and applying together under 60 seconds, and no request over 0.3 seconds.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.homes import on_postgresql_or_sqlite

if __name__ == "__main__":
    sys.exit(on_postgresql_or_sqlite("benchmarks.on_import_page"))
