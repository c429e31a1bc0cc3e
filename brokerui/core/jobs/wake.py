"""Waking the workers of a queue."""

from __future__ import annotations

from celery import current_app
from django.db import transaction

from brokerui.core.celery_wake import wake
from brokerui.core.jobs.kinds import TASKS


def wake_queue(queue: str) -> None:
    """Have a worker look for jobs of the queue. By task name: a requester of jobs need not import what runs them."""
    wake(current_app.signature(TASKS[queue]))


def wake_queue_on_commit(queue: str) -> None:
    """Do so once the transaction is committed; at once if there is none."""
    transaction.on_commit(lambda: wake_queue(queue))
