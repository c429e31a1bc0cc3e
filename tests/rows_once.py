"""Rows that the tests of a module share: made once, and each test takes back what it wrote itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from django.db import transaction

Made = TypeVar("Made")


@contextmanager
def rows_once(blocker: Any, make: Callable[[], Made]) -> Iterator[Made]:
    """Make rows in a transaction that outlasts those of the tests in it, which are savepoints of it.

    It is for fixtures of modules without tests that commit: those would empty tables in the middle of it.
    """
    with blocker.unblock(), transaction.atomic():
        yield make()
        transaction.set_rollback(True)
