"""Routes of master, which no message takes."""

from __future__ import annotations

from typing import Any

import pytest

from tests.routing.lint.estates import LOCAL, about, bare, codes, db, finding, findings, route, server

ASTRAY = route("ToShip", "Ship", "b")
FAR = server("b", db("E", route("Back", "Own", "a"), services=("Ship",)))


def master(*routes: Any, **more: Any) -> dict[str, Any]:
    return bare("master", LOCAL, *routes, **more)


def test_the_database_that_needs_it_gets_it() -> None:
    found = finding("route-in-master", server("a", db("D", services=("Own",)), master(ASTRAY)), FAR)
    assert about(found) == ("warning", "a", "master", "ToShip")
    assert "Conversations that begin in D to Ship are not delivered." in str(found.reason)
    assert found.remedy_sql == (
        "USE [D];\nCREATE ROUTE [ToShip] WITH SERVICE_NAME = N'Ship', ADDRESS = N'tcp://b:4022';\n"
        "USE [master];\nDROP ROUTE [ToShip];"
    )


def test_msdb_gets_it_where_messages_from_outside_need_it() -> None:
    sender = server("c", db("G", route("Over", "Ship", "a"), services=("Else",)))
    found = finding("route-in-master", server("a", master(ASTRAY), forwarding=True), FAR, sender)
    assert found.remedy_sql is not None
    assert found.remedy_sql.startswith("USE [msdb];\nCREATE ROUTE [ToShip]")


@pytest.mark.parametrize(
    "here",
    [
        server("a", db("D", services=("Own",)), db("F", services=("Mine",)), master(ASTRAY)),  # which one is not known
        server("a", master(ASTRAY)),  # nobody needs it
        server("a", db("D", services=("Own",)), master(route("Any", None, "b"))),
    ],
)
def test_where_it_belongs_is_not_guessed(here: Any) -> None:
    assert finding("route-in-master", here, FAR).remedy_sql is None


@pytest.mark.parametrize(
    "here",
    [
        server("a", db("D", services=("Own",)), master()),
        server("a", db("D", services=("Own",)), master(ASTRAY, services=("Mine",))),
        server("a", db("D", ASTRAY, services=("Own",))),
    ],
)
def test_other_routes_are_of_use(here: Any) -> None:
    assert findings("route-in-master", here, FAR) == []


def test_where_a_route_leads_that_no_message_takes_is_not_told() -> None:
    found = codes(server("a", db("D", services=("Own",)), master(route("R", "Elsewhere", "b"))), FAR)
    assert "route-in-master" in found
    assert "leads-nowhere" not in found
