"""Broker:Activation: what happens to readers, for the event log."""

from __future__ import annotations

from brokerui.messaging.clock import now
from brokerui.messaging.exchange.outbox import hand_over
from brokerui.messaging.queue_address import QueueAddress
from routing.common.broker_events import BrokerActivation
from routing.common.event_subclasses import ActivationSubclass


def record_activation(subclass: ActivationSubclass, place: QueueAddress, procedure: str, text: str = "") -> None:
    """At once: no commit belongs to it."""
    event = BrokerActivation(subclass, place.database, place.queue, procedure, text)
    hand_over(place.instance, (), [(now(), event)])
