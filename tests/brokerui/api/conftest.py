"""What the tests of the REST interface share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from brokerui.estate.cache import estates
from brokerui.estate.services import estate_import
from routing.documents.estate_document import read_estate
from tests.brokerui.api.helpers import SMALL


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Nobody has asked too often yet, and nothing is remembered."""
    estates.clear()
    yield
    estates.clear()


@pytest.fixture
def small(db: None) -> None:
    """A live estate with something of every kind."""
    estate_import(estate=read_estate(SMALL), author="import")
