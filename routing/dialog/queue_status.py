"""ALTER QUEUE … WITH STATUS: a queue that is off gives nothing to applications and takes nothing from peers."""

from __future__ import annotations

from routing.dialog.endpoint import QueueKey
from routing.dialog.work import Work
from routing.events import QueueDisabled


def switch_on(work: Work, queue: QueueKey) -> None:
    """What waited for it, and all else that waits, is tried again at once."""
    work.changes.queues[queue] = True
    work.changes.retry_all = True


def switch_off(work: Work, queue: QueueKey, is_poisoned: bool = False) -> None:
    """By an administrator, or because transactions that received from it were rolled back again and again."""
    work.changes.queues[queue] = False
    if is_poisoned:
        work.changes.events.append(QueueDisabled(*queue))
