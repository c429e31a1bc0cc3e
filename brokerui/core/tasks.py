"""Work that every product has."""

import logging

from celery import shared_task
from celery.signals import worker_ready

from brokerui.core.celery_wake import wake
from brokerui.core.conditions import conditions, conditions_newly_reported
from brokerui.core.heartbeat import heartbeat_send

logger = logging.getLogger(__name__)


@shared_task(name="brokerui.core.tasks.pulse")
def heartbeat() -> None:
    """A worker did something just now: `brokerui status` looks for that."""
    heartbeat_send()


@shared_task(name="brokerui.core.tasks.conditions_look")
def conditions_look() -> None:
    """Log each condition that is new since the start in one line, from the worker that sees it first."""
    for one in conditions_newly_reported(conditions()):
        logger.warning("%s", one.text)


@worker_ready.connect
def first_heartbeat(**_signal: object) -> None:
    """Look once at start, so that the first requests need not wait for beat."""
    wake(heartbeat)
