"""Output of the brokers once it is durable: frames for the endpoint, events for the recorders."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from typing import Protocol

from redis import RedisError

from brokerui.core.read_once import read_once
from brokerui.core.redis_client import ThreadRedis, redis_client
from brokerui.messaging.exchange.lists import list_limits, outgoing_held, post, put_outgoing, run
from brokerui.messaging.latency import Latencies
from routing.common.broker_events import Event
from routing.dialog.broker_context import OutboundFrame

logger = logging.getLogger(__name__)


class EventRecorder(Protocol):
    """Counts and stores the Broker events of hosted instances."""

    def note(self, instance: str, events: Sequence[tuple[int, Event]]) -> None:
        """Take events of an instance, each with its moment in milliseconds since 1970, UTC."""

    def note_latencies(self, instance: str, at: int, latencies: Latencies) -> None:
        """Take how long messages of an instance had waited that were acknowledged at this moment."""


_recorders: list[EventRecorder] = []


def record_events_with(recorder: EventRecorder) -> None:
    """Have `recorder` take every event from now on. The event log registers itself so at the start."""
    if recorder not in _recorders:
        _recorders.append(recorder)


CONNECT_S = 0.1
"""Longest wait of a SEND for Redis, in seconds: the dialog layer sends frames again that were not handed over."""
ANSWER_S = 2.0


@read_once
def redis() -> ThreadRedis:
    """Return the client for frames and for all else that messaging keeps in Redis."""
    return redis_client(connect_s=CONNECT_S, answer_s=ANSWER_S)


_given: Counter[str] = Counter()
"""Bytes that this process has handed over, by instance, since it last saw room in the lists."""


def has_room(instance: str) -> bool:
    """Whether each list for the endpoint has room for another batch. Frames without room are lost and sent again after
    seconds. A process that has handed over little since its last check does not check again."""
    most, _, _ = list_limits()
    if _given[instance] <= most // 16:
        return True
    try:
        held = run(redis(), outgoing_held(instance))
    except (RedisError, OSError):
        return True  # nothing can be handed over, and nothing is waited for
    if max(held.values(), default=0) > most // 2:
        return False
    del _given[instance]
    return True


def hand_over(instance: str, frames: Sequence[OutboundFrame], events: Sequence[tuple[int, Event]]) -> None:
    """Hand frames to the endpoint and events to the recorders."""
    if frames:
        put(instance, frames)
    for recorder in _recorders:
        recorder.note(instance, events)


def hand_over_latencies(instance: str, at: int, latencies: Latencies) -> None:
    """Hand the times of acknowledged messages to the recorders."""
    if latencies:
        for recorder in _recorders:
            recorder.note_latencies(instance, at, latencies)


def put(instance: str, frames: Sequence[OutboundFrame]) -> None:
    """Hand frames to the endpoint. Frames that Redis does not take are lost on the network, which is no error."""
    leaving = [(one.address, one.frame) for one in frames]
    for _, raw in leaving:
        _given[instance] += len(raw)
    try:
        post(redis(), put_outgoing(instance, leaving))
    except (RedisError, OSError) as error:
        logger.info("%d frames of %s are lost: %s", len(frames), instance, error)
