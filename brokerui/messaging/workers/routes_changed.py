"""A worker follows a new version of the estate: queues are switched, waiting messages are routed again (MATCH-7)."""

from __future__ import annotations

from django.db import transaction

from brokerui.estate.selectors import live_version
from brokerui.messaging.broker_cache import broker_of
from brokerui.messaging.clock import now
from brokerui.messaging.estate_writes import follow_queues
from brokerui.messaging.models import HostedInstance
from routing.dialog.batch import ClaimRequest
from routing.runtime.broker import Broker


def follow_estate(instance: str) -> None:
    """Follow a new version of the estate: switch queues on or off, and make all waiting conversations due (MATCH-7)."""
    broker = broker_of(instance)
    version = live_version()
    rows = HostedInstance.objects.filter(name=instance, followed_version__lt=version)
    with transaction.atomic():
        if rows.update(followed_version=version):
            _follow_queues(broker_of(instance, in_transaction=True))
            transaction.on_commit(lambda: broker.retry_all(now()))


def _follow_queues(broker: Broker) -> None:
    work = broker.work(ClaimRequest(), now())
    follow_queues(broker, work)
    broker.commit(work)
