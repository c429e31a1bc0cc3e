"""Findings about one instance or database: those of the whole lint, and no look at the rest of the estate for them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given

from routing.common.finding import Finding
from routing.common.names import MSDB
from routing.documents.estate_document import read_estate
from routing.lint.registry import lint, lint_around
from routing.model.estate import Estate
from tests.routing.example_helpers import example
from tests.routing.lint.estates import db, estate, route, server
from tests.routing.lint.forwarders import forwarders
from tests.strategies import AT, estates


def places(of: Estate) -> list[tuple[str, str | None]]:
    found: list[tuple[str, str | None]] = []
    for instance in of.instances.values():
        found += [(instance.name, name) for name in dict.fromkeys((None, MSDB, *instance.databases))]
    return found


def about(found: tuple[Finding, ...], instance: str, database: str | None) -> tuple[Finding, ...]:
    return tuple(f for f in found if f.instance == instance and database in (None, f.database))


def assert_same(of: Estate) -> None:
    everything = lint(of, AT)
    for instance, database in places(of):
        assert lint_around(of, AT, instance, database) == about(everything, instance, database)


@given(estates())
def test_any_estate(document: dict[str, Any]) -> None:
    assert_same(read_estate(json.dumps(document)))


@pytest.mark.parametrize("part", range(5))
def test_forwarders(part: int) -> None:
    for seed in range(part * 20, part * 20 + 20):
        assert_same(forwarders(seed))


@pytest.mark.parametrize("name", ["3-mirrored-database", "7-forward-everything", "three-servers"])
def test_the_examples(name: str) -> None:
    assert_same(example(name))


def test_every_instance_together_has_all_findings() -> None:
    of = example("three-servers")
    each = [found for name in of.instances for found in lint_around(of, AT, name)]
    assert sorted(map(str, each)) == sorted(map(str, lint(of, AT)))


def test_a_fault_far_away_is_told_where_it_shows() -> None:
    asks = server("a", db("D", route("R", "Ship", "b"), services=("Ask",)))
    of = estate(asks, server("b", db("E", services=("Ship",))))
    assert [f.code for f in lint_around(of, AT, "b", "E")] == ["no-return-route"]
    assert lint_around(of, AT, "a") == ()


def test_nothing_is_told_of_what_is_not_there() -> None:
    assert lint_around(example("three-servers"), AT, "nowhere") == ()
    assert lint_around(example("three-servers"), AT, "shop", "nowhere") == ()
