"""What the tests of the site share."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from brokerui.accounts.levels import Role
from tests.brokerui.homes import make_home, prepared_home
from tests.brokerui.site import plain_files, quick_passwords, signed_in

__all__ = ["make_home", "plain_files", "prepared_home", "quick_passwords"]


@pytest.fixture(autouse=True)
def site(plain_files: None, quick_passwords: None) -> None:
    """Every test here may ask for pages, and sign in."""


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
