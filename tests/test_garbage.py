"""A process of tests goes on to look for garbage, whatever its tests have called."""

from __future__ import annotations

import gc

import pytest

from tests.garbage import Garbage


def test_a_search_that_a_test_has_stopped_goes_on_after_it() -> None:
    gc.disable()
    Garbage().pytest_runtest_teardown()
    assert gc.isenabled()


def test_it_is_in_force_and_the_tests_themselves_are_left_out(pytestconfig: pytest.Config) -> None:
    assert pytestconfig.pluginmanager.has_plugin("garbage")
    assert gc.isenabled()
    assert gc.get_freeze_count() > 10_000
