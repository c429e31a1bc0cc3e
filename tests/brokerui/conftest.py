"""What the tests of the site share."""

from __future__ import annotations

import pytest

from tests.brokerui.pages import plain_files

__all__ = ["plain_files"]


@pytest.fixture(autouse=True)
def site(plain_files: None) -> None:
    """Every test here may ask for pages."""
