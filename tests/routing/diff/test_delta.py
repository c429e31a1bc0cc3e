"""What two estates differ in, as the nodes that may decide otherwise: one edit at a time."""

from __future__ import annotations

from typing import Any

import pytest

from routing.classes.traffic_class import Node, Vocabulary
from routing.common.names import DYNAMIC_ROUTING_SERVICE
from routing.diff.delta import Delta, delta
from routing.model.estate import Estate
from tests.routing.small import ELSEWHERE, ID, Json, database, estate, host, to

ALL_OF_A: set[Node] = {("a", "db"), ("a", "msdb"), ("a", None)}


def small(
    *routes: Json, outside: tuple[Json, ...] = (), more: tuple[Json, ...] = (), b: Json | None = None, **db: Any
) -> Estate:
    """Host a with a database that has S, host b with the given databases."""
    rest = {"broker_instance": ID, **db}
    here = database("db", *rest.pop("services", ("S",)), routes=routes, **rest)
    return estate(host("a", here, *more, outside=outside or [to("LOCAL", "U")]), b or host("b"))


def found(before: Estate, after: Estate) -> Delta:
    return delta(before, after, Vocabulary(before, after))


def shown(change: Delta) -> dict[str, object]:
    """What it found, without the parts that are empty."""
    parts = {"always": change.always, "one_sided": set(change.one_sided), **change.by_name, **change.by_identifier}
    return {name: nodes for name, nodes in parts.items() if nodes}


def test_estates_that_share_everything_do_not_differ() -> None:
    same = small(to("b", "S"))
    assert shown(found(same, same)) == {}
    assert shown(found(same, small(to("b", "S")))) == {}


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        pytest.param(small(to("b", "S")), {"S": {("a", "db")}}, id="a route for a name"),
        pytest.param(small(to("b")), {"always": {("a", "db")}}, id="a route for everything"),
        pytest.param(
            small(to("b", DYNAMIC_ROUTING_SERVICE)),
            {"always": {("a", "db")}, DYNAMIC_ROUTING_SERVICE: {("a", "db")}},
            id="dynamic routing stands in for every name",
        ),
        pytest.param(
            small(outside=(to("LOCAL", "U"), to("b", "S"))),
            {"S": {("a", "msdb"), ("a", None)}},
            id="msdb is asked twice",
        ),
        pytest.param(small(services=("S", "T")), {"T": ALL_OF_A, ID: ALL_OF_A}, id="a service"),
        pytest.param(small(broker_enabled=False), {"S": ALL_OF_A, ID: ALL_OF_A}, id="a broker switched off"),
        pytest.param(small(broker_instance=ELSEWHERE), {ID: ALL_OF_A, ELSEWHERE: ALL_OF_A}, id="another identifier"),
        pytest.param(small(queues=[{"name": "q"}]), {}, id="a queue has no part in routing"),
        pytest.param(
            small(more=(database("e", "S"),)), {"S": ALL_OF_A, "one_sided": {("a", "e")}}, id="a copy in a new database"
        ),
        pytest.param(small(b=host("b", forwarding=False)), {"always": {("b", None)}}, id="forwarding"),
    ],
)
def test_one_edit_is_found_where_it_may_matter(after: Estate, expected: dict[str, object]) -> None:
    before = small()
    assert shown(found(before, after)) == expected
    assert shown(found(after, before)) == expected


def test_an_identifier_is_looked_up_for_services_whose_routes_give_it() -> None:
    """LOC-1 with the route's identifier: the conversation itself may give none."""
    route = to("LOCAL", "V", broker_instance=ELSEWHERE)
    changed = found(small(route), small(route, broker_instance=ELSEWHERE))
    assert changed.by_name["V"] == ALL_OF_A
    assert set(changed.by_identifier) == {ID, ELSEWHERE}


def test_nodes_of_a_class_are_those_of_its_name_of_its_identifier_and_of_all() -> None:
    changed = found(small(), small(to("b"), services=("S", "T"), b=host("b", forwarding=False)))
    assert changed.nodes("T", None) == ALL_OF_A | {("b", None)}
    assert changed.nodes("X", None) == {("a", "db"), ("b", None)}
    assert changed.nodes("X", ID) == ALL_OF_A | {("b", None)}
    assert changed.nodes("X", ELSEWHERE) == {("a", "db"), ("b", None)}


# ---------------------------------------------------------------- instances and addresses


def test_an_instance_of_one_side_only() -> None:
    more = estate(*(host(name) for name in "ab"))
    changed = found(estate(host("a")), more)
    assert changed.one_sided == {("b", None)}
    assert shown(changed) == {"one_sided": {("b", None)}}


@pytest.mark.parametrize(
    ("routes", "expected"),
    [
        ([to("b", "S")], {"S": {("a", "db")}}),
        ([to("b")], {"always": {("a", "db")}}),
        ([to("x", "S", mirror="b")], {"S": {("a", "db")}}),
        ([to("x", "S"), to("LOCAL")], {}),
    ],
)
def test_an_address_that_leads_elsewhere_touches_the_routes_to_it(routes: list[Json], expected: object) -> None:
    moved = host("b", addresses=["tcp://b2"])
    assert shown(found(small(*routes), small(*routes, b=moved))) == expected


def test_a_transport_route_is_touched_for_the_names_that_hold_the_address() -> None:
    before = small(to("TRANSPORT"), to("LOCAL", "tcp://b/x"))
    after = small(to("TRANSPORT"), to("LOCAL", "tcp://b/x"), b=host("b", addresses=["tcp://b2"]))
    names = {"tcp://b/x", "tcp://b:4022/\0", "tcp://b2:4022/\0"}
    assert shown(found(before, after)) == {name: {("a", "db")} for name in names}


# ---------------------------------------------------------------- principals


def partner(role: str | None) -> Json:
    return host("b", database("p", "M", mirroring_role=role))


@pytest.mark.parametrize(
    ("route", "names"),
    [
        (to("b", "M", mirror="x"), {"M"}),
        (to("x", mirror="b"), {"M"}),
        (to("b", "Other", mirror="x"), set()),
        (to("x", "M", mirror="y"), set()),
        (to("b", "M"), set()),
    ],
)
def test_a_role_taken_touches_mirrored_routes_to_its_instance(route: Json, names: set[str]) -> None:
    before, after = (small(route, b=partner(role)) for role in (None, "PRINCIPAL"))
    changed = found(before, after)
    assert {name for name, nodes in changed.by_name.items() if ("a", "db") in nodes} == names


def test_a_principal_with_another_identifier_is_another_principal() -> None:
    route = to("b", "M", mirror="x")
    both = [{**database("p", "M", mirroring_role="PRINCIPAL"), "broker_instance": one} for one in (ID, ELSEWHERE)]
    before, after = (small(route, broker_instance=None, b=host("b", one)) for one in both)
    assert ("a", "db") in found(before, after).by_name["M"]
