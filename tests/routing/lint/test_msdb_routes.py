"""Routes that were made in msdb and are needed in a database."""

from __future__ import annotations

from typing import Any

import pytest

from routing.common.names import EVENT_NOTIFICATION_SERVICE, NOTIFICATION_CONTRACTS
from tests.routing.lint.estates import (
    LATER,
    LOCAL,
    MSDB,
    about,
    bare,
    codes,
    db,
    finding,
    findings,
    guid,
    route,
    server,
)

MISPLACED = route("ToShip", "Ship", "b", 2, lifetime=LATER)
FAR = server("b", db("E", route("Back", "Own", "a"), services=("Ship",), broker=2))


def msdb(*routes: Any, **more: Any) -> dict[str, Any]:
    return bare("msdb", LOCAL, *routes, **more)


def test_the_route_was_made_in_msdb() -> None:
    found = finding("route-in-msdb", server("a", db("D", services=("Own",)), msdb(MISPLACED)), FAR)
    assert about(found) == ("warning", "a", "msdb", "ToShip")
    assert "conversations that begin in D do not take this route, and are not delivered." in str(found.reason)
    assert found.remedy_sql == (
        f"USE [D];\nCREATE ROUTE [ToShip] WITH SERVICE_NAME = N'Ship', BROKER_INSTANCE = N'{guid(2)}', "
        "LIFETIME = 31536000, ADDRESS = N'tcp://b:4022';\nUSE [msdb];\nDROP ROUTE [ToShip];"
    )


def test_that_forwarding_is_off_is_not_told_beside_it() -> None:
    assert codes(server("a", db("D", services=("Own",)), msdb(MISPLACED)), FAR) >= {"route-in-msdb"}
    assert "forwarding-off" not in codes(server("a", db("D", services=("Own",)), msdb(MISPLACED)), FAR)


def test_which_of_several_databases_is_meant_is_not_guessed() -> None:
    here = server("a", db("D", services=("Own",)), db("F", services=("Mine",)), msdb(MISPLACED))
    found = finding("route-in-msdb", here, FAR)
    assert "begin in D, F do" in str(found.reason)
    assert found.remedy_sql is None


def test_the_new_name_is_free() -> None:
    here = server("a", db("D", route("toship", "Else", "c"), services=("Own",)), msdb(MISPLACED))
    assert "CREATE ROUTE [ToShip_2]" in str(finding("route-in-msdb", here, FAR).remedy_sql)


@pytest.mark.parametrize(
    "here",
    [
        server("a", db("D", route("R", "Ship", "b"), services=("Own",)), msdb(MISPLACED)),
        server("a", db("D"), msdb(MISPLACED)),  # no service here begins conversations
        server("a", db("D", services=("Own",)), msdb(MISPLACED, services=("Mine",))),
        server("a", db("D", services=("Own",)), msdb(route("Any", None, "b"))),
        server("a", db("D", services=("Own",)), msdb(route("Here", "Ship"))),
        server("a", db("D", services=("Own",)), msdb(route("System", "http://schemas.microsoft.com/SQL/x", "b"))),
    ],
)
def test_a_route_of_msdb_that_is_where_it_belongs(here: Any) -> None:
    assert findings("route-in-msdb", here, FAR) == []


@pytest.mark.parametrize("brought", [route("Over", "Ship", "a"), route("Over", None, "a")])
def test_what_another_instance_sends_here_is_meant_for_msdb(brought: Any) -> None:
    sender = server("c", db("G", brought, services=("Else",)))
    here = server("a", db("D", services=("Own",)), msdb(MISPLACED))
    assert findings("route-in-msdb", here, FAR, sender) == []
    assert "forwarding-off" in codes(here, FAR, sender)


def test_a_route_for_event_notifications_of_the_server_belongs_there() -> None:
    accepts = next(name for name, service in NOTIFICATION_CONTRACTS.items() if service == EVENT_NOTIFICATION_SERVICE)
    watcher = server("b", db("E", services=({"name": "Ship", "queue": "dbo.Q", "contracts": [accepts]},)), MSDB)
    begins = msdb(MISPLACED, services=(EVENT_NOTIFICATION_SERVICE,))
    assert findings("route-in-msdb", server("a", db("D", services=("Own",)), begins), watcher) == []
