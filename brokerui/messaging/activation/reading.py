"""A reader: the task that the procedure of a queue names, run until it is through."""

from __future__ import annotations

import logging

from redis import RedisError

from brokerui.messaging.broker_cache import broker_of
from brokerui.messaging.errors import NotHostedError
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.queue_monitors.activated_tasks import ActivatedTask, running
from brokerui.messaging.queue_monitors.activation_events import record_activation
from brokerui.messaging.queue_monitors.activation_settings import activations_of, task_of
from brokerui.messaging.queue_monitors.monitor_state import note_failed
from brokerui.messaging.verbs.rollback_counting import rollbacks_counted
from routing.common.event_subclasses import ActivationSubclass

logger = logging.getLogger(__name__)


def read(place: QueueAddress, reserved: ActivatedTask) -> bool:
    """Run it, if it is still wanted. Whether it ran."""
    with running(place, reserved) as reader:
        if reader is None:
            return False
        return _run(place, reader)


def _run(place: QueueAddress, reader: ActivatedTask) -> bool:
    """Run the activated task; a receive that it did not commit is rolled back and counts against the queue."""
    try:
        activation = activations_of(broker_of(place.instance)).get((place.database, place.queue))
    except NotHostedError:
        return False
    task = task_of(activation) if activation is not None and activation.procedure == reader.procedure else None
    if task is None:
        return False  # the estate is another since it was started
    record_activation(ActivationSubclass.STARTED, place, reader.procedure)
    try:
        with rollbacks_counted():
            task(**place._asdict())
    except Exception as error:
        logger.exception("the reader %s of %s", reader.procedure, "/".join(place))
        record_activation(ActivationSubclass.ABORTED, place, reader.procedure, f"{type(error).__name__}: {error}")
        _note_failed(place)
    else:
        record_activation(ActivationSubclass.ENDED, place, reader.procedure)
    return True


def _note_failed(place: QueueAddress) -> None:
    try:
        note_failed(place)
    except (RedisError, OSError) as error:
        logger.info("the failure of a reader of %s could not be recorded: %s", "/".join(place), error)
