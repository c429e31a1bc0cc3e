"""The map as an editor, in a headless Chromium without a GPU, on PostgreSQL (SQLite where there is none).

    .venv/bin/python benchmarks/map_editor.py

The claims: with 300 elements in view at least 50 frames a second while a user pans, zooms, moves a box and draws a
route; first paint within 1 s; an estate of 50,000 routes opens within 1 s, added up, with what the draft changes one
link away. It needs the tools of the tests (`make check` installs them): Playwright drives the browser.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.homes import on_postgresql_or_sqlite

if __name__ == "__main__":
    sys.exit(on_postgresql_or_sqlite("benchmarks.on_map_editor"))
