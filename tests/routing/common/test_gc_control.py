"""The cyclic collector rests for a while, and is as it was afterwards.

What it is before and after is looked at in interpreters of their own: threads that other tests left behind may have the
collector rest, too, and to look through what a process of tests holds takes seconds.
"""

from __future__ import annotations

import gc
import subprocess
import sys
from textwrap import dedent

import pytest

from routing.common.gc_control import LARGE_DOCUMENT_BYTES, gc_paused

BEGIN = """
import gc
from routing.common.gc_control import gc_paused
"""


def output_of(script: str) -> list[str]:
    """What the script prints, by line."""
    command = [sys.executable, "-c", BEGIN + dedent(script)]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=600).stdout.split()


@pytest.mark.parametrize("is_on", [True, False])
def test_it_rests_and_is_as_it_was(is_on: bool) -> None:
    script = f"""
        (gc.enable if {is_on} else gc.disable)()
        with gc_paused():
            print(gc.isenabled())
        print(gc.isenabled())
    """
    assert output_of(script) == ["False", str(is_on)]


def test_it_is_as_it_was_after_an_error_too() -> None:
    script = """
        try:
            with gc_paused():
                raise KeyError
        except KeyError:
            print(gc.isenabled())
    """
    assert output_of(script) == ["True"]


def test_it_rests_until_the_last_has_ended() -> None:
    script = """
        first, second = gc_paused(), gc_paused()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        print(gc.isenabled())
        second.__exit__(None, None, None)
        print(gc.isenabled())
    """
    assert output_of(script) == ["False", "True"]


def test_it_rests_as_long_as_anybody_wants_it() -> None:
    with gc_paused():
        with gc_paused():
            assert not gc.isenabled()
        assert not gc.isenabled()


@pytest.mark.parametrize(("size", "is_settled"), [(LARGE_DOCUMENT_BYTES, False), (LARGE_DOCUMENT_BYTES + 1, True)])
def test_what_a_large_document_left_is_not_looked_through(size: int, is_settled: bool) -> None:
    script = f"""
        from routing.common.gc_control import gc_freeze_if_large
        kept, before = [[number] for number in range(1000)], gc.get_freeze_count()
        gc_freeze_if_large({size})
        print(gc.get_freeze_count() - before > len(kept))
        print(any(one is kept for one in gc.get_objects()))
    """
    assert output_of(script) == [str(is_settled), str(not is_settled)]
