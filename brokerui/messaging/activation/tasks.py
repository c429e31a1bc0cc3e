"""The task that runs a reader. It is sent for one queue; doubled, or run again after its worker was killed, it finds no
place reserved, and does nothing."""

from __future__ import annotations

from celery import shared_task

from brokerui.messaging.activation.reading import read as read_queue
from brokerui.messaging.activation.starting import start_readers
from brokerui.messaging.exchange.wake_debounce import clear_pending, wake_once
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.queue_monitors.activated_tasks import ActivatedTask


@shared_task(name="brokerui.messaging.tasks.activate")
def activate() -> None:
    """Start readers of queues that have messages and too few readers."""
    clear_pending(activate)
    start_readers()


@shared_task(name="brokerui.messaging.activation.tasks.read")
def read(instance: str, database: str, queue: str, token: str, procedure: str) -> None:
    """Run a reader, then wake the task that starts further readers where messages are left."""
    if read_queue(QueueAddress(instance, database, queue), ActivatedTask(token, procedure)):
        wake_once(activate)
