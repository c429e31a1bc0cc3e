"""A routing table: its indexes, and that an edit leaves what building it anew would make."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routing.common.errors import Invalid
from routing.common.names import DYNAMIC_ROUTING_SERVICE
from routing.model.address import parse_address
from routing.model.catalog_objects import Service
from routing.model.conversation import Conversation
from routing.model.estate import Database, Estate, Instance
from routing.model.route import Route
from routing.model.route_table import NO_MATCH, NO_ROUTES, NamedRoutes, RouteSet, RouteTable
from routing.rules.router import route as decide

AT = datetime(2030, 1, 1, tzinfo=UTC)
ID1, ID2 = "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d", "81b1d3d0-288e-4d2c-b1d3-456cbb944b4f"
MIRROR = parse_address("tcp://host3.example")


def a_route(
    name: str,
    service: str | None = None,
    identifier: str | None = None,
    address: str = "LOCAL",
    *,
    mirrored: bool = False,
) -> Route:
    return Route(name, service, identifier, None, parse_address(address), MIRROR if mirrored else None)


AUTO = a_route("AutoCreatedLocal")
SHIP = a_route("Ship", "Ship", None, "tcp://host1.example")
SHIP1 = a_route("Ship1", "Ship", ID1, "tcp://host1.example")
SHIP2 = a_route("Ship2", "Ship", ID2, "tcp://host2.example")
BILL = a_route("Bill", "Bill", None, "TRANSPORT")
ODD = a_route("Odd", None, ID1)
TABLE = RouteTable([AUTO, SHIP, SHIP1, SHIP2, BILL, ODD])


# ---------------------------------------------------------------- sets of routes


def test_routes_fall_into_the_tiers_of_the_choice() -> None:
    mirrored = a_route("M", address="tcp://host1.example", mirrored=True)
    routes = RouteSet((BILL, SHIP, AUTO, mirrored, SHIP2))
    assert routes.mirrored == (mirrored,)
    assert routes.local == (AUTO,)
    assert routes.network == (SHIP, SHIP2)
    assert routes.transport == (BILL,)


def test_a_tier_with_all_the_routes_is_the_very_same_tuple() -> None:
    routes = RouteSet((SHIP, SHIP2))
    assert routes.network is routes.routes


@pytest.mark.parametrize(
    ("routes", "direct"),
    [
        ((SHIP,), True),
        ((SHIP1,), True),
        ((SHIP, SHIP2), False),
        ((SHIP, BILL), True),
        ((SHIP, AUTO), True),
        ((AUTO,), False),
        ((BILL,), False),
        ((a_route("M", address="tcp://host1.example", mirrored=True),), False),
        ((), False),
    ],
)
def test_the_only_network_route_without_a_mirror_is_at_hand(routes: tuple[Route, ...], direct: bool) -> None:
    found = RouteSet(routes)
    assert (found.direct_address is not None) is direct
    if direct:
        assert (found.direct_address, found.direct_name) == (routes[0].address, routes[0].name)
        assert found.identifier == routes[0].broker_instance


def test_a_set_in_which_nothing_has_expired_is_alive_as_it_is() -> None:
    forever, later = RouteSet((SHIP,)), RouteSet((SHIP, replace(SHIP2, lifetime=AT + timedelta(seconds=1))))
    assert forever.alive(AT) is forever
    assert later.alive(AT) is later


def test_expired_routes_are_left_out_at_and_after_their_lifetime() -> None:
    soon = replace(SHIP1, lifetime=AT)
    routes = RouteSet((SHIP, soon, replace(SHIP2, lifetime=AT + timedelta(days=1))))
    assert routes.expires == AT
    assert soon in routes.alive(AT - timedelta(microseconds=1)).routes
    assert [r.name for r in routes.alive(AT).routes] == ["Ship", "Ship2"]
    assert [r.name for r in routes.alive(AT + timedelta(days=1)).routes] == ["Ship"]


def test_nothing_is_alive_in_nothing() -> None:
    assert NO_MATCH.alive(AT).routes == ()


# ---------------------------------------------------------------- the indexes


def test_the_routes_of_a_name_are_found_by_their_identifiers() -> None:
    named = TABLE.named["Ship"]
    assert named.without_identifier.routes == (SHIP,)
    assert {key: group.routes for key, group in named.by_identifier.items()} == {ID1: (SHIP1,), ID2: (SHIP2,)}
    assert tuple(named.all_routes()) == (SHIP, SHIP1, SHIP2)


def test_a_name_without_plain_routes_has_none_of_them() -> None:
    assert NamedRoutes((SHIP1,)).empty


def test_names_compare_byte_by_byte() -> None:
    assert set(TABLE.named) == {"Ship", "Bill"}
    assert "ship" not in TABLE.named


def test_the_routes_without_a_name_are_wildcards_unless_they_have_an_identifier() -> None:
    assert TABLE.nameless == (AUTO, ODD)
    assert TABLE.wildcard.routes == (AUTO,)
    assert RouteTable([ODD]).wildcard is NO_MATCH


def test_the_routes_to_the_dynamic_routing_service_are_at_hand() -> None:
    dynamic = a_route("Dynamic", DYNAMIC_ROUTING_SERVICE, ID1)
    assert TABLE.dynamic is None
    assert [*RouteTable([AUTO, dynamic]).dynamic.all_routes()] == [dynamic]


def test_two_routes_of_one_name_are_refused() -> None:
    with pytest.raises(Invalid) as caught:
        RouteTable([AUTO, SHIP, a_route("Ship")])
    assert str(caught.value) == 'routes[2].name: stands twice: "Ship"'


def test_two_routes_whose_names_differ_in_case_are_two() -> None:
    assert len(RouteTable([SHIP, replace(SHIP, name="SHIP")])) == 2


def test_tables_with_the_same_routes_in_the_same_order_are_equal() -> None:
    again = RouteTable(TABLE.routes.values())
    assert again == TABLE
    assert hash(again) == hash(TABLE)
    assert RouteTable(reversed(TABLE.routes.values())) != TABLE
    assert RouteTable([AUTO]) != RouteTable([replace(AUTO, address=parse_address("TRANSPORT"))])
    assert TABLE != "a table"
    assert RouteTable() == NO_ROUTES
    assert len(NO_ROUTES) == 0


# ---------------------------------------------------------------- edits


def test_an_added_route_stands_at_the_end() -> None:
    edited = RouteTable([AUTO, SHIP]).edited("Bill", BILL)
    assert [*edited.routes] == ["AutoCreatedLocal", "Ship", "Bill"]
    assert edited.named["Bill"].without_identifier.routes == (BILL,)


def test_a_replaced_route_keeps_its_place() -> None:
    edited = TABLE.edited("Ship", replace(SHIP, address=parse_address("LOCAL")))
    assert [*edited.routes] == [*TABLE.routes]
    assert edited.named["Ship"].without_identifier.local[0].name == "Ship"


def test_a_dropped_route_is_gone_and_so_is_its_name() -> None:
    edited = TABLE.edited("Bill", None)
    assert "Bill" not in edited.routes
    assert "Bill" not in edited.named


def test_a_route_that_is_not_there_cannot_be_dropped() -> None:
    with pytest.raises(KeyError):
        TABLE.edited("Nothing", None)


def test_a_route_may_move_to_another_name_and_to_none() -> None:
    moved = TABLE.edited("Bill", replace(BILL, remote_service_name="Ship"))
    assert "Bill" not in moved.named
    assert BILL.name in [r.name for r in moved.named["Ship"].without_identifier.routes]
    nameless = moved.edited("Bill", replace(BILL, remote_service_name=None))
    assert [r.name for r in nameless.wildcard.routes] == ["AutoCreatedLocal", "Bill"]
    assert [r.name for r in nameless.named["Ship"].without_identifier.routes] == ["Ship"]
    named = nameless.edited("Bill", BILL)
    assert [r.name for r in named.wildcard.routes] == ["AutoCreatedLocal"]


def test_the_table_that_is_edited_stays_as_it_is() -> None:
    before = dict(TABLE.routes)
    TABLE.edited("Ship", None).edited("Bill", None).edited("AutoCreatedLocal", None).edited(
        "New", a_route("New", "Ship")
    )
    assert TABLE.routes == before
    assert RouteTable(before.values()) == TABLE


def test_an_edit_shares_what_it_does_not_touch() -> None:
    edited = TABLE.edited("Ship", replace(SHIP, address=parse_address("LOCAL")))
    assert edited.named["Bill"] is TABLE.named["Bill"]
    assert edited.named["Ship"] is not TABLE.named["Ship"]
    assert edited.wildcard is TABLE.wildcard
    assert edited.nameless is TABLE.nameless
    wider = TABLE.edited("Odd", None)
    assert wider.named is TABLE.named


def test_the_way_to_the_dynamic_routing_service_comes_and_goes_with_its_route() -> None:
    dynamic = a_route("Dynamic", DYNAMIC_ROUTING_SERVICE)
    edited = TABLE.edited("Dynamic", dynamic)
    assert [*edited.dynamic.all_routes()] == [dynamic]
    assert edited.edited("Dynamic", None).dynamic is None


# ---------------------------------------------------------------- an edit is what building anew would make

SERVICES = ("Ship", "Bill", DYNAMIC_ROUTING_SERVICE)
ADDRESSES = ("LOCAL", "tcp://host1.example", "tcp://host2.example", "TRANSPORT")
names = st.sampled_from(["A", "B", "C", "D"])
routes = st.builds(
    a_route,
    st.just("?"),
    st.sampled_from([None, *SERVICES]),
    st.sampled_from([None, ID1, ID2]),
    st.sampled_from(ADDRESSES),
)
edits = st.lists(st.tuples(names, st.none() | routes), max_size=8)


def every_decision(table: RouteTable) -> Iterator[set[object]]:
    """What a database with this table decides, whatever it is asked; the services are here.

    Which of two identical routes lends its name to the decision is left out (CHOOSE-0).
    """
    here = Database("Orders", ID1, services=tuple(map(Service, SERVICES[:2])), table=table)
    estate = Estate({"here": Instance("here", {"Orders": here})})
    for service in (*SERVICES, "Nowhere"):
        for identifier in (None, ID1, ID2):
            yield decide(estate, Conversation("here", "Orders", service, identifier), AT)


@given(edits)
def test_after_any_edits_a_table_equals_one_built_anew_and_decides_alike(edits: list[tuple[str, Route | None]]) -> None:
    table = RouteTable()
    for name, route in edits:
        if route is not None or name in table.routes:
            table = table.edited(name, replace(route, name=name) if route else None)
        anew = RouteTable(table.routes.values())
        assert table == anew
        assert [*every_decision(table)] == [*every_decision(anew)]


def for_service(name: str, service: str) -> Route:
    return Route(name, service, None, None, parse_address("LOCAL"))


MOVED = RouteTable([for_service("A", "Bill"), for_service("B", "Ship")])


def test_a_route_that_changes_its_service_keeps_its_place_among_the_routes_of_the_new_one() -> None:
    edited = MOVED.edited("A", for_service("A", "Ship"))
    assert [r.name for r in edited.named["Ship"].all_routes()] == ["A", "B"]


def test_an_edit_refuses_a_route_of_another_name() -> None:
    with pytest.raises(Invalid, match="must stay"):
        MOVED.edited("A", for_service("B", "Ship"))
