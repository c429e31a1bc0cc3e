"""The clock of drains."""

from __future__ import annotations

from celery import shared_task

from brokerui.analysis.drains.services import drains_check
from brokerui.messaging.clock import now


@shared_task(name="brokerui.drains.tasks.drains_look")
def drains_look() -> None:
    """Check the messages that flow after an act."""
    drains_check(now())
