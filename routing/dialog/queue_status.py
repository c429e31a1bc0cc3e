"""ALTER QUEUE … WITH STATUS: a queue that is off gives nothing to applications and takes nothing from peers.

Poison: a message that no application can work on is received and rolled back again and again. Five such transactions in
a row switch their queue off, so that they end and somebody looks. What is counted is told in units of work of their
own: one that is rolled back can tell nothing, and one that is not must hold up nobody who waits for the count.
"""

from __future__ import annotations

from typing import Final

from routing.common.broker_events import QueueDisabled
from routing.dialog.endpoint import QueueKey
from routing.dialog.unit_of_work import UnitOfWork

MAX_CONSECUTIVE_ROLLBACKS: Final = 5
"""In a row."""


def switch_on(work: UnitOfWork, queue: QueueKey) -> None:
    """What waited for it, and all else that waits, is tried again at once."""
    work.changes.queues[queue] = True
    work.changes.retry_all = True


def switch_off(work: UnitOfWork, queue: QueueKey, is_poisoned: bool = False) -> None:
    """By an administrator, or because transactions that received from it were rolled back again and again."""
    work.changes.queues[queue] = False
    if is_poisoned:
        work.changes.events.append(QueueDisabled(*queue))


def note_rollback(work: UnitOfWork, queue: QueueKey) -> bool:
    """A transaction that received from a queue was rolled back. Whether that switched the queue off."""
    database, name = queue
    if not work.around.directory(database).handles_poison(name) or work.is_off(queue):
        return False
    count = work.batch.rollbacks.get(queue, 0) + 1
    is_poisoned = count >= MAX_CONSECUTIVE_ROLLBACKS
    work.changes.rollbacks[queue] = 0 if is_poisoned else count
    if is_poisoned:
        switch_off(work, queue, is_poisoned=True)
    return is_poisoned


def note_commit(work: UnitOfWork, queue: QueueKey) -> None:
    """A transaction that received from a queue was committed: the rollbacks before it count no longer."""
    if queue in work.batch.rollbacks:
        work.changes.rollbacks[queue] = 0
