"""Counts the uses of verbs by user, with the verb's transaction; the audit gets the sums once an hour.

An entry of the audit for each message would drown all others, and cost as much as the message.
"""

from __future__ import annotations

import threading
from typing import Final

from django.db import connection, transaction

from brokerui.estate.audit import audit
from brokerui.messaging.leases.models import Use

SLOTS: Final = 64
"""Parts of a count, so that transactions at the same time do not wait for each other."""
_COUNT: Final = (
    "INSERT INTO rest_uses (author, verb, instance, slot, requests, messages) VALUES (%s, %s, %s, %s, 1, %s)"
    " ON CONFLICT (author, verb, instance, slot)"
    " DO UPDATE SET requests = rest_uses.requests + 1, messages = rest_uses.messages + excluded.messages"
)


def use_count(*, author: str, verb: str, instance: str, messages: int = 0) -> None:
    """Count one request, in the transaction of its work; the last statement of it, since it locks a row."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNT, [author, verb, instance, threading.get_native_id() % SLOTS, messages])


def uses_tell() -> int:
    """Write an audit entry for each user, verb and instance; return their number."""
    with transaction.atomic():
        rows = list(Use.objects.select_for_update(skip_locked=True))
        keys = sorted({(row.author, row.verb, row.instance) for row in rows})
        for author, verb, instance in keys:
            mine = [row for row in rows if (row.author, row.verb, row.instance) == (author, verb, instance)]
            requests, messages = sum(row.requests for row in mine), sum(row.messages for row in mine)
            note = f"{instance}: {requests} requests" + (f", {messages} messages" if messages else "")
            audit(author=author, action=f"dialog.{verb}", note=note)
        for row in rows:
            row.delete()
    return len(keys)
