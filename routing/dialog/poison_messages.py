"""Poison messages: five consecutive rollbacks of transactions that received from a queue switch it off,
unless its POISON_MESSAGE_HANDLING is off.

A rollback is counted, and a commit sets the count to zero, in a unit of work of its own: a rolled-back transaction
cannot write, and a committed one must not block others that wait for the count.
"""

from __future__ import annotations

from typing import Final

from routing.dialog.endpoint import QueueKey
from routing.dialog.queue_status import switch_off
from routing.dialog.unit_of_work import UnitOfWork

MAX_CONSECUTIVE_ROLLBACKS: Final = 5
"""Consecutive rollbacks after which a queue is switched off."""


def note_rollback(work: UnitOfWork, queue: QueueKey) -> bool:
    """Count the rollback of a transaction that received from a queue. True if this switched the queue off."""
    database, name = queue
    if not work.context.directory(database).handles_poison(name) or work.is_queue_off(queue):
        return False
    count = work.batch.rollbacks.get(queue, 0) + 1
    is_poisoned = count >= MAX_CONSECUTIVE_ROLLBACKS
    work.changes.rollbacks[queue] = 0 if is_poisoned else count
    if is_poisoned:
        switch_off(work, queue, is_poisoned=True)
    return is_poisoned


def note_commit(work: UnitOfWork, queue: QueueKey) -> None:
    """Reset the rollback count after the commit of a transaction that received from a queue."""
    if queue in work.batch.rollbacks:
        work.changes.rollbacks[queue] = 0
