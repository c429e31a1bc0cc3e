"""Seed Python's random numbers once before each test, from the seed of the run and the name of the test.

pytest-randomly does it before each of three phases, and for numpy too, which no test draws from: a tenth of what a
small test costs. Without that plugin (`-p no:randomly`) the tests run in the order of their files, and each run has the
same seed.
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
        random.seed(seed_of(item.nodeid, seed_of_run(item.config)))


def seed_of_run(config: pytest.Config) -> int:
    """Return the seed that pytest-randomly has drawn or was given; 0 where the plugin is off and has done neither."""
    drawn = config.option.randomly_seed
    return drawn if isinstance(drawn, int) else 0


def seed_of(test: str, run: int) -> int:
    """Return the seed of a test: another one in each run, and the same where a run is repeated with its seed."""
    return run + crc32(test.encode(errors="surrogatepass"))
