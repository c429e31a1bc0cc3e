"""Whether tests hold on an estate, and which routes their outcomes use."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from routing.model.conversation import Conversation
from routing.rules.journey_account import journey
from routing.testing.coverage import RouteCoverage, coverage, routes_used
from routing.testing.judging import Judgement, judge
from routing.testing.routing_test import routing_tests_from
from tests.routing.small import ELSEWHERE, ID, database, estate, host, to

AT = datetime(2026, 6, 1, tzinfo=UTC)
ESTATE = estate(
    host(
        "a",
        database(
            "D",
            routes=[
                to("b", "S", broker_instance=ID),
                to("c", "S", broker_instance=ELSEWHERE),
                to("b", "Old", lifetime="2026-01-01T00:00:00Z"),
                to("LOCAL"),
                to("LOCAL"),
                to("b", "Twice"),
                to("b", "Twice"),
            ],
        ),
        database("E", routes=[to("b", "SQL/ServiceBroker/BrokerConfiguration")]),
    ),
    host("b", database("P", "S", broker_instance=ID), outside=[to("LOCAL")]),
    host("c", outside=[to("LOCAL")]),
)
BOTH = "delivered b/P", "dropped c service_not_found"


def judged(service: str = "S", source: str = "a/D", at: str | None = None, **conditions: object) -> Judgement:
    (test,) = routing_tests_from({"tests": [{"name": "t", "from": source, "to": service, "at": at, **conditions}]})
    instance, name = source.split("/")
    return judge(test, Conversation(instance, name, service), ESTATE, AT)


@pytest.mark.parametrize(
    ("conditions", "faults"),
    [
        ({"must": ["delivered", "dropped"]}, []),
        ({"must": "delivered"}, ["must be delivered, got dropped c service_not_found"]),
        ({"must": "exits"}, ["must be exits, got delivered b/P, dropped c service_not_found"]),
        ({"may": list(BOTH)}, []),
        ({"may": ["delivered b", "delayed"]}, ["may be delayed, but no outcome is"]),
        ({"never": ["delayed", "dropped a"]}, []),
        ({"never": ["exits", "dropped"]}, ["must never be dropped, got dropped c service_not_found"]),
        ({"must": "delivered", "may": "exits", "never": "delivered b"}, ["", "", ""]),
    ],
)
def test_each_condition_is_judged_by_all_outcomes(conditions: dict[str, object], faults: list[str]) -> None:
    judgement = judged(**conditions)
    texts = [str(fault) for fault in judgement.faults]
    assert len(texts) == len(faults)
    assert all(text.startswith(fault) for text, fault in zip(texts, faults, strict=True))
    assert judgement.passed == (not faults)


def test_a_test_has_a_moment_of_its_own() -> None:
    assert judged("Old", at="2025-06-01T00:00:00Z", must="dropped b").passed
    assert judged("Old", must="delayed a service_not_found").passed


@pytest.mark.parametrize(
    ("service", "source", "used"),
    [
        ("S", "a/D", {("a", "D", "R0"), ("a", "D", "R1"), ("b", "msdb", "R0")}),
        ("Old", "a/D", set()),
        ("Twice", "a/D", {("a", "D", "R5"), ("a", "D", "R6")}),
        ("S", "a/E", {("a", "E", "R0")}),
        ("S", "b/P", set()),
    ],
)
def test_routes_are_used_where_a_rule_chose_them(service: str, source: str, used: set[tuple[str, str, str]]) -> None:
    """CHOOSE-0 counts identical routes as one; a LOCAL route whose service is not found is not chosen."""
    instance, name = source.split("/")
    found = journey(ESTATE, Conversation(instance, name, service), AT)
    assert routes_used(ESTATE, found) == used


def test_coverage_is_the_share_of_all_routes_of_the_estate() -> None:
    found = coverage(ESTATE, [frozenset({("a", "D", "R0"), ("x", "y", "z")}), frozenset({("a", "D", "R0")})])
    assert found == RouteCoverage(1, 10)
    assert (found.percent, found.is_under(10), found.is_under(10.1)) == (10.0, False, True)
    assert (RouteCoverage(0, 0).percent, RouteCoverage(0, 0).is_under(100)) == (100.0, False)
