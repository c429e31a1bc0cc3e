"""Dirty scripts, each with what must come of it: `tests/data/tsql/NAME.sql`, and a line or more in expected.json."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from routing.documents.estate_document import write_estate
from routing.tsql import ScriptGroup, decode_script, export_sql, read_scripts
from tests.routing.tsql.rich import AT
from tests.routing.tsql.sketch import HOME, lines_of, sketch

DATA = Path(__file__).resolve().parents[2] / "data" / "tsql"
EXPECTED: dict[str, Any] = json.loads((DATA / "expected.json").read_text(encoding="utf-8"))


def read(name: str) -> Any:
    text = decode_script((DATA / f"{name}.sql").read_bytes(), where=name)
    return read_scripts([ScriptGroup(HOME, None, [(f"{name}.sql", text)])], at=AT)


@pytest.mark.parametrize("name", EXPECTED)
def test_a_dirty_script(name: str) -> None:
    estate, findings = read(name)
    assert sketch(estate) == EXPECTED[name]["estate"]
    assert lines_of(findings) == EXPECTED[name]["findings"]


@pytest.mark.parametrize("name", EXPECTED)
def test_what_it_makes_can_be_exported_and_read(name: str) -> None:
    estate, _ = read(name)
    exported = export_sql(estate, at=AT)
    assert write_estate(read_scripts([ScriptGroup("any", None, [("e", exported)])], at=AT)[0]) == write_estate(estate)


def test_every_script_has_its_expectation() -> None:
    assert sorted(EXPECTED) == sorted(path.stem for path in DATA.glob("*.sql"))
    assert len(EXPECTED) >= 150
