"""Waking a worker. Losing a wake-up loses nothing: beat wakes what is due, and the database says what that is."""

from __future__ import annotations

import logging
from typing import Any

from django.db import transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)


def wake_on_commit(task: Any) -> None:
    """Send the wake-up once the transaction is committed; at once where there is none."""
    transaction.on_commit(lambda: wake(task))


def wake(task: Any) -> bool:
    """Send it now. False where nobody can be reached, which is no error."""
    try:
        task.apply_async(retry=False, ignore_result=True)
    except (OperationalError, OSError) as error:
        logger.info("no wake-up for %s: %s", task.name, error)
        return False
    return True
