"""What these tests share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import override_settings
from rest_framework.settings import api_settings

from brokerui.estate.cache import estates
from tests.brokerui.security.world import world_made
from tests.brokerui.site import QUICK_HASHERS, nothing_shown, short_refusals
from tests.rows_once import rows_once

__all__ = ["nothing_shown", "short_refusals"]


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, nothing_shown: None) -> Iterator[None]:
    """Nothing is cached, and no request is throttled."""
    monkeypatch.setattr(api_settings, "DEFAULT_THROTTLE_RATES", {"anon": None, "user": None})
    estates.clear()
    yield
    estates.clear()


@pytest.fixture(scope="module")
def made(django_db_setup: None, django_db_blocker: Any) -> Iterator[dict[str, Any]]:
    """The site of `world.py`, which takes 0.3 s to make: once for the tests of a module."""
    estates.clear()
    with rows_once(django_db_blocker, _made_quickly) as world:
        yield world


def _made_quickly() -> dict[str, Any]:
    with override_settings(PASSWORD_HASHERS=QUICK_HASHERS):
        return world_made()


@pytest.fixture
def world(made: dict[str, Any], db: Any) -> dict[str, Any]:
    return dict(made)
