"""The clock of applied drafts that wait for a confirmation."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from brokerui.analysis.confirmation.watch import confirmations_watch


@shared_task(name="brokerui.confirmation.tasks.confirmations_look")
def confirmations_look() -> None:
    """Roll back drafts that nobody confirmed in time, and those that let too many messages wait."""
    confirmations_watch(timezone.now())
