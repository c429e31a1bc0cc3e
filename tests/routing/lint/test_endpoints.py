"""Service Broker endpoints."""

from __future__ import annotations

from typing import Any

import pytest

from tests.routing.lint.estates import ENDPOINT, about, db, finding, findings, route, server

A = server("a", db("D", route("R", "Bill", "b")))
B = server("b", db("E", services=("Bill",)))


@pytest.mark.parametrize("with_one", ["a", "b"])
def test_both_ends_of_a_route_need_one(with_one: str) -> None:
    instances = [one | {"endpoint": ENDPOINT} if one["name"] == with_one else one for one in (A, B)]
    found = finding("no-endpoint", *instances)
    other = "b" if with_one == "a" else "a"
    assert about(found) == ("warning", other, None, other)
    assert "LISTENER_PORT = 4022" in str(found.remedy_sql)


def test_it_is_made_on_the_port_of_the_address() -> None:
    there = B | {"addresses": ["tcp://b:5000"]}
    here = server("a", db("D", route("R", "Bill", "tcp://b:5000")), endpoint=ENDPOINT)
    assert "LISTENER_PORT = 5000" in str(finding("no-endpoint", here, there).remedy_sql)
    unknown = server("n", db("D", route("R", "Bill", "a"))) | {"addresses": []}
    assert "LISTENER_PORT = 4022" in str(finding("no-endpoint", server("a", endpoint=ENDPOINT), unknown).remedy_sql)


def test_an_estate_that_never_speaks_of_endpoints_says_nothing() -> None:
    assert findings("no-endpoint", A, B) == []


def test_who_is_not_on_the_network_needs_none() -> None:
    alone = server("c", db("D", route("L", "Bill"), route("Own", "Bill", "c")))
    assert findings("no-endpoint", server("a", endpoint=ENDPOINT), alone) == []


@pytest.mark.parametrize("state", ["STOPPED", "DISABLED"])
def test_one_that_is_not_started(state: str) -> None:
    stopped: dict[str, Any] = {"endpoint": {"port": 4022, "state": state}}
    found = finding("endpoint-stopped", A, B | stopped)
    assert about(found) == ("error", "b", None, "b")
    assert "STATE = STARTED" in str(found.remedy_sql)
    assert finding("endpoint-stopped", A | stopped, B).severity == "error"
    assert finding("endpoint-stopped", B | stopped).severity == "warning"


def test_one_that_is_started_is_sound() -> None:
    assert findings("endpoint-stopped", A | {"endpoint": ENDPOINT}, B) == []
