"""Draw the phases of a mirrored route into the documentation again: `python -m tests.routing.mirror.redraw`."""

from __future__ import annotations

from pathlib import Path

from routing.mirror.diagram import redrawn

PAGE = Path(__file__).resolve().parents[3] / "docs" / "reference" / "mirrored-routes.md"

if __name__ == "__main__":
    PAGE.write_text(redrawn(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
