"""The columns that the documentation says are null in every row of a view."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

REST = Path(__file__).resolve().parents[3] / "docs" / "reference" / "rest.md"


def documented(view: str) -> set[str]:
    """The columns of the table of the documentation."""
    section = REST.read_text().partition("### Columns that are null here")[2].partition("\n### ")[0]
    [columns] = re.findall(rf"^\| `{view}` \| ([^|]*) \|", section, re.MULTILINE) or [""]
    return set(re.findall(r"`([^`]*)`", columns))


def known_of_databases() -> set[str]:
    """The columns of sys.databases that have values."""
    [line] = re.findall(r"^Of `databases`, known are (.*)$", REST.read_text(), re.MULTILINE)
    return set(re.findall(r"`([^`]*)`", line))


def always_null(rows: list[dict[str, Any]]) -> set[str]:
    """The columns that are null in all of these rows."""
    assert rows
    return {name for name in rows[0] if all(row[name] is None for row in rows)}
