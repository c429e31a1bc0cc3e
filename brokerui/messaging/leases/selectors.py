"""Leases, and the messages that can be leased."""

from __future__ import annotations

from typing import Final

from django.db import connection

from brokerui.messaging.clock import now
from brokerui.messaging.leases.models import Lease, LeaseState
from brokerui.messaging.store.numbers import queue_number
from routing.dialog.endpoint import QueueKey

_ANY: Final = (
    "SELECT 1 FROM queue_messages m WHERE m.queue_number = %s"
    " AND m.conversation_group_id NOT IN (SELECT l.conversation_group_id FROM receive_leases l"
    " WHERE l.state = 'leased' AND l.until > %s AND l.instance_id = %s)"
    " ORDER BY m.priority DESC, m.queuing_order LIMIT 1"
)


def has_messages(instance: int, queue: QueueKey) -> bool:
    """Whether a queue has a message that is not leased: one look into an index, past those that are."""
    with connection.cursor() as cursor:
        cursor.execute(_ANY, [queue_number(instance, queue), now(), instance])
        return cursor.fetchone() is not None


def is_leased(instance: str, group: str) -> bool:
    """Whether messages of a conversation group are handed out."""
    living = Lease.objects.filter(conversation_group_id=group, instance__name=instance, state=LeaseState.LEASED)
    return living.filter(until__gt=now()).exists()
