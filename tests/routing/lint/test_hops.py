"""Ways that are longer than the hop limit."""

from __future__ import annotations

from typing import Any

from routing.lint.registry import CHECKS, lint
from tests.routing.lint.estates import AT, LOCAL, about, bare, db, estate, route, server

CHECK = [check for check in CHECKS if check.code == "hop-limit"]


def chain(length: int, *, ends: bool = True) -> list[dict[str, Any]]:
    """A database on s0 sends by way of `length` forwarding instances to the service on the last one, or in a circle."""
    first = server("s0", db("D", route("R", "Ship", "s1"), services=("Own",)))
    between = [
        server(f"s{n}", bare("msdb", LOCAL, route("On", "Ship", f"s{n + 1}")), forwarding=True)
        for n in range(1, length + 1)
    ]
    home = server(f"s{length + 1}", db("E", services=("Ship",)))
    again = server(f"s{length + 1}", bare("msdb", LOCAL, route("On", "Ship", "s1")), forwarding=True)
    return [first, *between, home if ends else again]


def test_a_way_that_is_too_long_gets_a_straight_route() -> None:
    (found,) = lint(estate(*chain(4), hop_limit=3), AT, CHECK)
    assert about(found) == ("error", "s0", "D", "R")
    assert str(found.reason).startswith("s4 drops what conversations to Ship send: a message may be forwarded 3 times")
    assert found.remedy_sql == "USE [D];\nALTER ROUTE [R] WITH ADDRESS = N'tcp://s5:4022';"


def test_a_way_within_the_limit_is_none() -> None:
    assert lint(estate(*chain(4), hop_limit=4), AT, CHECK) == ()


def test_a_circle_is_told_as_a_loop() -> None:
    assert lint(estate(*chain(4, ends=False), hop_limit=3), AT, CHECK) == ()


def test_without_one_home_of_the_service_no_remedy_is_offered() -> None:
    (found,) = lint(estate(*chain(4), server("z", db("F", services=("Ship",))), hop_limit=3), AT, CHECK)
    assert found.remedy_sql is None
