"""What these tests share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from rest_framework.settings import api_settings

from brokerui.estate.cache import estates
from tests.brokerui.security.world import world_made
from tests.brokerui.site import nothing_shown

__all__ = ["nothing_shown"]


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch, nothing_shown: None) -> Iterator[None]:
    """Nothing is cached, and no request is throttled."""
    monkeypatch.setattr(api_settings, "DEFAULT_THROTTLE_RATES", {"anon": None, "user": None})
    estates.clear()
    yield
    estates.clear()


@pytest.fixture
def world(db: Any) -> dict[str, Any]:
    return world_made()
