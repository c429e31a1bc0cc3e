"""Wake-ups: each looks in the database or in the lists what there is to do, for all hosted instances."""

from __future__ import annotations

from celery import shared_task
from django.conf import settings

from brokerui.messaging.activation.starting import start_readers
from brokerui.messaging.drain import drain, follow_estate, take_in
from brokerui.messaging.hosting import hosted_names
from brokerui.messaging.neighbours import hear_notices
from brokerui.messaging.waking import awake, wake_once


@shared_task
def transmit() -> None:
    """Send what is due: first attempts, retries, timers, ends of lifetimes."""
    awake(transmit)
    hear_notices()
    unfinished = [instance for instance in hosted_names() if drain(instance)]
    if unfinished:
        wake_once(transmit)


@shared_task
def routes_changed() -> None:
    """Try what waits by the estate as it is now."""
    awake(routes_changed)
    for instance in hosted_names():
        follow_estate(instance)
    wake_once(transmit)


@shared_task
def receive() -> None:
    """Take what came over the network."""
    awake(receive)
    places = [(instance, shard) for instance in hosted_names() for shard in range(settings.ENDPOINT_SHARDS)]
    unfinished = [place for place in places if take_in(*place)]
    if unfinished:
        wake_once(receive)
    wake_once(transmit)


@shared_task
def activate() -> None:
    """Start readers of queues that have messages, where too few are there."""
    awake(activate)
    start_readers()
