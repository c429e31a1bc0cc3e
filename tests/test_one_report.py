"""A test that passed sends one report, as long as all its phases; every other one sends all."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.one_report import of_interest


def reports(*outcomes: tuple[str, bool]) -> list[Any]:
    return [SimpleNamespace(when=when, passed=passed, duration=1.0) for when, passed in outcomes]


def test_of_a_test_that_passed_its_own_is_sent_and_lasts_as_long_as_all() -> None:
    (sent,) = of_interest(reports(("setup", True), ("call", True), ("teardown", True)))
    assert (sent.when, sent.duration) == ("call", 3.0)


@pytest.mark.parametrize(
    "outcomes",
    [
        (("setup", False), ("teardown", True)),
        (("setup", True), ("call", False), ("teardown", True)),
        (("setup", True), ("call", True), ("teardown", False)),
    ],
    ids=["skipped or without a fixture", "failed", "left something behind"],
)
def test_of_any_other_all_are_sent(outcomes: tuple[tuple[str, bool], ...]) -> None:
    made = reports(*outcomes)
    assert of_interest(made) == made


def test_it_is_in_force_in_each_process_of_a_run(pytestconfig: pytest.Config) -> None:
    names = {type(plugin).__name__ for plugin in pytestconfig.pluginmanager.get_plugins()}
    assert ("OneReport" in names) is hasattr(pytestconfig, "workerinput")
