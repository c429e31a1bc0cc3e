"""A worker does the due work of an instance's conversations: first attempts, retries, timers, ends of lifetimes.

It may run at any time, and in many workers: a claimed conversation belongs to one of them.
"""

from __future__ import annotations

import time
from typing import Final

from brokerui.messaging.broker_cache import broker_of, working_broker_of
from brokerui.messaging.clock import now
from brokerui.messaging.exchange.outbox import has_room
from brokerui.messaging.workers.turns import TURN_SECONDS, before_applications, give_out, while_hosted
from routing.runtime.broker import Broker
from routing.runtime.store import Conflict

PAUSE_SECONDS: Final = 0.005
"""Seconds between two checks whether the endpoint has taken frames from a full list."""


@while_hosted
def send_due(instance: str) -> bool:
    """Do everything that is due in the conversations of an instance. Returns whether more is left."""
    end = time.monotonic() + TURN_SECONDS
    while time.monotonic() < end:
        if not has_room(instance):
            time.sleep(PAUSE_SECONDS)  # the endpoint takes its frames, or is not running
        elif not _send_once(working_broker_of(instance)):
            return False
    return True


def _send_once(broker: Broker) -> bool:
    """Do one batch. False where nothing is due or other workers hold all of it."""
    at = now()
    try:
        with before_applications(broker, at):
            is_more = broker.turn(at)
    except Conflict:
        return True  # another worker was first: look again for the rest
    give_out(broker, at, broker.frames_to_send(at))
    return is_more


@while_hosted
def is_due(instance: str) -> bool:
    """Whether a conversation of the instance is due."""
    due = broker_of(instance).store.next_due()
    return due is not None and due <= now()
