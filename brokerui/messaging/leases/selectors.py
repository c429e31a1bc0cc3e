"""Leases, and the messages that can be leased."""

from __future__ import annotations

from typing import Final

from django.db import connection

from brokerui.messaging.clock import now
from brokerui.messaging.leases.models import Lease, LeaseState
from brokerui.messaging.store.next_group import FURTHER, LOOKS
from brokerui.messaging.store.numbers import queue_number
from routing.dialog.endpoint import QueueKey

_FOUND: Final = "SELECT COALESCE((SELECT found.key FROM ({sql}) AS found LIMIT 1), {is_cut_short})"


def has_messages(instance: int, queue: QueueKey) -> bool:
    """Return whether a queue has a message that is not leased. RECEIVE looks for the next group the same way."""
    parameters = {"instance": instance, "now": now(), "queue": queue_number(instance, queue)}
    with connection.cursor() as cursor:
        for look in LOOKS:
            cursor.execute(_FOUND.format(**look._asdict()), parameters)
            (group,) = cursor.fetchone()
            if group != FURTHER:
                return group is not None
    return False


def is_leased(instance: str, group: str) -> bool:
    """Whether messages of a conversation group are handed out."""
    living = Lease.objects.filter(conversation_group_id=group, instance__name=instance, state=LeaseState.LEASED)
    return living.filter(until__gt=now()).exists()
