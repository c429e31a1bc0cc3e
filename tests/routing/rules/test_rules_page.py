"""docs/reference/rules.md says in which file each rule is; the file cites the rule by its id."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs" / "reference" / "rules.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| ([A-Z]+-[A-Z0-9]+)[^|]* \|.*\|([^|]*)\|$", re.MULTILINE)
PLACES = [(rule, name) for rule, cell in ROW.findall(PAGE) for name in re.findall(r"`([\w/]+\.py)`", cell)]


def test_the_table_was_read() -> None:
    assert {rule for rule, _ in PLACES} >= {"MATCH-1", "CHOOSE-2", "LOC-1", "LOOP-1", "RT-TABLE", "MIR-1"}


@pytest.mark.parametrize(("rule", "name"), PLACES)
def test_the_file_cites_the_rule(rule: str, name: str) -> None:
    text = (ROOT / "routing" / name).read_text(encoding="utf-8")
    family, _, number = rule.partition("-")
    ranges = [(low, high) for low, high in re.findall(rf"{family}-(\d) to {family}-(\d)", text) if number.isdigit()]
    assert rule in text or any(int(low) <= int(number) <= int(high) for low, high in ranges)
