"""Queues that are off, with the messages that wait for them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Sum

from brokerui.analysis.monitoring.arrived import ArrivedGroup
from brokerui.messaging.broker_cache import hosted_names
from brokerui.messaging.models import QueueCounter
from routing.model.estate import Estate


@dataclass(frozen=True, slots=True)
class OffQueue:
    """A queue that takes and gives nothing."""

    instance: str
    database: str
    name: str
    messages: int
    waiting: int
    """Conversations with messages that wait for it in the transmission queue of its database."""

    @property
    def value(self) -> str:
        """Its place as the form of several queues has it."""
        return json.dumps((self.instance, self.database, self.name))


def queues_off(estate: Estate, arrived: Sequence[ArrivedGroup] = ()) -> list[OffQueue]:
    """Return the queues of hosted instances that are off."""
    instances = estate.instances
    places = [
        (name, database.name, queue.name)
        for name in hosted_names()
        if name in instances
        for database in instances[name].databases.values()
        for queue in database.queues
        if not queue.enabled
    ]
    if not places:
        return []
    counters = QueueCounter.objects.filter(queue__in={queue for _, _, queue in places})
    by = counters.values_list("instance__name", "database", "queue")
    counted = {(one[0], one[1], one[2]): one[3] for one in by.annotate(sum=Sum("messages")).order_by()}
    waiting = {group[:3]: group.conversations for group in arrived}
    return [OffQueue(*place, max(0, counted.get(place, 0)), waiting.get(place, 0)) for place in places]
