"""What the documentation says of the document is what the reader reads."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from routing.catalog.shapes import SHAPES
from routing.documents.estate_document import read_estate
from tests.routing.catalog.savers import Rows, powershell_export_csv, sqlcmd
from tests.routing.catalog.server import catalog, dumps, rows_of

ROOT = Path(__file__).resolve().parents[3]
HOW_TO = ROOT / "docs" / "how-to" / "import.md"
EXAMPLE = ROOT / "examples" / "three-servers"
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


@pytest.mark.parametrize(
    ("instance", "file", "saved"), [("shop", "shop.txt", sqlcmd), ("depot", "depot.csv", powershell_export_csv)]
)
def test_the_collected_files_of_the_example_are_of_its_estate(
    instance: str, file: str, saved: Callable[[Rows], bytes]
) -> None:
    estate = read_estate(EXAMPLE.with_suffix(".json").read_bytes())
    assert (EXAMPLE / "collected" / file).read_bytes() == saved(rows_of(dumps(catalog(estate.instances[instance]))))
