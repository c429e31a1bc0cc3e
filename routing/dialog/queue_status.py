"""ALTER QUEUE … WITH STATUS: RECEIVE fails on a queue that is off, and no message from a peer is enqueued."""

from __future__ import annotations

from routing.common.broker_events import QueueDisabled
from routing.dialog.endpoint import QueueKey
from routing.dialog.unit_of_work import UnitOfWork


def switch_on(work: UnitOfWork, queue: QueueKey) -> None:
    """Switch a queue on and retry everything that waits at once."""
    work.changes.queues[queue] = True
    work.changes.retry_all = True


def switch_off(work: UnitOfWork, queue: QueueKey, is_poisoned: bool = False) -> None:
    """Switch a queue off: by an administrator, or because of poison messages."""
    work.changes.queues[queue] = False
    if is_poisoned:
        work.changes.events.append(QueueDisabled(*queue))
