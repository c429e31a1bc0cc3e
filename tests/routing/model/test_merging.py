"""Two changes of one estate put together; where both changed one object, neither is taken."""

from __future__ import annotations

import pytest
from hypothesis import given

from routing.documents.estate_document import write_estate
from routing.model.address import parse_address
from routing.model.catalog_objects import Service
from routing.model.edits import (
    DropDatabase,
    DropRoute,
    PutDatabase,
    PutRoute,
    PutService,
    SetBroker,
    SetForwarding,
    SetMirroringRole,
)
from routing.model.estate import PRINCIPAL, Database, Edit, Estate, Instance
from routing.model.merging import merge
from routing.model.object_changes import ObjectKey, objects_changed
from routing.model.route import Route
from tests.strategies.rich import edited

KEY = "11111111-1111-1111-1111-111111111111"
BASE = Estate(
    {
        "a": Instance("a", {"d": Database("d", services=(Service("S"),)), "e": Database("e")}),
        "b": Instance("b", {"d": Database("d")}),
    }
)


def _route(name: str, address: str) -> Route:
    return Route(name, "S", None, None, parse_address(address))


@given(edited())
def test_a_side_that_changed_nothing_gives_the_other_side(drawn: tuple[Estate, list[Edit]]) -> None:
    base, edits = drawn
    after = base.edited(edits)
    for ours, theirs in ((base, after), (after, base), (after, after)):
        merged = merge(base, ours, theirs)
        assert merged.estate is not None
        assert merged.estate == after


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (PutRoute("a", "d", _route("r", "LOCAL")), PutRoute("a", "d", _route("s", "LOCAL"))),
        (PutRoute("a", "d", _route("r", "LOCAL")), PutService("a", "d", Service("T"))),
        (SetBroker("a", "d", enabled=False), SetMirroringRole("a", "d", PRINCIPAL)),
        (SetForwarding("a", forwarding=True), PutDatabase("a", Database("new"))),
        (PutRoute("a", "msdb", _route("r", "LOCAL")), PutRoute("b", "msdb", _route("r", "LOCAL"))),
        (PutRoute("a", "msdb", _route("r", "LOCAL")), SetBroker("a", "d", enabled=False)),
    ],
)
def test_changes_of_different_objects_are_put_together_in_either_order(ours: Edit, theirs: Edit) -> None:
    both = BASE.edited([ours, theirs])
    for one, other in ((ours, theirs), (theirs, ours)):
        merged = merge(BASE, BASE.edited([one]), BASE.edited([other]))
        assert not merged.conflicts
        assert merged.estate is not None
        assert not objects_changed(merged.estate, both)


def test_the_same_change_on_both_sides_is_no_conflict() -> None:
    after = BASE.edited([PutRoute("a", "d", _route("r", "LOCAL"))])
    merged = merge(BASE, after, BASE.edited([PutRoute("a", "d", _route("r", "LOCAL"))]))
    assert merged.estate is not None
    assert write_estate(merged.estate) == write_estate(after)


def test_one_route_changed_in_two_ways_is_a_conflict_that_names_it() -> None:
    base = BASE.edited([PutRoute("a", "d", _route("r", "LOCAL"))])
    ours, theirs = _route("r", "tcp://x:1"), _route("r", "tcp://y:1")
    merged = merge(base, base.edited([PutRoute("a", "d", ours)]), base.edited([PutRoute("a", "d", theirs)]))
    assert merged.estate is None
    (conflict,) = merged.conflicts
    assert conflict == (ObjectKey("routes", "a", "d", "r"), _route("r", "LOCAL"), ours, theirs)


@pytest.mark.parametrize("is_ours_dropping", [True, False])
def test_an_object_of_a_database_that_the_other_side_dropped_is_a_conflict(is_ours_dropping: bool) -> None:
    sides = [BASE.edited([DropDatabase("a", "d")]), BASE.edited([PutRoute("a", "d", _route("r", "LOCAL"))])]
    ours, theirs = sides if is_ours_dropping else sides[::-1]
    (conflict,) = merge(BASE, ours, theirs).conflicts
    assert conflict.key == ObjectKey("routes", "a", "d", "r")


def test_a_route_dropped_here_and_altered_there_is_a_conflict() -> None:
    base = BASE.edited([PutRoute("a", "d", _route("r", "LOCAL"))])
    ours, theirs = base.edited([DropRoute("a", "d", "r")]), base.edited([PutRoute("a", "d", _route("r", "tcp://y:1"))])
    (conflict,) = merge(base, ours, theirs).conflicts
    assert (conflict.ours, conflict.theirs) == (None, _route("r", "tcp://y:1"))


def test_objects_that_cannot_stand_together_are_a_fault_and_no_estate() -> None:
    ours = BASE.edited([PutDatabase("a", Database("new", broker_instance=KEY))])
    theirs = BASE.edited([PutDatabase("a", Database("newer", broker_instance=KEY))])
    merged = merge(BASE, ours, theirs)
    assert merged.estate is None
    assert merged.fault is not None
    assert "identifier" in str(merged.fault)
