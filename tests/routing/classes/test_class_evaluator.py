"""One class of traffic asked at many entry points of one estate."""

from __future__ import annotations

from routing.classes.class_evaluator import ClassEvaluator, HopResult, NextHop
from routing.classes.traffic_class import UNKNOWN_SERVICE, TrafficClass
from routing.rules.decision import Outcome
from routing.rules.journey import Position
from tests.routing.small import database, estate, host, to
from tests.strategies import AT

#   a/db -> a -> b (has S, LOCAL) ; a/away -> a or elsewhere; c and d hand everything to one another
MAP = estate(
    host("a", database("db", routes=[to("a")]), database("away", routes=[to("a"), to("x")]), outside=[to("b")]),
    host("b", database("db", "S"), outside=[to("LOCAL", "S")]),
    host("c", outside=[to("d")]),
    host("d", outside=[to("c"), to("b", "S")]),
    hop_limit=2,
)
S, OTHER = TrafficClass("S", None, False), TrafficClass(UNKNOWN_SERVICE, None, False)
DELIVERED = Outcome("delivered", "b", "db")
NO_ROUTE = Outcome("dropped", "b", "no_route")


def evaluator(traffic: TrafficClass = S) -> ClassEvaluator:
    return ClassEvaluator(MAP, traffic, AT)


def all_ends(node: tuple[str, str | None], traffic: TrafficClass = S) -> set[Outcome]:
    one = evaluator(traffic)
    return set(one.ends(one.start(node)))


def test_the_first_send_of_a_database_is_not_forwarding_and_from_outside_it_is() -> None:
    assert evaluator().onward(("a", "db")) == HopResult(frozenset(), frozenset({NextHop("a", 0)}))
    assert evaluator().onward(("a", None)) == HopResult(frozenset(), frozenset({NextHop("b", 1)}))


def test_what_ends_at_a_node_or_leaves_from_it_and_what_goes_on() -> None:
    exits = Outcome("exits", "a", "tcp://x:4022")
    assert evaluator().onward(("a", "away")) == HopResult(frozenset({exits}), frozenset({NextHop("a", 0)}))
    assert evaluator().onward(("b", None)) == HopResult(frozenset({DELIVERED}), frozenset())


def test_every_end_of_every_way_is_found() -> None:
    assert all_ends(("a", "away")) == {DELIVERED, Outcome("exits", "a", "tcp://x:4022")}
    assert all_ends(("a", "db"), OTHER) == {NO_ROUTE}


def test_a_loop_ends_where_the_hops_do() -> None:
    """LOOP-1: two hops from c to d and back; the third is one too many."""
    assert all_ends(("c", None), OTHER) == {Outcome("dropped", "c", "hop_limit")}
    assert all_ends(("d", None), OTHER) == {Outcome("dropped", "d", "hop_limit")}


def test_with_no_hop_left_a_node_still_delivers_what_is_for_itself() -> None:
    assert evaluator().ends(Position("b", None, 0)) == {DELIVERED}
    assert evaluator().ends(Position("a", None, 0)) == {Outcome("dropped", "a", "hop_limit")}


def test_each_place_is_answered_once() -> None:
    one = evaluator()
    assert one.ends(Position("a", None, 2)) is one.ends(Position("a", None, 2))
    assert one.onward(("a", "db")) is one.onward(("a", "db"))


def test_only_special_nodes_are_asked_themselves() -> None:
    background = evaluator(OTHER)
    one = ClassEvaluator(MAP, S, AT, background, {("b", None)})
    assert one.onward(("a", None)) is background.onward(("a", None))
    assert one.onward(("b", None)) == HopResult(frozenset({DELIVERED}), frozenset())
    assert one.ends(one.start(("a", "db"))) == {DELIVERED}


def test_from_a_shared_instance_on_the_background_has_the_whole_answer() -> None:
    background = evaluator(OTHER)
    one = ClassEvaluator(MAP, S, AT, background, set())
    one.shared = {"a"}
    assert one.ends(Position("a", None, 2)) is background.ends(Position("a", None, 2))
    assert one.ends(Position("b", None, 2)) == {NO_ROUTE}


def test_nodes_that_are_known_to_decide_alike_are_not_asked_again() -> None:
    before, after = evaluator(), evaluator()
    after.decides_like(before, {("b", None)})
    assert after.onward(("a", "db")) is before.onward(("a", "db"))
    assert after.onward(("b", None)) is not before.onward(("b", None))
    assert set(after.ends(after.start(("a", "db")))) == {DELIVERED}


def test_an_estate_has_its_databases_and_each_of_its_instances_from_outside() -> None:
    nodes = [("a", "db"), ("a", None), ("a", "msdb"), ("b", "away"), ("x", None), ("x", "db")]
    assert [evaluator().has(node) for node in nodes] == [True, True, True, False, False, False]
