"""A question and its answer as a routing test: read back, it is the same conversation, and it holds."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from brokerui.analysis.routing_tests.files import conversation_of, judged, read_tests
from brokerui.analysis.routing_tests.writing import routing_test_text
from routing.documents.conversation_json import conversation_from
from routing.documents.estate_document import read_estate
from routing.model.conversation import Conversation
from routing.rules.decision import DELIVERED, Outcome
from routing.rules.journey import outcomes
from tests.brokerui.cli.command_line import FOUND
from tests.strategies import AT, cases


@given(cases(4), st.booleans())
def test_what_is_written_holds(case: tuple[dict[str, object], list[dict[str, object]]], is_dated: bool) -> None:
    estate = read_estate(json.dumps(case[0]))
    for conversation in map(conversation_from, case[1]):
        text = routing_test_text(conversation, estate, outcomes(estate, conversation, AT), AT if is_dated else None)
        file = read_tests(text.encode(), "t")
        asked_for = conversation_of(file.tests[0], estate)
        assert (asked_for.instance, asked_for.database) == (conversation.instance, conversation.database)
        assert [one.passed for one in judged(file, estate, AT)] == [True]


def test_strange_names_and_many_outcomes_fit() -> None:
    estate = read_estate(json.dumps(FOUND).replace('"name": "Orders"', '"name": "Or\\u2028\\u0085\\u0001ders: #"'))
    database = next(iter(estate.instances["host1"].databases))
    conversation = Conversation("host1", database, "s" * 250 + "'\"")
    text = routing_test_text(conversation, estate, [Outcome(DELIVERED, "h", f"D{n}") for n in range(101)])
    (test,) = read_tests(text.encode(), "t").tests
    assert conversation_of(test, estate).database == database
    assert [str(one) for one in test.must] == ["delivered"]
