"""The naive evaluator answers every conformance case as its answer says."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from tests.naive import outcomes
from tests.naive.message import Json, Outcome

CASES = Path(__file__).resolve().parents[2] / "data" / "conformance.jsonl.gz"
HOME: Json = {"name": "msdb", "routes": [{"name": "R", "address": "LOCAL"}]}


def cases() -> list[Json]:
    with gzip.open(CASES, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def as_set(ends: list[Outcome]) -> set[frozenset[tuple[str, str]]]:
    """An answer is a set; this file and the naive evaluator sort it differently."""
    return {frozenset(end.items()) for end in ends}


def differences(case: Json) -> Iterator[Json]:
    at = datetime.fromisoformat(case["at"])
    for conversation in case["conversations"]:
        expected = case["outcomes"][conversation["id"]]
        actual = outcomes(case["estate"], conversation, at)
        if as_set(actual) != as_set(expected) or len(actual) != len(expected):
            yield {"conversation": conversation, "expected": expected, "actual": actual}


def test_all_cases_are_here() -> None:
    assert sum(len(case["conversations"]) for case in cases()) == 2880


def test_naive_answers_every_case() -> None:
    wrong = {number: list(differences(case)) for number, case in enumerate(cases())}
    assert {number: found for number, found in wrong.items() if found} == {}


def test_naive_does_not_write_to_its_input() -> None:
    case = cases()[0]
    before = json.dumps(case)
    list(differences(case))
    assert json.dumps(case) == before


@pytest.mark.parametrize(
    "origin",
    [
        {"outside": "nowhere"},
        {"instance": "nowhere", "database": "msdb"},
        {"instance": "host1", "database": "Nothing"},
    ],
)
def test_unknown_entry_is_bad_input(origin: Json) -> None:
    estate = {"instances": [{"name": "host1", "databases": [HOME]}]}
    with pytest.raises(KeyError):
        outcomes(estate, {"from": origin, "to_service": "S"}, datetime.now().astimezone())
