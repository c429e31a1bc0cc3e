"""Reads the events that endpoint processes report, into the same tables as the events of brokers."""

from __future__ import annotations

import logging
from typing import Final

from redis import RedisError

from brokerui.eventlog.recording import recorder
from brokerui.messaging.exchange.lists import run, take_events
from brokerui.messaging.exchange.messages import EndpointEvent
from brokerui.messaging.exchange.outbox import redis

logger = logging.getLogger(__name__)
AT_ONCE: Final = 1_000


def collect() -> int:
    """All that waits; gives how many that were."""
    done = 0
    try:
        while taken_events := run(redis(), take_events(AT_ONCE)):
            done += len(taken_events)
            by_instance: dict[str, list[tuple[int, EndpointEvent]]] = {}
            for one in taken_events:
                by_instance.setdefault(one.instance, []).append((one.at, one.event))
            for instance, events in by_instance.items():
                recorder.note(instance, events)
    except (RedisError, OSError) as error:
        logger.info("no events of endpoints: %s", error)
    return done
