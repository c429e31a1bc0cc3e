"""What the tests of the REST interface share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from brokerui.estate.cache import estates
from brokerui.estate.services import estate_import
from routing.documents.estate_document import read_estate
from tests.brokerui.api.helpers import SMALL
from tests.rows_once import rows_once


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Nobody has asked too often yet, and nothing is remembered."""
    estates.clear()
    yield
    estates.clear()


@pytest.fixture
def small(db: None) -> None:
    """A live estate with something of every kind."""
    _imported()


@pytest.fixture(scope="module")
def imported_once(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    with rows_once(django_db_blocker, _imported):
        yield


@pytest.fixture
def shared_small(imported_once: None, db: None) -> None:
    """The same, written once for a module in which each test uses it."""


def _imported() -> None:
    estate_import(estate=read_estate(SMALL), author="import")
