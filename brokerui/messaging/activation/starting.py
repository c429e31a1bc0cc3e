"""Starting readers: where messages are, and not enough of them are there yet."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Final

from celery import current_app
from django.db.models import Sum
from kombu.exceptions import OperationalError
from redis import RedisError

from brokerui.messaging.broker_cache import broker_of, hosted_names
from brokerui.messaging.clock import now
from brokerui.messaging.models import HostedInstance, QueueCounter
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.queue_monitors.activated_tasks import ActivatedTask, give_up, readers_of, reserve
from brokerui.messaging.queue_monitors.activation_events import record_activation
from brokerui.messaging.queue_monitors.activation_settings import Activations, activations_of, task_of
from brokerui.messaging.queue_monitors.monitor_state import (
    RECEIVES_OCCURRING,
    SILENT_MS,
    QueueMonitor,
    is_since,
    is_wanted,
    monitors,
    note_failed,
    note_started,
)
from brokerui.messaging.store.numbers import queue_number
from routing.common.event_subclasses import ActivationSubclass
from routing.dialog.batch import ClaimRequest, ReceiveRequest
from routing.dialog.endpoint import QueueKey
from routing.model.catalog_objects import Activation
from routing.runtime.store import Conflict

logger = logging.getLogger(__name__)

READ: Final = "brokerui.messaging.activation.tasks.read"
QUEUE: Final = "activation"
"""The queue of Celery for readers: they may run long, and transmitting must not wait for a free process."""
NO_TASK: Final = "no Celery task of this name may run here"
"""TextData, which is English everywhere."""
AT_ONCE: Final = 500
"""Queues that one query is about."""


def start_readers() -> None:
    """Start readers for all queues of all hosted instances that need one."""
    for instance in hosted_names():
        try:
            _start(instance)
        except (RedisError, OSError) as error:
            logger.info("no readers for %s: %s", instance, error)


def _start(instance: str) -> None:
    activations = {key: one for key, one in activations_of(broker_of(instance)).items() if one.max_readers}
    if not activations:
        return
    full = sorted(_with_messages(instance, activations))
    places = [QueueAddress(instance, *key) for key in full]
    for place, key, monitor in zip(places, full, monitors(places), strict=True):
        if task_of(activations[key]) is None:
            _tell_failure(place, activations[key], monitor)
        else:
            _start_reader(place, activations[key], monitor)


def _with_messages(instance: str, activations: Activations) -> set[QueueKey]:
    """By the counters."""
    number = HostedInstance.objects.values_list("id", flat=True).get(name=instance)
    numbers = {queue_number(number, key): key for key in activations}
    counters = QueueCounter.objects.values("queue_number").annotate(messages=Sum("messages")).filter(messages__gt=0)
    found: set[QueueKey] = set()
    for part in _parts(sorted(numbers)):
        rows = counters.filter(queue_number__in=part).values_list("queue_number", flat=True)
        found.update(numbers[row] for row in rows)
    return found


def _parts(numbers: list[int]) -> Iterable[list[int]]:
    return (numbers[first : first + AT_ONCE] for first in range(0, len(numbers), AT_ONCE))


def _start_reader(place: QueueAddress, activation: Activation, monitor: QueueMonitor) -> None:
    readers = len(readers_of(place))
    if not is_wanted(monitor, readers, activation.max_readers, now()) or not _has_work(place):
        return
    reader = reserve(place, activation.procedure, activation.max_readers)
    if reader is None:
        return
    if _send(place, reader):
        note_started(place, is_extra=readers > 0 and monitor.state == RECEIVES_OCCURRING)
        record_activation(ActivationSubclass.NOTIFIED, place, activation.procedure)
    else:
        give_up(place, reader)


def _tell_failure(place: QueueAddress, activation: Activation, monitor: QueueMonitor) -> None:
    """Record that no reader can be started; once in a while, as long as there are messages."""
    if not is_since(monitor.last_failed, now(), SILENT_MS):
        record_activation(ActivationSubclass.FAILED_TO_START, place, activation.procedure, NO_TASK)
        note_failed(place)


def _has_work(place: QueueAddress) -> bool:
    """Return whether there are messages that are not locked: else a reader would end at once, and be started again."""
    broker = broker_of(place.instance)
    request = ReceiveRequest((place.database, place.queue), top=0)
    try:
        work = broker.work(ClaimRequest(receive=request), now())
    except Conflict:
        return False
    broker.release(work)
    return work.batch.received_group is not None


def _send(place: QueueAddress, reader: ActivatedTask) -> bool:
    """Send the task of a reader; False if the broker of Celery cannot be reached: the next look tries again."""
    given = {**place._asdict(), "token": reader.token, "procedure": reader.procedure}
    try:
        current_app.send_task(READ, kwargs=given, queue=QUEUE, retry=False, ignore_result=True)
    except (OperationalError, OSError) as error:
        logger.info("no reader for %s: %s", "/".join(place), error)
        return False
    return True
