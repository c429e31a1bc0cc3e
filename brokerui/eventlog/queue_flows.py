"""Messages that come into each queue and leave it, minute by minute: counted from events, and kept beside the samples.

Arrivals are counted by service, because events name the service; the estate says which queue it has.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from brokerui.eventlog.counting import MINUTE_MS
from brokerui.eventlog.samples import OfSample
from routing.common.broker_events import ConversationEvent, Event, MessagesReceived
from routing.common.event_subclasses import ConversationSubclass

ARRIVALS: Final = frozenset(
    (
        ConversationSubclass.RECEIVED_SEQUENCED_MESSAGE,
        ConversationSubclass.RECEIVED_END_CONVERSATION,
        ConversationSubclass.RECEIVED_END_CONVERSATION_WITH_ERROR,
        ConversationSubclass.RECEIVED_BROKER_ERROR_MESSAGE,
    )
)


_ENQUEUED, _RECEIVED = int(OfSample.ENQUEUED), int(OfSample.RECEIVED)


class FlowKey(NamedTuple):
    """The key of its row, in the order of the table's key."""

    at: int
    """The minute: when it began, in milliseconds."""
    kind: int
    instance: str
    database: str
    name: str
    """Of arrivals the service, else the queue."""


Flows = dict[FlowKey, int]
"""Messages."""


def flows_of(instance: str, events: Iterable[tuple[int, Event]]) -> Flows:
    """The messages that events of an instance report, by minute and queue."""
    sums: dict[tuple[int, int, str, str], int] = {}  # few keys are made of many events
    for at, event in events:
        if isinstance(event, ConversationEvent):
            if event.subclass in ARRIVALS:
                key = at // MINUTE_MS, _ENQUEUED, event.database, event.service_name
                sums[key] = sums.get(key, 0) + 1
        elif isinstance(event, MessagesReceived):
            key = at // MINUTE_MS, _RECEIVED, event.database, event.queue
            sums[key] = sums.get(key, 0) + event.messages
    return {
        FlowKey(minute * MINUTE_MS, kind, instance, database, name): messages
        for (minute, kind, database, name), messages in sums.items()
    }


def add(flows: Flows, more: Flows) -> None:
    """More of the same, into the first."""
    for key, messages in more.items():
        flows[key] = flows.get(key, 0) + messages
