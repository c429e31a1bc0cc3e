"""What the tests of the site share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from brokerui.accounts.levels import Role
from tests.brokerui.homes import make_home, prepared_home
from tests.brokerui.site import plain_and_quick, signed_in

__all__ = ["make_home", "prepared_home"]


@pytest.fixture(scope="package", autouse=True)
def site() -> Iterator[None]:
    """Every test here may ask for pages, and sign in. Set once: settings of a test take a third of a millisecond."""
    with plain_and_quick():
        yield


@pytest.fixture
def client(db: Any) -> Client:
    """Signed in as an administrator. Tests of permissions take the roles by name."""
    return signed_in(Role.ADMINISTRATOR)


@pytest.fixture
def stranger(db: Any) -> Client:
    """Not signed in."""
    return Client()


@pytest.fixture
def viewer(db: Any) -> Client:
    return signed_in(Role.VIEWER)


@pytest.fixture
def operator(db: Any) -> Client:
    return signed_in(Role.OPERATOR)


@pytest.fixture
def editor(db: Any) -> Client:
    return signed_in(Role.EDITOR)
