"""Signals to the queue monitors: messages have arrived, or were received."""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import Final

from celery import signature
from redis import RedisError

from brokerui.messaging.exchange.queue_notify import notify_queues
from brokerui.messaging.exchange.wake_debounce import wake_once
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.queue_monitors.activation_settings import activations_of
from brokerui.messaging.queue_monitors.monitor_state import INACTIVE, monitors, note_receive
from routing.dialog.endpoint import QueueKey
from routing.runtime.broker import Broker

logger = logging.getLogger(__name__)

ACTIVATE: Final = "brokerui.messaging.tasks.activate"


def messages_came(broker: Broker, queues: Collection[QueueKey]) -> None:
    """Notify waiting receives of committed messages in these queues, and start readers where none is running. Beat
    looks too, now and then."""
    if not queues:
        return
    notify_queues(QueueAddress(broker.instance, *key) for key in queues)
    places = [QueueAddress(broker.instance, *key) for key in queues if key in activations_of(broker)]
    if not places:
        return
    try:
        if any(monitor.state == INACTIVE for monitor in monitors(places)):
            wake_once(signature(ACTIVATE))
    except (RedisError, OSError) as error:
        logger.info("no readers are woken: %s", error)


def received(broker: Broker, queue: QueueKey, *, is_empty: bool) -> None:
    """Note a receive: it found messages or an empty queue. Later messages cause one more check."""
    if queue not in activations_of(broker):
        return
    try:
        if note_receive(QueueAddress(broker.instance, *queue), is_empty=is_empty):
            wake_once(signature(ACTIVATE))
    except (RedisError, OSError) as error:
        logger.info("no queue monitor could be notified of a receive: %s", error)
