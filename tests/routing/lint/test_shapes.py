"""Routes that the product does not let anybody make."""

from __future__ import annotations

from tests.routing.lint.estates import LATER, about, db, finding, findings, guid, route, server


def test_an_identifier_without_a_service_name_matches_nothing() -> None:
    found = finding("route-without-name", server("a", db("D", route("R", None, "b", broker=1))))
    assert about(found) == ("warning", "a", "D", "R")
    assert found.remedy_sql == "USE [D];\nDROP ROUTE [R];"


def test_the_one_service_of_its_database_is_what_was_meant() -> None:
    found = finding(
        "route-without-name",
        server("a", db("D", route("R", None, "b", broker=1, lifetime=LATER))),
        server("b", db("E", services=("Bill",), broker=1)),
    )
    assert found.remedy_sql == (
        "USE [D];\nDROP ROUTE [R];\nCREATE ROUTE [R] WITH SERVICE_NAME = N'Bill', "
        f"BROKER_INSTANCE = N'{guid(1)}', LIFETIME = 31536000, ADDRESS = N'tcp://b:4022';"
    )


def test_of_two_services_none_is() -> None:
    found = finding(
        "route-without-name",
        server("a", db("D", route("R", None, "b", broker=1))),
        server("b", db("E", services=("Bill", "Ship"), broker=1)),
    )
    assert found.remedy_sql == "USE [D];\nDROP ROUTE [R];"


def test_a_route_without_either_or_with_both_is_sound() -> None:
    routes = route("R", None, "b"), route("S", "Bill", "b", broker=1)
    assert findings("route-without-name", server("a", db("D", *routes))) == []


def test_transport_for_a_name_without_an_address_sends_nothing() -> None:
    found = finding("transport-with-name", server("a", db("D", route("R", "Bill", "TRANSPORT"))))
    assert about(found) == ("error", "a", "D", "R")
    assert found.remedy_sql is None


def test_beside_a_route_that_is_taken_it_is_a_warning() -> None:
    both = db("D", route("R", "Bill", "TRANSPORT"), route("S", "Bill", "b"))
    assert finding("transport-with-name", server("a", both)).severity == "warning"


def test_transport_for_a_name_with_an_address_is_refused_by_the_product() -> None:
    found = finding("transport-with-name", server("a", db("D", route("R", "tcp://b/Bill", "TRANSPORT"))))
    assert found.severity == "warning"
    assert found.remedy_sql == "USE [D];\nALTER ROUTE [R] WITH ADDRESS = N'tcp://b:4022';"


def test_transport_without_a_name_is_what_it_is_for() -> None:
    assert findings("transport-with-name", server("a", db("D", route("R", None, "TRANSPORT")))) == []


MIRROR = {"mirror_address": "tcp://c:4022"}


def test_a_mirror_wants_a_name_and_an_identifier() -> None:
    routes = route("R", "Bill", "b", **MIRROR), route("S", None, "b", **MIRROR), route("T", "Bill", "b", 1, **MIRROR)
    found = findings("mirror-without-identifier", server("a", db("D", *routes)))
    assert [about(each) for each in found] == [("warning", "a", "D", "R"), ("warning", "a", "D", "S")]
    assert [each.remedy_sql for each in found] == [None, None]


def test_the_identifier_of_the_only_principal_is_proposed() -> None:
    found = finding(
        "mirror-without-identifier",
        server("a", db("D", route("R", "Bill", "b", **MIRROR))),
        server("b", db("E", services=("Bill",), broker=1, mirroring_role="PRINCIPAL")),
        server("c", db("E", services=("Bill",), broker=1, mirroring_role="MIRROR")),
    )
    assert found.remedy_sql == f"USE [D];\nALTER ROUTE [R] WITH BROKER_INSTANCE = N'{guid(1)}';"


def test_a_mirror_that_is_the_address_is_no_partner() -> None:
    found = finding(
        "mirror-equals-address", server("a", db("D", route("R", "Bill", "b", 1, mirror_address="TCP://B/")))
    )
    assert about(found) == ("warning", "a", "D", "R")
    assert found.remedy_sql is not None
    assert "MIRROR_ADDRESS" not in found.remedy_sql


def test_a_mirror_that_is_the_address_of_no_principal_loses_its_messages() -> None:
    asks = server("a", db("D", route("R", "Bill", "b", 1, mirror_address="tcp://b")))
    roles = {"MIRROR": "error", "PRINCIPAL": "warning", None: "info"}  # an unknown role may be that of the principal
    for role, severity in roles.items():
        there = db("E", services=("Bill",), broker=1, mirroring_role=role)
        assert finding("mirror-equals-address", asks, server("b", there)).severity == severity


def test_a_mirror_on_another_port_is_a_partner() -> None:
    other = route("R", "Bill", "b", 1, mirror_address="tcp://b:4023")
    assert findings("mirror-equals-address", server("a", db("D", other, route("S", "Bill", "b")))) == []
