"""What the documentation says of the document is what the reader reads."""

from __future__ import annotations

import re
from pathlib import Path

from routing.catalog.shapes import SHAPES

HOW_TO = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "import.md"
READ_ONLY_FROM_GRIDS = {"schema_id"}


def test_the_columns_of_every_part() -> None:
    text = HOW_TO.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ([\w, ]+)", text, re.MULTILINE)
    documented = {part: columns.strip().split(", ") for part, columns in rows if part in SHAPES}
    assert documented == {
        part: [c for c in shape.columns if c not in READ_ONLY_FROM_GRIDS] for part, shape in SHAPES.items()
    }


def test_it_says_that_it_has_met_no_server() -> None:
    assert "has not met a live instance yet" in HOW_TO.read_text(encoding="utf-8")
