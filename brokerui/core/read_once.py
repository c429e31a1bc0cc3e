"""Values made of settings that every message needs: the settings are read once in a process.

Each use of `django.conf.settings` costs two calls of Python. Settings do not change while a process runs; only tests
change them, and Django reports that.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

from django.core.signals import setting_changed

T = TypeVar("T")


def read_once(read: Callable[[], T]) -> Callable[[], T]:
    """Return `read` so that it runs at its first use, and at the first one after a setting has changed."""
    kept = lru_cache(maxsize=1)(read)

    def forget(**_change: object) -> None:
        kept.cache_clear()

    setting_changed.connect(forget, weak=False)
    return kept
