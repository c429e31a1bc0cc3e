"""What the tests of drafts share. They run on SQLite and on PostgreSQL (`make test`)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from brokerui.estate.cache import estates


@pytest.fixture(autouse=True)
def forgetful() -> Iterator[None]:
    """Every test begins with an empty memory: what it reads comes from the database."""
    estates.clear()
    yield
    estates.clear()
