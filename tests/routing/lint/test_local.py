"""Services of an instance that their own instance does not find."""

from __future__ import annotations

from typing import Any

import pytest

from tests.routing.lint.estates import AT, ENDPOINT, PAST, about, bare, db, estate, finding, findings, route, server

SYSTEM = "http://schemas.microsoft.com/SQL/Notifications/EventNotificationService"
DYNAMIC = "SQL/ServiceBroker/BrokerConfiguration"
ASK = route("Ask", DYNAMIC, "b")


def test_without_autocreatedlocal_its_own_services_are_not_found() -> None:
    found = finding("no-autocreatedlocal", server("a", bare("D", services=("Own",))))
    assert about(found) == ("error", "a", "D", "D")
    assert "no route matches Own" in str(found.reason)
    assert found.remedy_sql == "USE [D];\nCREATE ROUTE [AutoCreatedLocal] WITH ADDRESS = N'LOCAL';"


def test_nor_are_those_of_its_neighbours() -> None:
    here = server("a", bare("D", route("L", "Own"), services=("Own",)), db("E", services=("Bill", SYSTEM)))
    found = finding("no-autocreatedlocal", here)
    assert found.severity == "warning"  # no conversation is known to ask for it from here
    assert "no route matches Bill" in str(found.reason)


def test_a_service_of_its_own_that_accepts_no_contract_is_asked_for_by_nobody() -> None:
    begins = {"name": "Own", "queue": "dbo.Q", "contracts": []}
    assert finding("no-autocreatedlocal", server("a", bare("D", services=(begins,)))).severity == "warning"
    takes = begins | {"name": "Takes", "contracts": ["C"]}
    both = {"services": [begins, takes], "contracts": [{"name": "C"}]}
    found = finding("no-autocreatedlocal", server("a", bare("D") | both))
    assert (found.severity, "no route matches Takes" in str(found.reason)) == ("error", True)


def test_an_expired_one_is_none_and_its_name_is_taken() -> None:
    expired = route("AutoCreatedLocal", lifetime=PAST)
    found = finding("no-autocreatedlocal", server("a", bare("D", expired, services=("Own",))))
    assert "[AutoCreatedLocal_2]" in str(found.remedy_sql)


@pytest.mark.parametrize(
    "database",
    [
        db("D", services=("Own",)),
        bare("D", route("Mine", None, " local "), services=("Own",)),
        bare("D", route("L", "Own"), services=("Own",)),
        bare("D", route("Out", None, "gone"), services=("Own",)),
        bare("D", services=("Own",), broker_enabled=False),
        bare("D"),
        bare("msdb", services=("Own",)),
        bare("Master", services=("Own",)),
    ],
)
def test_where_it_is_not_missed(database: dict[str, Any]) -> None:
    assert findings("no-autocreatedlocal", server("a", database)) == []


CLOSED = server("b", db("E", services=("Bill", SYSTEM), broker=2), bare("msdb"))


@pytest.mark.parametrize(
    ("leads", "severity"),
    [
        (route("R", "Bill", "b"), "error"),
        (route("R", "Bill", "b", 2), "warning"),
        (route("R", None, "b"), "warning"),
    ],
)
def test_what_comes_from_outside_matches_nothing(leads: dict[str, Any], severity: str) -> None:
    found = finding("outside-goes-nowhere", server("a", db("D", leads)), CLOSED)
    assert about(found) == (severity, "b", "msdb", "msdb")
    assert "for Bill." in str(found.reason)
    assert found.remedy_sql == "USE [msdb];\nCREATE ROUTE [AutoCreatedLocal] WITH ADDRESS = N'LOCAL';"


def test_an_instance_may_be_closed() -> None:
    other = server("a", db("D", route("R", "Else", "b"), services=("Own",)))
    assert findings("outside-goes-nowhere", other, CLOSED) == []
    assert finding("outside-goes-nowhere", other, CLOSED | {"endpoint": ENDPOINT}).severity == "info"


def test_an_instance_that_takes_them_is_sound() -> None:
    by_name = server("b", db("E", services=("Bill",)), bare("msdb", route("L", "Bill")))
    leads = server("a", db("D", route("R", "Bill", "b")))
    assert findings("outside-goes-nowhere", leads, by_name) == []
    assert findings("outside-goes-nowhere", leads, server("b", db("E", services=("Bill",)))) == []
    assert findings("outside-goes-nowhere", leads, server("b", bare("msdb"))) == []


def test_an_msdb_that_is_not_written_has_no_routes() -> None:
    unwritten = server("b", db("E", services=("Bill",)))
    unwritten["databases"] = unwritten["databases"][:1]
    leads = server("a", db("D", route("R", "Bill", "b")))
    assert finding("outside-goes-nowhere", leads, unwritten).database == "msdb"
    assert estate(unwritten).instances["b"].msdb.routes == {}


def test_dynamic_routing_comes_before_local() -> None:
    here = server("a", db("D", ASK), db("E", services=("Bill", SYSTEM)))
    found = finding("dynamic-route-hides-local", here, server("b"))
    assert about(found) == ("error", "a", "D", "Ask")
    assert found.remedy_sql == "USE [D];\nCREATE ROUTE [Local Bill] WITH SERVICE_NAME = N'Bill', ADDRESS = N'LOCAL';"


@pytest.mark.parametrize("database", ["D", "msdb"])
def test_where_it_is_answered_conversations_only_wait(database: str) -> None:
    answers = server("b", db("F", services=(DYNAMIC,)))
    here = server("a", db(database, ASK), db("E", services=("Bill",)), forwarding=True)
    assert about(finding("dynamic-route-hides-local", here, answers)) == ("warning", "a", database, "Ask")


def test_services_with_a_route_by_name_are_found() -> None:
    named = db("D", ASK, route("L", "Bill"))
    assert findings("dynamic-route-hides-local", server("a", named, db("E", services=("Bill",)))) == []
    found = finding("dynamic-route-hides-local", server("a", named, db("E", services=("Bill", "Ship"))))
    assert "CREATE ROUTE [Local Ship]" in str(found.remedy_sql)


@pytest.mark.parametrize(
    "database",
    [db("D", ASK | {"lifetime": PAST}), db("D"), bare("D", ASK), bare("D", ASK, route("L", lifetime=PAST))],
)
def test_without_both_nothing_is_hidden(database: dict[str, Any]) -> None:
    here = server("a", database, db("E", services=("Bill",)))
    assert findings("dynamic-route-hides-local", here, at=AT) == []


def test_long_names_are_cut_to_what_a_name_can_hold() -> None:
    service = "s" * 256
    found = finding("dynamic-route-hides-local", server("a", db("D", ASK), db("E", services=(service,))))
    assert f"CREATE ROUTE [{('Local ' + service)[:128]}]" in str(found.remedy_sql)
