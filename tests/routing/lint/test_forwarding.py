"""Instances that should forward and do not."""

from __future__ import annotations

from typing import Any

from tests.routing.lint.estates import LOCAL, PAST, about, bare, db, finding, findings, route, server

C = server("c", db("F", services=("Ship",)))


def middle(*routes: dict[str, Any], **more: Any) -> dict[str, Any]:
    """b, with these routes and AutoCreatedLocal in its msdb."""
    return server("b", bare("msdb", LOCAL, *routes, **more))


def test_what_a_route_by_name_brings_is_dropped() -> None:
    found = finding(
        "forwarding-off", server("a", db("D", route("R", "Ship", "b"))), middle(route("On", "Ship", "c")), C
    )
    assert about(found) == ("error", "b", None, "b")
    assert str(found.reason) == "Message forwarding is off: it drops what R of D on a sends it."
    assert "MESSAGE_FORWARDING = ENABLED" in str(found.remedy_sql)


def test_of_several_routes_one_is_named() -> None:
    here = server("a", db("D", route("R", "Ship", "b"), route("S", "Ship", "b", 1)))
    found = finding("forwarding-off", here, middle(route("On", None, "c")), C)
    assert "2 routes send it, such as R of D on a" in str(found.reason)


def test_what_a_route_for_everything_may_bring_is_a_warning() -> None:
    found = finding("forwarding-off", server("a", db("D", route("R", None, "b"))), middle(route("On", None, "c")), C)
    assert about(found) == ("warning", "b", None, "b")


def test_what_may_be_delivered_after_all_is_a_warning() -> None:
    """With the identifier it is delivered; most conversations begin without one."""
    brings = server("a", db("D", route("R", "Ship", "b", 1)))
    here = middle(route("On", "Ship", "c"), route("Here", "Ship", "LOCAL", 1))
    with_it = here | {"databases": [*here["databases"], db("E", services=("Ship",), broker=1)]}
    assert finding("forwarding-off", brings, with_it, C).severity == "warning"


def test_where_nothing_is_known_to_come_it_is_a_warning() -> None:
    found = finding("forwarding-off", middle(route("On", "Ship", "c")), C)
    assert (found.severity, "(On)" in str(found.reason)) == ("warning", True)


def test_an_msdb_with_services_may_have_its_routes_for_itself() -> None:
    own = middle(route("On", "Ship", "c"), services=("Notify",))
    assert findings("forwarding-off", own, C) == []
    assert len(findings("forwarding-off", server("a", db("D", route("R", "Ship", "b"))), own, C)) == 1


def test_one_that_forwards_or_has_nowhere_to_is_sound() -> None:
    on = middle(route("On", "Ship", "c"))
    assert findings("forwarding-off", on | {"forwarding": True}, C) == []
    expired, here = route("On", "Ship", "c", lifetime=PAST), route("Own", "Ship", "b")
    assert findings("forwarding-off", middle(expired), middle(here) | {"name": "d", "addresses": []}, C) != []
    assert findings("forwarding-off", middle(expired, here), C) == []


def test_a_route_that_ends_there_is_not_dropped() -> None:
    own = server("b", bare("msdb", LOCAL, route("On", "Else", "c"), services=("N",)), db("E", services=("Ship",)))
    assert findings("forwarding-off", server("a", db("D", route("R", "Ship", "b"))), own, C) == []
