"""Broker:Activation: what happens to readers, for the event log."""

from __future__ import annotations

from brokerui.messaging.clock import now
from brokerui.messaging.outgoing import hand_over
from brokerui.messaging.places import Place
from routing.common.broker_events import ActivationSubclass, BrokerActivation


def tell(subclass: ActivationSubclass, place: Place, procedure: str, text: str = "") -> None:
    """At once: no commit belongs to it."""
    event = BrokerActivation(subclass, place.database, place.queue, procedure, text)
    hand_over(place.instance, (), [(now(), event)])
