"""Ways back, forgotten or sound."""

from __future__ import annotations

from typing import Any

import pytest

from tests.routing.lint.estates import PAST, about, bare, db, finding, findings, guid, route, server


def initiator(*routes: dict[str, Any], **more: Any) -> dict[str, Any]:
    forth = routes or (route("R", "Ship", "b"),)
    return server("a", db("D", *forth, **{"services": ("Own",), "broker": 1} | more))


def target(*routes: dict[str, Any], **more: Any) -> dict[str, Any]:
    return server("b", db("E", *routes, **{"services": ("Ship",), "broker": 2} | more))


BACK = route("Back", "Own", "a")


def test_the_return_route_is_forgotten() -> None:
    found = finding("no-return-route", initiator(), target())
    assert about(found) == ("error", "b", "E", "E")
    assert str(found.reason) == "It takes conversations of D on a, but replies to Own there do not arrive."
    assert found.remedy_sql == (
        "USE [E];\nCREATE ROUTE [Return to Own] WITH SERVICE_NAME = N'Own', "
        f"BROKER_INSTANCE = N'{guid(1)}', ADDRESS = N'tcp://a:4022';"
    )


def test_it_is_told_once_for_each_pair() -> None:
    forth = [route(f"R{i}", "Ship", "b", i) for i in (None, 2)]
    assert len(findings("no-return-route", initiator(*forth), target())) == 1


@pytest.mark.parametrize("back", [BACK, route("Back", None, "a"), route("Back", "Own", "a", 1)])
def test_with_a_return_route_all_is_sound(back: dict[str, Any]) -> None:
    assert findings("no-return-route", initiator(), target(back)) == []


def test_an_expired_return_route_is_there_and_told_as_expired() -> None:
    assert findings("no-return-route", initiator(), target(BACK | {"lifetime": PAST})) == []


def test_replies_to_one_of_its_services_are_enough() -> None:
    assert findings("no-return-route", initiator(services=("Own", "Other")), target(route("Back", "Other", "a"))) == []
    many = ("One", "Two", "Three", "Four")
    found = finding("no-return-route", initiator(services=many), target())
    assert "One, Two, Three, … there" in str(found.reason)
    assert str(found.remedy_sql).count("CREATE ROUTE") == 4


def test_the_names_of_new_routes_are_free() -> None:
    taken = route("RETURN TO OWN", "Else", "gone"), route("Return to Own_2", "More", "gone")
    found = finding("no-return-route", initiator(), target(*taken))
    assert "CREATE ROUTE [Return to Own_3]" in str(found.remedy_sql)


def test_within_one_instance_the_way_back_is_local() -> None:
    out = bare("E", route("Out", None, "b"), services=("Ship",), broker=2)
    here = server("a", db("D", route("R", "Ship"), services=("Own",), broker=1), out)
    assert "ADDRESS = N'LOCAL'" in str(finding("no-return-route", here, server("b")).remedy_sql)


@pytest.mark.parametrize("broker", [1, None])
def test_within_one_instance_the_identifier_is_enough(broker: int | None) -> None:
    here = db("D", route("R", "Ship"), services=("Own",), broker=broker)
    assert findings("no-return-route", server("a", here, bare("E", services=("Ship",)))) == []


def test_without_an_address_there_is_no_remedy() -> None:
    assert finding("no-return-route", initiator() | {"addresses": []}, target()).remedy_sql is None


def test_an_initiator_that_we_cannot_tell_is_taken_as_found() -> None:
    closed = server("a", db("D", route("R", "Ship", "b"), services=("Own",)), bare("msdb"))
    assert findings("no-return-route", closed, target(route("Back", None, "a"))) == []
    assert len(findings("no-return-route", closed, target())) == 1


@pytest.mark.parametrize("more", [{"services": ()}, {"broker_enabled": False}, {"mirroring_role": "MIRROR"}])
def test_a_database_that_begins_nothing_or_takes_nothing_back_is_not_asked(more: dict[str, Any]) -> None:
    assert findings("no-return-route", initiator(**more), target()) == []


def test_a_route_to_nowhere_or_for_everything_makes_no_pair() -> None:
    routes = route("R", "Ship", "gone"), route("S", None, "b"), route("Self", "Own")
    assert findings("no-return-route", initiator(*routes), target()) == []


def test_the_way_back_is_not_a_way_forth() -> None:
    """The target's own route to the initiator is no conversation of the target's."""
    stale = route("R", "Ship", "b", 9)
    assert findings("no-return-route", initiator(stale, route("Misspelt", "ship", "b")), target(BACK)) == []
    sends_only = {"name": "Own", "queue": "dbo.Q", "contracts": []}
    away = initiator(route("R", "Else", "b"), services=(sends_only,))
    assert findings("no-return-route", away, target(BACK)) == []
    takes = sends_only | {"contracts": ["DEFAULT"]}
    assert len(findings("no-return-route", initiator(route("R", "Else", "b"), services=(takes,)), target(BACK))) == 1


def test_replies_that_wait_for_a_route_may_still_arrive() -> None:
    ask = route("Ask", "SQL/ServiceBroker/BrokerConfiguration", "a")
    assert findings("no-return-route", initiator(), target(ask)) == []


def test_a_way_back_that_leads_astray_is_mended_where_it_is_known_who_begins() -> None:
    accepts = {"name": "Ship", "queue": "dbo.S", "contracts": ["c"]}
    begins = {"name": "Own", "queue": "dbo.O"}
    astray = route("Back", "Own", "b")
    found = finding("no-return-route", initiator(services=(begins,)), target(astray, services=(accepts,)))
    assert found.remedy_sql == "USE [E];\nALTER ROUTE [Back] WITH ADDRESS = N'tcp://a:4022';"
    expired = target(astray | {"lifetime": PAST}, services=(accepts,))
    found = finding("no-return-route", initiator(services=(begins,)), expired)
    assert "CREATE ROUTE [Return to Own]" in str(found.remedy_sql), "another address would not help an expired route"
    two = target(astray, astray | {"name": "Again"}, services=(accepts,))
    found = finding("no-return-route", initiator(services=(begins,)), two)
    assert "CREATE ROUTE [Return to Own]" in str(found.remedy_sql)
    assert findings("no-return-route", initiator(), target(astray, services=(accepts,))) == []
