"""Work that every product has."""

from celery import shared_task
from celery.signals import worker_ready

from brokerui.core.celery_wake import wake
from brokerui.core.heartbeat import heartbeat_send


@shared_task(name="brokerui.core.tasks.pulse")
def heartbeat() -> None:
    """A worker did something just now: `brokerui status` looks for that."""
    heartbeat_send()


@worker_ready.connect
def first_heartbeat(**_signal: object) -> None:
    """Look once at start, so that the first requests need not wait for beat."""
    wake(heartbeat)
