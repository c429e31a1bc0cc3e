"""Nothing is left out silently: drawn and counted elements add up to all."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.estates import large_estate
from brokerui.estate.refs import GROUP, INSTANCE
from brokerui.pages.map.network import RouteNetwork
from brokerui.pages.map.panel import panel_of
from brokerui.pages.map.scope import around
from brokerui.pages.map.search import found
from tests.brokerui.estates import EVERY_KIND, fan
from tests.brokerui.pages.map.helpers import network, planned
from tests.strategies import AT, Json, estates


@pytest.fixture(scope="module")
def large() -> RouteNetwork:
    return network(json.dumps(large_estate(instances=300, databases=900, routes=6_000, names=1_000)))


def assert_complete(one: RouteNetwork, **options: object) -> None:
    """Routes counted from the plan, and those of the servers that are not on it, are all routes of the estate."""
    plan, numbers = planned(one, **options)
    shown = {ref.name for box in plan.boxes.values() for ref in box.about if ref.kind == INSTANCE}
    tables = [(name, database) for name, i in one.estate.instances.items() for database in i.databases.values()]
    elsewhere = sum(len(database.table) for name, database in tables if name not in shown)
    drawn = sum(row.routes for row in plan.rows())
    assert drawn + elsewhere == numbers.of_routes == sum(len(database.table) for _, database in tables)
    assert numbers.elsewhere == elsewhere
    assert numbers.instances + numbers.grouped == len(shown)
    assert numbers.databases == sum(name in shown for name, _ in tables)
    assert numbers.stay + numbers.by_name + numbers.lines + numbers.rest == drawn


@given(estates(), st.integers(1, 3), st.data())
def test_any_part_of_any_estate(estate: Json, hops: int, data: st.DataObject) -> None:
    one = network(json.dumps(estate))
    assert_complete(one)
    if one.estate.instances:
        assert_complete(one, focus=data.draw(st.sampled_from(sorted(one.estate.instances))), hops=hops)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"focus": "srv0100"},
        {"focus": "srv0100", "hops": 3},
        {"focus": "srv0001"},
        {"first": "srv0100", "last": "srv0199"},
        {"focus": "srv0001", "first": "srv0100", "last": "srv0120"},
        {"service": "//company.example/app3/Service00003"},
        {"focus": "nowhere"},
        {"first": "x", "last": "y"},
    ],
)
def test_every_part_of_a_large_estate(large: RouteNetwork, options: dict[str, object]) -> None:
    assert_complete(large, **options)


def test_a_fan_with_more_lines_than_are_drawn() -> None:
    one = network(fan(149))
    plan, numbers = planned(one)
    assert plan.lines < 298
    assert numbers.rest > 0
    assert_complete(one)


def test_a_group_tells_the_servers_for_which_it_stands(large: RouteNetwork) -> None:
    plan, _ = planned(large, focus="srv0001")
    box = next(box for box in plan.boxes.values() if box.ref.kind == GROUP)
    panel = panel_of(large, box.ref, AT, plan.boxes)
    assert panel is not None
    assert panel.instances.count == box.stands_for  # type: ignore[union-attr] - each kind of panel of these boxes has it


def test_a_line_between_boxes_tells_its_routes(large: RouteNetwork) -> None:
    plan, _ = planned(large)
    for row in plan.rows():
        if row.to and row.kind == "sum":
            panel = panel_of(large, row.ref, AT, plan.boxes)
            assert panel is not None
            assert panel.count >= row.routes > 0  # type: ignore[union-attr] - each kind of panel of these boxes has it


def test_the_neighbourhood_is_that_of_the_engine(large: RouteNetwork) -> None:
    """Every server in it is joined by a route that the engine resolves, one way or the other."""
    resolve, instances = large.estate.resolve, large.estate.instances
    leads: dict[str, set[str | None]] = {
        name: {
            resolve(address)
            for database in instance.databases.values()
            for route in database.table.routes.values()
            for address in (route.address, route.mirror_address)
            if address is not None and address.is_network
        }
        for name, instance in instances.items()
    }
    expected = {"srv0100"} | {n for n in instances if n in leads["srv0100"] or "srv0100" in leads[n]}
    assert set(around(large, "srv0100", 1).instances) == expected


def test_finding() -> None:
    one = network(EVERY_KIND)
    hits = found(one, "SHIP")
    assert hits.services == ("Ship",)
    assert {str(ref) for ref in hits.lit} == {"database/a/Depot"}
    assert found(one, "gone").addresses.count == 1
    assert [ref.name for ref in found(one, "oldroute").routes.shown] == ["OldRoute"]
    assert found(one, "tcp://hub").instances.count == 1
    assert found(one, "no such thing").count == 0
