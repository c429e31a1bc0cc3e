"""Seed Python's random numbers once before each test, from the seed of the run and the name of the test.

pytest-randomly does it before each of three phases, and for numpy too, which no test draws from: a tenth of what a
small test costs.
"""

from __future__ import annotations

import random
from zlib import crc32

import pytest


class OneSeed:
    """Takes the place of the seeds of pytest-randomly, which shuffles the tests as before."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        session.config.option.randomly_reset_seed = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        random.seed(seed_of(item.nodeid, item.config.option.randomly_seed))


def seed_of(test: str, run: int) -> int:
    """Return the seed of a test: another one in each run, and the same where a run is repeated with its seed."""
    return run + crc32(test.encode(errors="surrogatepass"))
