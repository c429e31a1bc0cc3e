"""The verbs of an administrator: each writes the live estate and what runs by it, in one transaction."""

from __future__ import annotations

from typing import Final

from django.db import transaction

from brokerui.estate.audit import SYSTEM
from brokerui.messaging.broker_cache import check_queue
from brokerui.messaging.estate_writes import declare
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.queue_names import queue_named
from brokerui.messaging.verbs.transactions import unit_of_work
from routing.dialog.batch import ClaimRequest
from routing.dialog.poison_messages import note_commit, note_rollback
from routing.dialog.queue_status import switch_off, switch_on
from routing.model.edits import SetQueue

ON: Final = "on"
OFF: Final = "off"
OFF_BY_ROLLBACKS: Final = "off: five rollbacks in a row"


def queue_set_status(*, instance: str, database: str, queue: str, is_on: bool, author: str = SYSTEM) -> None:
    """ALTER QUEUE … WITH STATUS."""
    key = queue_named(instance, database, queue)[1:]
    with transaction.atomic(savepoint=False), unit_of_work(instance, ClaimRequest()) as (broker, work):
        check_queue(broker, key)
        (switch_on if is_on else switch_off)(work, key)
        note = switch_note(QueueAddress(instance, *key), ON if is_on else OFF)
        declare([SetQueue(instance, *key, is_on)], author, note)


def message_rolled_back(*, instance: str, database: str, queue: str) -> bool:
    """Tell that a transaction that received from a queue was rolled back, once it is. Whether that has switched the
    queue off: the fifth in a row does, where the queue has POISON_MESSAGE_HANDLING."""
    key = queue_named(instance, database, queue)[1:]
    with transaction.atomic(savepoint=False), unit_of_work(instance, ClaimRequest()) as (broker, work):
        check_queue(broker, key)
        is_poisoned = note_rollback(work, key)
        if is_poisoned:
            note = switch_note(QueueAddress(instance, *key), OFF_BY_ROLLBACKS)
            declare([SetQueue(instance, *key, False)], SYSTEM, note)
    return is_poisoned


def message_committed(*, instance: str, database: str, queue: str) -> None:
    """Reset the count of consecutive rollbacks of a queue after a commit."""
    with unit_of_work(instance, ClaimRequest()) as (_, work):
        note_commit(work, (database, queue))


def switch_note(queue: QueueAddress, how: str) -> str:
    """Return the note of the version that switches a queue, by which that version is found again."""
    return f"{'/'.join(queue)} {how}"
