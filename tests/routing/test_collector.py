"""The cyclic collector rests for a while, and is as it was afterwards.

What it is before and after is looked at in interpreters of their own: threads that other tests left behind may have the
collector rest, too.
"""

from __future__ import annotations

import gc
import subprocess
import sys
from textwrap import dedent

import pytest

from routing.collector import LARGE, collector_at_rest, settle_after

BEGIN = """
import gc
from routing.collector import collector_at_rest
"""


def said(script: str) -> list[str]:
    """What the script prints, by line."""
    command = [sys.executable, "-c", BEGIN + dedent(script)]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=600).stdout.split()


@pytest.mark.parametrize("is_on", [True, False])
def test_it_rests_and_is_as_it_was(is_on: bool) -> None:
    script = f"""
        (gc.enable if {is_on} else gc.disable)()
        with collector_at_rest():
            print(gc.isenabled())
        print(gc.isenabled())
    """
    assert said(script) == ["False", str(is_on)]


def test_it_is_as_it_was_after_an_error_too() -> None:
    script = """
        try:
            with collector_at_rest():
                raise KeyError
        except KeyError:
            print(gc.isenabled())
    """
    assert said(script) == ["True"]


def test_it_rests_until_the_last_has_ended() -> None:
    script = """
        first, second = collector_at_rest(), collector_at_rest()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        print(gc.isenabled())
        second.__exit__(None, None, None)
        print(gc.isenabled())
    """
    assert said(script) == ["False", "True"]


def test_it_rests_as_long_as_anybody_wants_it() -> None:
    with collector_at_rest():
        with collector_at_rest():
            assert not gc.isenabled()
        assert not gc.isenabled()


@pytest.mark.parametrize(("size", "is_settled"), [(LARGE, False), (LARGE + 1, True)])
def test_what_a_large_document_left_is_not_looked_through(size: int, is_settled: bool) -> None:
    kept = [[number] for number in range(1000)]
    settle_after(size)
    try:
        assert (gc.get_freeze_count() > len(kept)) == is_settled
        assert any(one is kept for one in gc.get_objects()) != is_settled
    finally:
        gc.unfreeze()
