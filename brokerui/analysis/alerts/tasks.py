"""The clock of alerts."""

from __future__ import annotations

from celery import shared_task
from django.utils import timezone

from brokerui.analysis.alerts.deliveries import TASK, alerts_announce, deliveries_send
from brokerui.analysis.alerts.services import alerts_look


@shared_task(name="brokerui.alerts.tasks.alerts_look")
def alerts_evaluate_now() -> None:
    """Evaluate all rules, announce those that opened or are over, and send the messages that are due."""
    at = timezone.now()
    alerts_look(at)
    alerts_announce(at)
    deliveries_send(at)


@shared_task(name=TASK)
def deliveries_send_now() -> None:
    """Send the messages that are due; each evaluation does so, too."""
    deliveries_send(timezone.now())
