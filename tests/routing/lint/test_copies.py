"""Services that stand more than once."""

from __future__ import annotations

from tests.routing.lint.estates import PAST, about, bare, db, finding, findings, route, server

BOTH = db("E", services=("Bill",), broker=1), db("F", services=("Bill",), broker=2)


def test_a_route_by_name_leads_to_either() -> None:
    found = finding("service-copies", server("a", db("D", route("R", "Bill", "b"))), server("b", *BOTH))
    assert about(found) == ("warning", "b", None, "Bill")
    assert str(found.reason).startswith("2 databases of the instance have it: E, F.")


def test_with_an_identifier_or_no_route_it_is_of_no_weight() -> None:
    routes = route("R", "Bill", "b", 1), route("S", None, "b"), route("T", "Bill", "b", lifetime=PAST)
    assert finding("service-copies", server("a", db("D", *routes)), server("b", *BOTH)).severity == "info"


def test_a_neighbour_without_a_copy_may_reach_either() -> None:
    closed = bare("msdb")
    assert finding("service-copies", server("b", *BOTH, db("G"), closed)).severity == "info"
    assert findings("service-copies", server("b", *BOTH, bare("G"), closed)) == []
    assert findings("service-copies", server("b", *BOTH, closed)) == []


def test_a_copy_that_can_be_no_target_is_none() -> None:
    disabled = db("F", services=("Bill",), broker=1, broker_enabled=False)
    assert findings("service-copies", server("b", BOTH[0], disabled)) == []
    assert findings("service-copies", server("a", BOTH[0]), server("b", BOTH[1])) == []


def test_every_database_has_the_services_of_the_product() -> None:
    system = "http://schemas.microsoft.com/SQL/ServiceBroker/ServiceBroker"
    assert findings("service-copies", server("b", db("E", services=(system,)), db("F", services=(system,)))) == []
