"""The clock of alerts."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from brokerui.analysis.alerts.services import alerts_look


@shared_task(name="brokerui.alerts.tasks.alerts_look")
def alerts_evaluate_now() -> None:
    """Evaluate all rules."""
    alerts_look(timezone.now())
