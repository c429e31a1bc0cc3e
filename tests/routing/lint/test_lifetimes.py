"""Routes whose lifetime is over, or soon will be."""

from __future__ import annotations

from datetime import timedelta

import pytest

from routing.lint.lifetimes import SOON as SEVEN_DAYS
from tests.routing.lint.estates import AT, LATER, PAST, SOON, about, db, finding, findings, route, server

DYNAMIC = route("Ask", "SQL/ServiceBroker/BrokerConfiguration", "b")


def test_an_expired_route_without_which_nothing_arrives_is_an_error() -> None:
    expired = route("R", "Bill", "b", lifetime=PAST)
    found = finding("route-expired", server("a", db("D", expired)), server("b", db("E", services=("Bill",))))
    assert about(found) == ("error", "a", "D", "R")
    assert found.remedy_sql == (
        "USE [D];\nDROP ROUTE [R];\nCREATE ROUTE [R] WITH SERVICE_NAME = N'Bill', ADDRESS = N'tcp://b:4022';"
    )


@pytest.mark.parametrize("database", ["D", "msdb"])
def test_an_expired_route_beside_one_that_does_is_a_warning(database: str) -> None:
    routes = route("R", "Bill", "b", lifetime=PAST), route("S", "Bill", "b")
    instances = (
        server("a", db(database, *routes), forwarding=True),
        server("b", db("E", services=("Bill",))),
    )
    assert about(finding("route-expired", *instances)) == ("warning", "a", database, "R")


def test_an_expired_route_that_is_asked_for_again_is_of_no_weight() -> None:
    routes = route("R", "Bill", "b", lifetime=PAST), DYNAMIC
    assert finding("route-expired", server("a", db("D", *routes))).severity == "info"


def test_an_expired_route_for_everything_is_a_warning() -> None:
    assert finding("route-expired", server("a", db("D", route("R", None, "b", lifetime=PAST)))).severity == "warning"


def test_a_route_expires_at_its_moment_and_not_before() -> None:
    at_once = server("a", db("D", route("R", "Bill", "b", lifetime="2030-01-01T00:00:00Z")))
    assert len(findings("route-expired", at_once)) == 1
    assert findings("route-expired", at_once, at=AT - timedelta(seconds=1)) == []


def test_a_route_that_expires_within_seven_days_is_a_warning() -> None:
    found = finding("route-expires-soon", server("a", db("D", route("R", "Bill", "b", lifetime=SOON))))
    assert about(found) == ("warning", "a", "D", "R")


def test_among_routes_that_are_made_on_demand_it_is_of_no_weight() -> None:
    soon = route("R", "Bill", "b", lifetime=SOON)
    assert finding("route-expires-soon", server("a", db("D", soon, DYNAMIC))).severity == "info"
    expired = DYNAMIC | {"lifetime": PAST}
    assert finding("route-expires-soon", server("a", db("D", soon, expired))).severity == "warning"


def test_the_day_after_seven_days_is_not_soon() -> None:
    instances = server("a", db("D", route("R", "Bill", "b", lifetime=LATER), route("S", "Bill", "b")))
    assert findings("route-expires-soon", instances) == []
    assert findings("route-expires-soon", instances, at=AT + timedelta(days=365) - SEVEN_DAYS) != []
    assert findings("route-expires-soon", instances, at=AT + timedelta(days=365)) == []
