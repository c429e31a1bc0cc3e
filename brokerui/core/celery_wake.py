"""Wakes a worker by a Celery task. A lost wake-up loses no work: beat sends it again for what the database has due."""

from __future__ import annotations

import logging
from typing import Any

from django.db import transaction
from kombu.exceptions import OperationalError

logger = logging.getLogger(__name__)


def wake_on_commit(task: Any) -> None:
    """Send the task once the transaction is committed; at once where there is no transaction."""
    transaction.on_commit(lambda: wake(task))


def wake(task: Any) -> bool:
    """Send the task now. Return False where Redis cannot be reached, which is no error."""
    try:
        task.apply_async(retry=False, ignore_result=True)
    except (OperationalError, OSError) as error:
        logger.info("no wake-up for %s: %s", task.name, error)
        return False
    return True
