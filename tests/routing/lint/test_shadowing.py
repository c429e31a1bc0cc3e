"""Routes that others keep from ever being used, and doubles."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given

from routing.diff.run import compare
from routing.documents.estate_document import read_estate
from routing.lint.registry import CHECKS, lint
from routing.model.estate import Estate
from tests.routing.lint.estates import LATER, PAST, SOON, about, bare, db, finding, findings, route, server
from tests.strategies import AT as DRAWN_AT
from tests.strategies import estates

MIRRORED = route("M", "Bill", "b", mirror_address="tcp://c")


def shadowed(*routes: dict[str, object], database: str = "D") -> list[str]:
    """The shadowed routes of a table, beside AutoCreatedLocal."""
    here = server("a", db(database, *routes), db("E", services=("Bill",), broker=1))
    return [str(found.object) for found in findings("shadowed-route", here)]


@pytest.mark.parametrize("database", ["D", "msdb"])
def test_a_mirrored_route_comes_before_all(database: str) -> None:
    routes = MIRRORED, route("N", "Bill", "d"), route("L", "Bill"), route("T", "Bill", "TRANSPORT")
    assert shadowed(*routes, database=database) == ["N", "L", "T"]


def test_it_says_why_and_what_to_do() -> None:
    found = finding("shadowed-route", server("a", db("D", MIRRORED, route("N", "Bill", "d"))))
    assert about(found) == ("warning", "a", "D", "N")
    assert str(found.reason) == "No conversation can use it: a mirrored route comes first."
    assert found.remedy_sql == "USE [D];\nDROP ROUTE [N];"


def test_a_mirrored_route_for_everything_hides_autocreatedlocal() -> None:
    assert shadowed(route("M", None, "b", mirror_address="tcp://c")) == ["AutoCreatedLocal"]


def test_a_network_address_comes_before_transport() -> None:
    assert shadowed(route("N", None, "b"), route("T", None, "TRANSPORT")) == ["T"]


@pytest.mark.parametrize("broker", [None, 1, 9])
def test_local_is_passed_over_where_the_service_is_not_found(broker: int | None) -> None:
    routes = route("L", "Bill", "LOCAL", broker), route("N", "Bill", "b", broker)
    assert shadowed(*routes) == (["N"] if broker == 1 else [])


def test_two_of_one_kind_share_the_conversations() -> None:
    assert shadowed(route("N", "Bill", "b"), route("O", "Bill", "d"), route("P", "Bill", "d", 1)) == []


def test_a_route_that_outlives_the_other_is_not_shadowed() -> None:
    brief = MIRRORED | {"lifetime": SOON}
    assert shadowed(brief, route("N", "Bill", "d")) == []
    assert shadowed(brief, route("N", "Bill", "d", lifetime=SOON)) == ["N"]
    assert shadowed(MIRRORED, route("N", "Bill", "d", lifetime=LATER)) == ["N"]


def test_an_expired_route_shadows_nothing_and_is_not_shadowed() -> None:
    assert shadowed(MIRRORED | {"lifetime": PAST}, route("N", "Bill", "d")) == []
    assert shadowed(MIRRORED, route("N", "Bill", "d", lifetime=PAST)) == []


def test_dynamic_routing_is_passed_over_in_time() -> None:
    ask = route("Ask", "SQL/ServiceBroker/BrokerConfiguration", "b")
    assert shadowed(ask, route("N", None, "b")) == []
    assert shadowed(ask, route("Again", "SQL/ServiceBroker/BrokerConfiguration", "TRANSPORT")) == ["Again"]


def identical(*routes: dict[str, object]) -> list[str]:
    return [str(found.object) for found in findings("identical-routes", server("a", bare("D", *routes)))]


def test_of_two_identical_routes_the_first_stays() -> None:
    found = finding("identical-routes", server("a", bare("D", route("R", "Bill", "b"), route("S", "Bill", "TCP://B"))))
    assert about(found) == ("info", "a", "D", "S")
    assert found.remedy_sql == "USE [D];\nDROP ROUTE [S];"


def test_of_two_identical_routes_the_one_that_lives_longest_stays() -> None:
    assert identical(route("R", None, "b", lifetime=LATER), route("S", None, "b")) == ["R"]
    assert identical(route("R", None, "b", lifetime=LATER), route("S", None, "b", lifetime=SOON)) == ["S"]
    assert identical(route("R", None, "b", lifetime=PAST), route("S", None, "b")) == []


def test_routes_that_differ_in_one_thing_are_not_identical() -> None:
    routes = route("R", "Bill", "b"), route("S", "Bill", "c"), route("T", "Bill", "b", 1), route("U", "bill", "b")
    assert identical(*routes, route("V", "Bill", "b", mirror_address="tcp://c")) == []


def test_a_replica_is_told_of_its_principal() -> None:
    pair = [
        server(name, db("D", MIRRORED, route("N", "Bill", "d"), broker=1, mirroring_role=role))
        for name, role in (("a", "PRINCIPAL"), ("b", "MIRROR"))
    ]
    assert [found.instance for found in findings("shadowed-route", *pair)] == ["a"]
    assert [found.instance for found in findings("shadowed-route", pair[1])] == ["b"]


@pytest.mark.parametrize("code", ["shadowed-route", "identical-routes", "route-without-name"])
@given(estates())
def test_dropping_what_nothing_uses_changes_no_traffic(code: str, document: dict[str, Any]) -> None:
    """The differential over all classes proves it, at the moment of the question and at each that follows."""
    estate = read_estate(json.dumps(document))
    check = next(check for check in CHECKS if check.code == code)
    for found in lint(estate, DRAWN_AT, [check])[:3]:
        assert found.instance is not None
        without = estate.with_route(found.instance, str(found.database), str(found.object), None)
        for moment in moments(estate):
            assert list(compare(estate, without, moment).groups) == []


def moments(estate: Estate) -> set[datetime]:
    """When the question is asked, and when a route expires after it."""
    tables = [table for instance in estate.instances.values() for table in instance.tables.values()]
    lifetimes = {route.lifetime for table in tables for route in table.routes.values() if route.lifetime}
    return {DRAWN_AT, *(lifetime for lifetime in lifetimes if lifetime > DRAWN_AT)}
