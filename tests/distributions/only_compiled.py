"""A plugin of pytest: the run ends unless its engine is a compiled one."""

from __future__ import annotations

import pytest


def pytest_collection_finish() -> None:
    from routing.dialog import send

    if str(send.__file__).endswith(".py"):
        pytest.exit(f"{send.__file__} is not compiled", returncode=1)
