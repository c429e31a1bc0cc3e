"""The task that runs a reader. It is sent for one queue; doubled, or run again after its worker was killed, it finds no
place reserved, and does nothing."""

from __future__ import annotations

from celery import shared_task

from brokerui.messaging.activation.readers import Reader
from brokerui.messaging.activation.reading import read as read_queue
from brokerui.messaging.places import Place
from brokerui.messaging.tasks import activate
from brokerui.messaging.wake_debounce import wake_once


@shared_task(name="brokerui.messaging.activation.tasks.read")
def read(instance: str, database: str, queue: str, token: str, procedure: str) -> None:
    """Then whoever looks for what is left to be read is woken."""
    if read_queue(Place(instance, database, queue), Reader(token, procedure)):
        wake_once(activate)
