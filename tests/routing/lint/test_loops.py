"""Messages that are forwarded in a circle."""

from __future__ import annotations

from typing import Any

from tests.routing.lint.estates import PAST, about, bare, db, finding, findings, route, server


def hub(name: str, *routes: dict[str, Any], services: tuple[str, ...] = (), **more: Any) -> dict[str, Any]:
    """It forwards, and its msdb has these routes alone."""
    return server(name, db("D", services=services), bare("msdb", *routes)) | {"forwarding": True} | more


def test_two_hubs_that_send_a_service_to_each_other() -> None:
    found = finding("forwarding-loop", hub("a", route("R", "Ship", "b")), hub("b", route("S", "Ship", "a")))
    assert about(found) == ("error", "a", "msdb", "R")
    assert str(found.reason) == "Messages for Ship are forwarded in a loop until they are dropped: a > b > a."


def test_one_that_sends_it_to_itself() -> None:
    assert "a > a" in str(finding("forwarding-loop", hub("a", route("R", "Ship", "a"))).reason)


def test_a_circle_with_a_way_out_is_a_warning() -> None:
    out = hub("b", route("S", "Ship", "a"), route("T", "Ship", "gone"))
    assert finding("forwarding-loop", hub("a", route("R", "Ship", "b")), out).severity == "warning"


def test_hubs_that_send_everything_else_to_each_other() -> None:
    hubs = [hub(name, route("L"), route("Else", None, other), services=("Ship",)) for name, other in ("ab", "ba")]
    found = finding("forwarding-loop", *hubs)
    assert about(found) == ("warning", "a", "msdb", "Else")
    assert "for a service that none of them has" in str(found.reason)


def test_a_circle_of_a_name_and_everything_else_is_told_by_the_name() -> None:
    found = finding("forwarding-loop", hub("a", route("R", "Ship", "b")), hub("b", route("Else", None, "a")))
    assert about(found) == ("error", "a", "msdb", "R")


def test_the_same_circle_is_told_once_whatever_is_asked_for() -> None:
    hubs = [hub(name, route("R", "Ship", to), route("S", "Ship", to, 1)) for name, to in ("ab", "ba")]
    assert [f.object for f in findings("forwarding-loop", *hubs)] == ["R", "S"]
    everything = [hub(name, route("R", None, to), route("O", f"Only{to}", "gone")) for name, to in ("ab", "ba")]
    assert len(findings("forwarding-loop", *everything)) == 1


def test_it_is_asked_with_each_identifier() -> None:
    hubs = [hub(name, route("R", "Ship", to, 1), route("Out", "Ship", "gone")) for name, to in ("ab", "ba")]
    assert about(finding("forwarding-loop", *hubs)) == ("error", "a", "msdb", "R")


def test_a_shorter_way_round_is_told() -> None:
    hubs = (
        hub("a", route("R", "S", "b")),
        hub("b", route("R", "S", "c"), route("Q", "S", "a")),
        hub("c", route("R", "S", "a")),
    )
    assert str(finding("forwarding-loop", *hubs).reason).endswith("a > b > a.")


def test_who_does_not_forward_breaks_the_circle() -> None:
    still = hub("b", route("S", "Ship", "a"), forwarding=False)
    assert findings("forwarding-loop", hub("a", route("R", "Ship", "b")), still) == []


def test_a_line_an_expired_route_and_a_local_service_are_no_circle() -> None:
    line = hub("a", route("R", "Ship", "b")), hub("b", route("S", "Ship", "c")), hub("c", route("L"))
    assert findings("forwarding-loop", *line) == []
    expired = hub("b", route("S", "Ship", "a", lifetime=PAST))
    assert findings("forwarding-loop", hub("a", route("R", "Ship", "b")), expired) == []
    home = hub("b", route("L"), services=("Ship",))
    assert findings("forwarding-loop", hub("a", route("R", "Ship", "b")), home) == []


def test_routes_of_other_databases_make_no_circle() -> None:
    one = server("a", db("D", route("R", "Ship", "b")), forwarding=True)
    other = server("b", db("D", route("R", "Ship", "a")), forwarding=True)
    assert findings("forwarding-loop", one, other) == []
