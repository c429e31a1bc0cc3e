"""The engine answers every conformance case exactly, order included, and reads every estate as it writes it."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from routing.common.moment import parse_moment
from routing.documents.conversation_json import conversation_from
from routing.documents.estate_document import read_estate, write_estate
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.journey import Journeys, outcomes

CASES = Path(__file__).resolve().parents[2] / "data" / "conformance.jsonl.gz"

Json = dict[str, Any]


@cache
def cases() -> list[Json]:
    with gzip.open(CASES, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def estate_of(case: Json) -> Estate:
    return read_estate(json.dumps(case["estate"]))


def questions() -> Iterator[tuple[str, Estate, datetime, Conversation, list[Json]]]:
    """Every conversation of every case, with its expected outcomes."""
    for number, case in enumerate(cases()):
        estate, at = estate_of(case), parse_moment(case["at"])
        for conversation in case["conversations"]:
            yield (
                f"{number}/{conversation['id']}",
                estate,
                at,
                conversation_from(conversation),
                case["outcomes"][conversation["id"]],
            )


def test_every_conversation_ends_as_expected() -> None:
    wrong = {}
    for name, estate, at, conversation, expected in questions():
        actual = [outcome.as_json() for outcome in outcomes(estate, conversation, at)]
        if actual != expected:
            wrong[name] = {"conversation": conversation, "expected": expected, "actual": actual}
    assert wrong == {}


def test_many_conversations_asked_together_end_as_each_alone() -> None:
    """`Journeys` caches its decisions; no answer may depend on the questions before it."""
    for case in cases():
        together = Journeys(estate_of(case), parse_moment(case["at"]))
        for conversation in case["conversations"]:
            actual = [outcome.as_json() for outcome in together.outcomes(conversation_from(conversation))]
            assert actual == case["outcomes"][conversation["id"]], conversation


def test_reading_what_was_written_is_the_identity() -> None:
    for case in cases():
        estate = estate_of(case)
        text = write_estate(estate)
        assert read_estate(text) == estate
        assert write_estate(read_estate(text)) == text


def test_no_case_is_missing() -> None:
    assert sum(1 for _ in questions()) == 2880
