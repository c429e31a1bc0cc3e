"""Cells of entry points that treat a name that occurs nowhere alike: on a map drawn by hand."""

from __future__ import annotations

from collections.abc import Iterable

from routing.classes.class_evaluator import ClassEvaluator
from routing.classes.default_behaviour import (
    DefaultBehaviour,
    EquivalenceClass,
    changed_behaviour,
    outcomes_of,
)
from routing.classes.traffic_class import UNKNOWN_SERVICE, Node, TrafficClass
from routing.rules.decision import Outcome
from tests.routing.small import database, estate, host, to
from tests.strategies import AT

ANY = TrafficClass(UNKNOWN_SERVICE, None, False)
EDGE = [database("one", routes=[to("hub")]), database("two", routes=[to("hub")]), database("own", routes=[to("LOCAL")])]
AWAY = [database("three", routes=[to("hub2"), to("far")])]
HOSTS = [host("edge", *EDGE), host("away", *AWAY), host("hub", outside=[to("far")]), host("far")]
BEFORE = estate(*HOSTS, host("hub2", outside=[to("hub")]))
AFTER = estate(*HOSTS, host("hub2", outside=[to("nowhere")]))
ENTRIES: list[Node] = [
    *(("edge", name) for name in ("one", "two", "own", None)),
    *(("away", "three"), ("hub", None), ("far", None)),
]
NO_ROUTE_AT_FAR = Outcome("dropped", "far", "no_route")


def background(entries: Iterable[Node] = ENTRIES) -> DefaultBehaviour:
    return DefaultBehaviour(ClassEvaluator(BEFORE, ANY, AT), ClassEvaluator(AFTER, ANY, AT), entries)


def members(cells: Iterable[EquivalenceClass]) -> list[list[Node]]:
    return [list(cell.entries) for cell in cells]


EDGES, THREE, HUB = [("edge", "one"), ("edge", "two")], [("away", "three")], [("hub", None)]


def test_entry_points_with_the_same_first_hop_form_a_cell() -> None:
    """Those that send nothing on are in none: nothing that changes elsewhere reaches them."""
    assert members(background().cells_towards(["hub"])) == [EDGES, THREE]


def test_cells_are_found_backwards_over_the_ways_of_both_estates() -> None:
    assert members(background().cells_towards(["hub2"])) == [THREE]
    assert members(background().cells_towards(["far"])) == [THREE, HUB, EDGES]
    assert members(background().cells_towards(["edge"])) == []


def test_a_cell_that_leads_to_several_goals_is_found_once() -> None:
    assert members(background().cells_towards(["hub2", "hub", "far"])).count(THREE) == 1


def test_where_nothing_special_is_on_any_way_the_background_answers_for_all() -> None:
    assert set(background().shared_from({"edge"})) == {"hub", "hub2", "far"}
    assert background().shared_from({"edge", "hub"}) == frozenset()


def test_what_changes_is_the_cells_that_meet_something_else() -> None:
    found = background().changes(frozenset({"hub2"}))
    exits = Outcome("exits", "hub2", "tcp://nowhere:4022")
    assert [(list(one.cell.entries), one.before, one.after) for one in found] == [
        (THREE, {NO_ROUTE_AT_FAR}, {NO_ROUTE_AT_FAR, exits})
    ]


def test_what_changes_is_worked_out_once_for_the_same_goals() -> None:
    ground = background()
    assert ground.changes(frozenset({"hub2"})) is ground.changes(frozenset({"hub2"}))


def test_cells_on_the_way_to_a_goal_that_meet_the_same_do_not_change() -> None:
    on_the_way, changed = background().cells_towards(["far"]), background().changes(frozenset({"far"}))
    assert members(on_the_way) == [THREE, HUB, EDGES]
    assert members(one.cell for one in changed) == [THREE]


def test_all_that_a_cell_meets_is_what_its_leads_lead_to() -> None:
    ground = background()
    (cell,) = ground.cells_towards(["hub2"])
    assert outcomes_of(cell, ground.before) == {NO_ROUTE_AT_FAR}
    assert changed_behaviour([cell], ground.before, ground.before) == []


def test_leads_that_leave_fewer_hops_are_told_apart() -> None:
    short = estate(*HOSTS, host("hub2", outside=[to("hub")]), hop_limit=1)
    evaluator = ClassEvaluator(short, ANY, AT)
    (cell,) = DefaultBehaviour(evaluator, evaluator, ENTRIES).cells_towards(["hub2"])
    assert outcomes_of(cell, evaluator) == {NO_ROUTE_AT_FAR, Outcome("dropped", "hub", "hop_limit")}


def test_an_instance_of_one_estate_only_is_on_the_ways_of_that_one() -> None:
    less = ClassEvaluator(estate(*HOSTS), ANY, AT)
    both = DefaultBehaviour(ClassEvaluator(BEFORE, ANY, AT), less, [("edge", "one")])
    assert members(both.cells_towards(["far"])) == [[("edge", "one")]]
