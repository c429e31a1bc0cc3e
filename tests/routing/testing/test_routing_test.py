"""Routing tests from the plain value of a file: each key, and the path of each error."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from routing.common.errors import Invalid
from routing.testing.outcome_pattern import OutcomePattern
from routing.testing.routing_test import MAX_TESTS, RoutingTest, routing_tests_from

GUID = "5FB8D92B-ed69-4c80-afbb-2aa6a7d3cb2d"
ONE = {"name": "a", "from": "h/D", "to": "S", "must": "delivered"}


def test_every_key_is_read() -> None:
    more = {
        "broker": GUID,
        "reply": True,
        "at": "2026-06-01T00:00:00Z",
        "may": ["exits"],
        "never": ["dropped", "delayed h"],
    }
    assert routing_tests_from({"tests": [ONE | more]}) == (
        RoutingTest(
            name="a",
            origin="h/D",
            to_service="S",
            to_broker_instance=GUID.lower(),
            is_reply=True,
            at=datetime(2026, 6, 1, tzinfo=UTC),
            must=(OutcomePattern("delivered"),),
            may=(OutcomePattern("exits"),),
            never=(OutcomePattern("dropped"), OutcomePattern("delayed", "h")),
        ),
    )


def test_a_message_from_outside_needs_its_instance_alone() -> None:
    (test,) = routing_tests_from({"tests": [{"name": "a", "outside": "h", "to": "S", "broker": None, "may": "exits"}]})
    assert (test.origin, test.outside, test.to_broker_instance, test.at) == (None, "h", None, None)


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        (None, "must be an object, not null"),
        ([], "must be an object, not an array"),
        ({}, "tests: is missing"),
        ({"tests": {}}, "tests: must be an array"),
        ({"tests": [], "test": []}, 'has the unknown key "test"'),
        ({"tests": [ONE, ONE]}, "tests[1].name: is the name of tests[0] already"),
        ({"tests": [{}]}, "tests[0].name: is missing"),
        ({"tests": [ONE | {"name": "a\nb"}]}, "tests[0].name: must be one line"),
        ({"tests": [ONE | {"name": ""}]}, "tests[0].name: must not be empty"),
        ({"tests": [ONE | {"to": None}]}, "tests[0].to: must be a string, not null"),
        ({"tests": [ONE | {"to": "s" * 257}]}, "tests[0].to: is longer than 256"),
        ({"tests": [ONE | {"outside": "h"}]}, "tests[0]: needs either from or outside"),
        ({"tests": [{"name": "a", "to": "S", "must": "exits"}]}, "tests[0]: needs either from or outside"),
        ({"tests": [{"name": "a", "to": "S", "from": "h/D"}]}, "tests[0]: needs one of must, may and never"),
        ({"tests": [ONE | {"broker": "5fb8"}]}, "tests[0].broker: must be"),
        ({"tests": [ONE | {"reply": "yes"}]}, "tests[0].reply: must be true or false"),
        ({"tests": [ONE | {"at": "soon"}]}, "tests[0].at: must be a date and time"),
        ({"tests": [ONE | {"must": []}]}, "tests[0].must: must list 1 to 100 outcomes"),
        ({"tests": [ONE | {"must": None}]}, "tests[0].must: must be an outcome or a list"),
        ({"tests": [ONE | {"never": ["dropped", "lost"]}]}, "tests[0].never[1]: must be an outcome"),
        ({"tests": [ONE | {"must": {"delivered": "h"}}]}, "tests[0].must: must be an outcome or a list"),
        ({"tests": [ONE | {"expect": "exits"}]}, 'tests[0]: has the unknown key "expect"'),
        ({"tests": [ONE] * (MAX_TESTS + 1)}, "tests: has more than 10000 tests"),
    ],
)
def test_what_is_wrong_is_named_by_its_path(value: Any, fault: str) -> None:
    with pytest.raises(Invalid) as refused:
        routing_tests_from(value)
    assert str(refused.value).startswith(fault)
