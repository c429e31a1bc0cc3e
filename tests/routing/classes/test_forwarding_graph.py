"""Which instances may hand a message to which: on a map drawn by hand."""

from __future__ import annotations

import pytest

from routing.classes.forwarding_graph import ForwardingGraph, any_in, leads_to
from tests.routing.small import database, estate, host, to

#   a -> b -> c -> elsewhere      d -/-> c (forwarding off)      e -> a or c (mirrored), for one service
MAP = estate(
    host("a", outside=[to("b")]),
    host("b", outside=[to("c", "S")]),
    host("c", outside=[to("elsewhere"), to("LOCAL")]),
    host("d", outside=[to("c")], forwarding=False),
    host("e", database("db", routes=[to("a"), to("c", "S")]), outside=[to("a", "S", mirror="c")]),
)
FLOW = ForwardingGraph(MAP, MAP)


@pytest.mark.parametrize(
    ("goals", "from_where"),
    [
        ("a", {"a"}),
        ("b", {"a", "b"}),
        ("c", {"c"}),
        ("bc", {"a", "b", "c"}),
        ("d", {"d"}),
        ("", set()),
    ],
)
def test_sources_of_a_message_include_each_instance_that_forwards_everything_towards_a_goal(
    goals: str, from_where: set[str]
) -> None:
    assert FLOW.may_reach(frozenset(goals)) == from_where


def test_asked_again_it_answers_the_same() -> None:
    goals = frozenset("c")
    assert FLOW.may_reach(goals) is FLOW.may_reach(goals)


def test_routes_without_a_name_lead_from_databases_too_and_whether_forwarding_or_not() -> None:
    assert FLOW.nameless == {
        **{key: {"b"} for key in [("a", "msdb"), ("a", None)]},
        **{key: {None} for key in [("c", "msdb"), ("c", None)]},
        **{key: {"c"} for key in [("d", "msdb"), ("d", None)]},
        ("e", "db"): {"a"},
    }


def test_the_ways_of_both_estates_count() -> None:
    other = estate(host("a"), host("d", outside=[to("a")]))
    assert ForwardingGraph(MAP, other).may_reach(frozenset("a")) == {"a", "d"}
    assert ForwardingGraph(other, MAP).may_reach(frozenset("a")) == {"a", "d"}


@pytest.mark.parametrize(
    ("hops", "instances"),
    [(0, {"a", "b", "c", "e"}), (1, {"a", "b", "e"}), (2, {"a", "e"}), (3, {"e"}), (4, set())],
)
def test_messages_are_forwarded_as_often_as_the_longest_way_allows(hops: int, instances: set[str]) -> None:
    """Leaving the estate, from c, is forwarding too."""
    assert FLOW.forwarding_more_than(hops) == instances


def test_in_a_loop_messages_are_forwarded_for_ever() -> None:
    loop = estate(host("a", outside=[to("b")]), host("b", outside=[to("a")]))
    assert ForwardingGraph(loop, loop).forwarding_more_than(255) == {"a", "b"}


def test_a_transport_route_leads_wherever_the_service_name_says() -> None:
    anywhere = estate(host("a", outside=[to("TRANSPORT")]), host("b"))
    routes = anywhere.instances["a"].msdb.nameless
    assert list(leads_to(anywhere, routes)) == ["a", "b", None]
    assert ForwardingGraph(anywhere, anywhere).may_reach(frozenset("b")) == {"a", "b"}


def test_a_local_route_leads_to_no_other_instance() -> None:
    routes = MAP.instances["c"].msdb.nameless
    assert list(leads_to(MAP, routes)) == [None]


@pytest.mark.parametrize(("wanted", "found", "any_is"), [("ab", "cb", True), ("ab", "cd", False), ("", "a", False)])
def test_one_in_common_is_enough(wanted: str, found: str, any_is: bool) -> None:
    assert any_in(wanted, found) is any_is
