"""Identifiers that name no database, the wrong one, or two."""

from __future__ import annotations

from typing import Any

import pytest

from tests.routing.lint.estates import PAST, about, db, finding, findings, guid, route, server

B = server("b", db("E", services=("Bill",), broker=2), db("F", services=("Ship",), broker=3))


def toward(broker: int, host: str = "b", **more: Any) -> dict[str, Any]:
    return server("a", db("D", route("R", "Bill", host, broker, **more)))


def test_the_identifier_of_another_database() -> None:
    found = finding("unknown-identifier", toward(3), B)
    assert about(found) == ("error", "a", "D", "R")
    assert str(found.reason) == f'{guid(3)} is the identifier of F on b, which has no service "Bill".'
    assert found.remedy_sql == f"USE [D];\nALTER ROUTE [R] WITH BROKER_INSTANCE = N'{guid(2)}';"


def test_the_identifier_of_none() -> None:
    found = finding("unknown-identifier", toward(9), B)
    assert about(found) == ("error", "a", "D", "R")
    assert str(found.reason) == f"No database of the estate has the identifier {guid(9)}."


def test_the_right_one_is_no_finding() -> None:
    assert findings("unknown-identifier", toward(2), B) == []
    assert findings("unknown-identifier", toward(9, lifetime=PAST), B) == []


def test_of_another_database_it_is_wrong_wherever_it_leads() -> None:
    found = finding("unknown-identifier", toward(3, "gone"), B)
    assert found.severity == "warning"
    assert str(found.remedy_sql).endswith(f"N'{guid(2)}';")


def test_a_database_that_we_do_not_know_may_have_it() -> None:
    assert findings("unknown-identifier", toward(9, "gone"), B) == []
    unknown = server("b", db("E", services=("Bill",)), db("F", services=("Ship",), broker=3))
    assert findings("unknown-identifier", toward(9), unknown) == []
    assert findings("unknown-identifier", toward(3), unknown) == []


def test_a_service_that_nobody_has_says_nothing_of_identifiers() -> None:
    assert findings("unknown-identifier", toward(9), server("b", db("F", services=("Ship",), broker=3))) == []


def test_two_databases_with_the_service_leave_it_open_which_was_meant() -> None:
    two = server("b", db("E", services=("Bill",), broker=2), db("G", services=("Bill",), broker=4))
    assert finding("unknown-identifier", toward(9), two).remedy_sql is None


def test_only_the_mirror_is_beyond_the_estate() -> None:
    assert findings("unknown-identifier", toward(9, mirror_address="tcp://gone"), B) == []


C = server("c", db("G", services=("Bill",), broker=4))


def test_the_identifier_of_one_server_and_the_address_of_another() -> None:
    found = finding("unknown-identifier", toward(4), B, C)
    assert str(found.reason) == "Its identifier is that of G on c, and its address that of b."
    assert str(found.remedy_sql).endswith(f"N'{guid(2)}';")


@pytest.mark.parametrize("databases", [(), (db("E", services=("Bill",)),)])
def test_a_server_without_the_service_or_with_one_we_cannot_tell_is_no_mix_up(databases: tuple[Any, ...]) -> None:
    assert findings("unknown-identifier", toward(4), server("b", *databases), C) == []


def test_a_server_that_sends_it_on_is_no_mix_up() -> None:
    on = {"name": "msdb", "routes": [route("On", "Bill", "c", 4)]}
    hub = server("b", db("E", services=("Bill",), broker=2), on, forwarding=True)
    assert findings("unknown-identifier", toward(4), hub, C) == []


def test_a_route_to_local_is_asked_about_its_own_instance() -> None:
    here = server("a", db("D", route("R", "Bill", "LOCAL", 9)), db("E", services=("Bill",), broker=2))
    assert str(finding("unknown-identifier", here).remedy_sql).endswith(f"N'{guid(2)}';")


def test_two_that_can_both_be_a_target() -> None:
    found = finding("duplicate-identifier", server("a", db("D", broker=1)), server("b", db("E", broker=1)))
    assert about(found) == ("warning", "b", "E", "E")
    assert str(found.remedy_sql).endswith("ALTER DATABASE [E] SET NEW_BROKER WITH ROLLBACK IMMEDIATE;")


def test_a_disabled_copy_beside_the_original_is_of_no_weight() -> None:
    copy = db("Copy", broker=1, broker_enabled=False)
    assert about(finding("duplicate-identifier", server("a", copy, db("D", broker=1)))) == ("info", "a", "Copy", "Copy")


def test_two_disabled_copies_of_which_one_can_be_enabled() -> None:
    copies = [db(name, broker=1, broker_enabled=False) for name in ("One", "Two")]
    assert about(finding("duplicate-identifier", server("a", *copies))) == ("info", "a", "Two", "Two")


@pytest.mark.parametrize("other", [{"broker_enabled": False}, {"mirroring_role": "MIRROR"}])
def test_a_partner_and_a_disabled_copy_elsewhere_are_sound(other: dict[str, Any]) -> None:
    one = server("a", db("D", broker=1, mirroring_role="PRINCIPAL"))
    assert findings("duplicate-identifier", one, server("b", db("D", broker=1, **other))) == []


def test_a_replica_on_the_same_instance_is_a_partner() -> None:
    replica = db("M", broker=1, broker_enabled=True, mirroring_role="MIRROR")
    one = server("a", db("D", broker=1, broker_enabled=False, mirroring_role="PRINCIPAL"), replica)
    assert findings("duplicate-identifier", one) == []
    assert findings("duplicate-identifier", server("a", db("D", broker=1), db("E", broker=2), db("F"))) == []
