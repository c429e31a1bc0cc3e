"""Service names that no database has, where the intended name is clear."""

from __future__ import annotations

import pytest

from tests.routing.lint.estates import PAST, about, codes, db, finding, findings, route, server

BILL = "//example/Bill"
B = server("b", db("E", services=(BILL, "http://example/Ship")))


def toward(service: str, host: str = "b", **more: str) -> dict[str, object]:
    return server("a", db("D", route("R", service, host, **more)))


@pytest.mark.parametrize(
    "name", ["//example/bill", "//EXAMPLE/Bill", " //example/Bill", "//example/Bill ", "//example/Bill/"]
)
def test_a_name_that_only_looks_the_same(name: str) -> None:
    found = finding("similar-service-name", toward(name), B)
    assert about(found) == ("error", "a", "D", "R")
    assert found.remedy_sql == "USE [D];\nALTER ROUTE [R] WITH SERVICE_NAME = N'//example/Bill';"


def test_http_and_https_are_different_bytes() -> None:
    found = finding("similar-service-name", toward("https://example/Ship"), B)
    assert "http://example/Ship" in str(found.remedy_sql)


def test_beyond_the_estate_it_may_be_right() -> None:
    assert finding("similar-service-name", toward("//example/bill", "gone"), B).severity == "warning"


def test_of_two_that_look_alike_the_one_at_the_end_of_the_route_is_meant() -> None:
    other = server("c", db("F", services=("//example/BILL",)))
    assert "N'//example/Bill'" in str(finding("similar-service-name", toward("//example/bill"), B, other).remedy_sql)
    assert finding("similar-service-name", toward("//example/bill", "gone"), B, other).remedy_sql is None


@pytest.mark.parametrize("name", [BILL, "//example/Bills", "//other/Bill"])
def test_the_very_name_and_quite_another_one_are_no_findings(name: str) -> None:
    assert findings("similar-service-name", toward(name), B) == []


def test_an_expired_route_misleads_nobody() -> None:
    assert findings("similar-service-name", toward("//example/bill", lifetime=PAST), B) == []


def test_the_dynamic_routing_service_may_be_anywhere() -> None:
    here = toward("SQL/ServiceBroker/BrokerConfiguration")
    there = server("b", db("E", services=("sql/servicebroker/brokerconfiguration",)))
    assert findings("similar-service-name", here, there) == []


def test_the_route_named_where_the_service_should_be() -> None:
    one = server("b", db("E", services=("Invoice",)))
    found = finding("route-name-as-service-name", toward("r"), one)
    assert about(found) == ("error", "a", "D", "R")
    assert found.remedy_sql == "USE [D];\nALTER ROUTE [R] WITH SERVICE_NAME = N'Invoice';"


def test_of_several_services_the_one_that_the_route_is_called_after() -> None:
    instances = server("a", db("D", route("BillRoute", "BillRoute", "b"))), B
    assert "N'//example/Bill'" in str(finding("route-name-as-service-name", *instances).remedy_sql)


def test_of_several_others_none_is_proposed() -> None:
    assert finding("route-name-as-service-name", toward("R"), B).remedy_sql is None


def test_a_service_that_has_its_route_already_is_not_proposed() -> None:
    here = server("a", db("D", route("R", "R", "b"), route("S", BILL, "b")))
    assert "N'http://example/Ship'" in str(finding("route-name-as-service-name", here, B).remedy_sql)


def test_a_local_route_is_asked_about_its_own_instance() -> None:
    here = server("a", db("D", route("R", "R"), services=("Own",)))
    assert "N'Own'" in str(finding("route-name-as-service-name", here).remedy_sql)


@pytest.mark.parametrize("host", ["gone", "TRANSPORT"])
def test_a_service_beyond_the_estate_may_be_called_like_a_route(host: str) -> None:
    assert findings("route-name-as-service-name", toward("R", host), B) == []


def test_a_name_that_gets_out_of_the_estate_may_be_right() -> None:
    hub = server("b", {"name": "msdb", "routes": [route("On", None, "gone")]}, forwarding=True)
    assert findings("route-name-as-service-name", toward("R"), hub) == []


def test_a_service_called_like_its_route_is_sound() -> None:
    there = server("b", db("E", services=("R",)))
    assert findings("route-name-as-service-name", toward("R"), there) == []
    assert findings("route-name-as-service-name", toward("NoRoute"), there) == []


def test_what_looks_like_a_service_is_told_once() -> None:
    there = server("b", db("E", services=("r",)))
    assert codes(toward("R"), there) == {"similar-service-name"}


@pytest.mark.parametrize("name", ["CorrectRoute", "RouteToBill", "correctroute"])
def test_a_routes_name_is_found_at_an_unknown_address_too(name: str) -> None:
    here = server("a", db("D", route("CorrectRoute", name, "gone"), route("RouteToBill", "Bill", "gone")))
    found = finding("route-name-as-service-name", here)
    assert about(found) == ("warning", "a", "D", "CorrectRoute")
    assert found.remedy_sql is None


@pytest.mark.parametrize("name", ["//x/Bill", "Bill"])
def test_a_route_that_is_named_after_its_service_is_sound_at_an_unknown_address(name: str) -> None:
    assert findings("route-name-as-service-name", server("a", db("D", route(name, name, "gone")))) == []
