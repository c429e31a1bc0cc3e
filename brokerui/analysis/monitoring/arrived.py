"""Messages that arrived over the network and are in no queue yet, grouped by queue.

While the queue is off it waits in the transmission queue of its database; else fragments of it are missing, or messages
before it, and it has status 2 in the queue.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.db.models import Count, QuerySet, Sum
from django.utils.translation import ngettext

from brokerui.messaging.models import ConversationEndpoint, Queue


class ArrivedGroup(NamedTuple):
    """Conversations with fragments for one queue."""

    instance: str
    database: str
    queue: str
    is_off: bool
    conversations: int
    fragments: int
    bytes: int

    @property
    def place(self) -> str:
        return f"{self.instance}/{self.database}"


def arrived_of(rows: QuerySet[ConversationEndpoint], names: Mapping[int, str]) -> tuple[ArrivedGroup, ...]:
    """Return the groups among these endpoints, those for queues that are off first, then those with most."""
    by: QuerySet[Any, Any] = rows.filter(held__gt=0).values("instance_id", "database", "queue").order_by()
    figures = by.annotate(conversations=Count("conversation_handle"), fragments=Sum("held"), size=Sum("held_bytes"))
    columns = ("instance_id", "database", "queue", "conversations", "fragments", "size")
    counted = list(figures.values_list(*columns))
    if not counted:
        return ()
    off = set(Queue.objects.filter(is_receive_enabled=False).values_list("instance_id", "database", "name"))
    found = [
        ArrivedGroup(names[instance], database, queue, (instance, database, queue) in off, *counts)
        for instance, database, queue, *counts in counted
        if instance in names
    ]
    return tuple(sorted(found, key=lambda group: (not group.is_off, -group.conversations, group[:3])))


def waiting_words(groups: Sequence[ArrivedGroup]) -> str:
    """Return how many conversations wait for queues that are off, as a sentence; empty: none."""
    off = [group for group in groups if group.is_off]
    if not off:
        return ""
    number = sum(group.conversations for group in off)
    values = {"n": f"{number:,}", "queue": off[0].queue, "place": off[0].place}
    if len(off) == 1:
        return (
            ngettext(
                "Messages of %(n)s conversation wait: the queue %(queue)s in %(place)s is off.",
                "Messages of %(n)s conversations wait: the queue %(queue)s in %(place)s is off.",
                number,
            )
            % values
        )
    return (
        ngettext(
            "Messages of %(n)s conversation wait for queues that are off.",
            "Messages of %(n)s conversations wait for queues that are off.",
            number,
        )
        % values
    )
