"""Let a process of tests look for garbage seldom, and after each test.

Commands of the product stop the search for a process that ends soon; one that runs thousands of tests goes on. Without
a search 200 tests of pages leave 390,000 objects and 60 MB, through which each later `gc.collect` goes.
"""

from __future__ import annotations

import gc
from collections.abc import Generator

import pytest


class Garbage:
    """Says when Python looks for garbage in this process."""

    @pytest.hookimpl(wrapper=True)
    def pytest_collection(self) -> Generator[None, object, object]:
        """Look for no garbage while modules and tests (15,000) are made, nor after it: they are left out of every later
        search. Search less often than Python does by itself: a third of a run's work."""
        gc.disable()
        try:
            return (yield)
        finally:
            gc.freeze()
            gc.set_threshold(10_000, 20, 20)
            gc.enable()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self) -> None:
        """Go on where a test called a command, which has stopped it."""
        gc.enable()
