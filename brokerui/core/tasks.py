"""Work that every product has."""

from celery import shared_task
from celery.signals import worker_ready

from brokerui.core.pulse import pulse_beat
from brokerui.core.wake import wake


@shared_task(name="brokerui.core.tasks.pulse")
def pulse() -> None:
    """A worker did something just now: `brokerui status` looks for that."""
    pulse_beat()


@worker_ready.connect
def first_pulse(**_signal: object) -> None:
    """Who asks right after the start need not wait for beat."""
    wake(pulse)
