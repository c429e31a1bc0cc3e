"""Edits that make one estate of another, whatever the two are, down to the order of the document."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.documents.estate_document import write_estate
from routing.model.address import parse_address
from routing.model.catalog_objects import Service
from routing.model.edits import DropRoute, PutDatabase, PutRoute, PutService, SetBroker, SetForwarding, SetQueue
from routing.model.edits_between import edits_between
from routing.model.estate import Database, Edit, Estate, Instance
from routing.model.route import Route
from routing.model.route_table import RouteTable
from tests.strategies.rich import edited, rich_estates

TO_B = Route("r", "S", None, None, parse_address("tcp://b:4022"))


def _estate(*instances: Instance) -> Estate:
    return Estate({one.name: one for one in instances})


@given(edited())
def test_edits_between_an_estate_and_its_edited_one_lead_there_and_back(drawn: tuple[Estate, list[Edit]]) -> None:
    before, edits = drawn
    after = before.edited(edits)
    assert write_estate(before.edited(edits_between(before, after))) == write_estate(after)
    assert write_estate(after.edited(edits_between(after, before))) == write_estate(before)


@given(rich_estates(), rich_estates())
def test_edits_between_any_two_estates_lead_there(before: Estate, after: Estate) -> None:
    assert write_estate(before.edited(edits_between(before, after))) == write_estate(after)


@given(rich_estates())
def test_there_are_no_edits_between_an_estate_and_itself(estate: Estate) -> None:
    assert edits_between(estate, estate.edited([])) == ()


@pytest.mark.parametrize(
    "edit",
    [
        PutRoute("a", "d", TO_B),
        DropRoute("a", "d", "old"),
        PutService("a", "d", Service("T")),
        SetQueue("a", "d", "q", enabled=False),
        SetBroker("a", "d", enabled=False),
        SetForwarding("a", forwarding=True),
        PutDatabase("a", Database("e")),
    ],
)
def test_one_edit_is_found_as_this_one_edit(edit: Edit) -> None:
    table = RouteTable((Route("old", "S", None, None, parse_address("LOCAL")),))
    before = _estate(Instance("a", {"d": Database("d", table=table)}))
    assert edits_between(before, before.edited([edit])) == (edit,)


def test_an_identifier_that_moves_and_an_address_that_moves_are_put_after_they_are_free() -> None:
    key, address = "11111111-1111-1111-1111-111111111111", parse_address("tcp://x:4022")
    one, two = Database("d", broker_instance=key), Database("e")
    before = _estate(Instance("a", {"d": one, "e": two}, (address,)), Instance("b"))
    moved = {"d": Database("d"), "e": Database("e", broker_instance=key)}
    after = _estate(Instance("a", moved), Instance("b", {}, (address,)))
    assert write_estate(before.edited(edits_between(before, after))) == write_estate(after)


@given(st.permutations(["a", "b", "c"]))
def test_the_order_of_instances_is_that_of_the_second_estate(names: list[str]) -> None:
    before = _estate(*(Instance(name) for name in "abc"))
    after = _estate(*(Instance(name) for name in names))
    assert list(before.edited(edits_between(before, after)).instances) == names
