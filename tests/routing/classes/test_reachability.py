"""The verdicts of all pairs, got by asking little, are those of asking about each pair by itself."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from routing.classes.reachability import (
    FirstHopOutcome,
    Reachability,
    entry_points,
    routes_by_name,
    service_names,
    settled_since,
)
from routing.documents.estate_document import read_estate
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.journey import Journeys
from routing.rules.verdict import verdict
from tests.routing.small import database, estate, host, to
from tests.strategies import AT, random_case

NOBODY_HAS = "service that is nowhere"


def asked_singly(estate: Estate, names: list[str]) -> dict[tuple[int, str], str]:
    journeys = Journeys(estate, AT)
    return {
        (number, name): verdict(journeys.outcomes(Conversation(*node, name)))
        for number, node in enumerate(entry_points(estate))
        for name in names
    }


def asked_together(estate: Estate, names: list[str]) -> dict[tuple[int, str], str]:
    reach = Reachability(estate, AT, names)
    cell_of = {node: cell for cell, members in enumerate(reach.cells) for node in members}
    found = {}
    for name in names:
        row = reach.of_name(name)
        for number in range(len(reach.nodes)):
            usual = row.cells.get(cell_of.get(number, -1), reach.base[number])
            found[number, name] = row.nodes.get(number, usual)
    return found


@pytest.mark.parametrize("seed", range(8))
def test_every_pair_of_many_drawn_estates(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(40):
        drawn = read_estate(json.dumps(random_case(rng).estate))
        names = [*service_names(drawn), NOBODY_HAS]
        assert asked_together(drawn, names) == asked_singly(drawn, names)


@pytest.mark.parametrize("seed", range(4))
def test_the_ways_of_a_pair_end_as_its_outcomes(seed: int) -> None:
    rng = random.Random(1000 + seed)
    for _ in range(40):
        drawn = read_estate(json.dumps(random_case(rng).estate))
        reach, journeys = Reachability(drawn, AT, service_names(drawn)), Journeys(drawn, AT)
        for name in service_names(drawn):
            legs = dict(reach.legs(name))
            for number, node in enumerate(reach.nodes):
                has_route = routes_by_name(drawn.instances[node[0]].tables[node[1]], name, AT)
                assert (number in legs) == has_route
                if has_route:
                    outcomes = journeys.outcomes(Conversation(*node, name))
                    assert {leg.end for leg in legs[number]} == set(outcomes)


def test_a_name_can_be_left_out_and_the_others_are_the_same() -> None:
    drawn = read_estate(json.dumps(random_case(random.Random(7)).estate))
    names = service_names(drawn)
    whole = asked_together(drawn, names)
    for name in names:
        assert asked_together(drawn, [name]).items() <= whole.items()


HOSTS: list[Any] = [
    host("edge", *(database(f"d{n}", routes=[to("hub")]) for n in range(50)), database("own", routes=[to("far", "S")])),
    host("hub", outside=[to("far", "S"), to("LOCAL")]),
    host("far", database("Parts", "S"), outside=[to("LOCAL")]),
]


def test_entry_points_that_behave_alike_are_asked_about_once() -> None:
    reach = Reachability(estate(*HOSTS), AT, ["S"])
    row = reach.of_name("S")
    assert list(row.cells.values()) == ["must_deliver"]
    assert len(reach.cells[next(iter(row.cells))]) == 50
    own = reach.nodes.index(("edge", "own"))
    assert row.nodes[own] == "must_deliver"
    assert not any(("edge", f"d{n}") == reach.nodes[number] for n in range(50) for number in row.nodes)


def test_a_way_tells_the_next_instance_and_the_end() -> None:
    reach = Reachability(estate(*HOSTS), AT, ["S"])
    legs = {reach.nodes[number]: legs for number, legs in reach.legs("S")}
    assert set(legs) == {("edge", "own"), ("hub", "msdb"), ("hub", None)}
    assert legs["edge", "own"] == {FirstHopOutcome("far", ("delivered", "far", "Parts"))}  # type: ignore[arg-type] - plain tuples compare as outcomes do


def test_settled_since_the_last_expiry() -> None:
    past, future = "2000-01-01T00:00:00Z", "2999-01-01T00:00:00Z"
    routes = [to("far", "A", lifetime=past), to("far", "B", lifetime=future), to("far", "C", lifetime="1999-01-01")]
    since = settled_since(estate(host("edge", database("d", routes=routes))), AT)
    assert since is not None
    assert since.isoformat() == "2000-01-01T00:00:00+00:00"
    assert settled_since(estate(host("edge", database("d", routes=[to("far")]))), AT) is None


def test_verdicts_and_ways_of_a_name_do_not_depend_on_what_was_asked_before() -> None:
    names = ["S", "another"]
    singly = {name: Reachability(estate(*HOSTS), AT, names) for name in names}
    together = Reachability(estate(*HOSTS), AT, names)
    for name in (*names, *names):
        assert together.of_name(name) == singly[name].of_name(name)
        assert list(together.legs(name)) == list(singly[name].legs(name))
