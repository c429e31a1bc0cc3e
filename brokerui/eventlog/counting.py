"""Counts of events: number, messages and bytes of each kind in each minute."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple

from brokerui.messaging.latency import Latencies
from routing.common.broker_events import (
    BrokerActivation,
    ConversationEvent,
    ConversationGroupEvent,
    Event,
    MessageClassify,
    MessagesReceived,
    MessagesSent,
    QueueDisabled,
    StatusChanged,
)
from routing.common.network_events import (
    Acknowledgement,
    AuditBrokerConversation,
    AuditBrokerLogin,
    BrokerConnection,
    CorruptedMessage,
    ForwardedMessageDropped,
    ForwardedMessageSent,
    MessageUndeliverable,
    MirroredRouteStateChanged,
)

MINUTE_MS: Final = 60_000
LATENCY: Final = 1005
"""In place of a class of events: messages by the time between SEND and acknowledgement, counted by its steps."""

Kind = tuple[int, int, str, int]
"""Class, subclass (0: none), database (empty: none is known) and error (0: none)."""


class CounterKey(NamedTuple):
    """Key of a counter: events with the same values are counted together."""

    at: int
    """The minute: when it began, in milliseconds."""
    instance: str
    event_class: int
    event_subclass: int
    database: str
    error: int


class CounterSums(NamedTuple):
    """The sums of one key."""

    events: int
    messages: int
    size: int
    """Bytes."""


Counts = dict[CounterKey, CounterSums]

_COUNTED: Final[Mapping[type, Callable[[Any], tuple[Kind, int, int]]]] = {
    ConversationEvent: lambda e: ((124, e.subclass, e.database, 0), e.message_sequence_number >= 0, e.size),
    ConversationGroupEvent: lambda e: ((136, e.subclass, e.database, 0), 0, 0),
    BrokerConnection: lambda e: ((138, e.subclass, "", 0), 0, 0),
    ForwardedMessageSent: lambda e: ((139, 0, "", 0), 0, 0),
    ForwardedMessageDropped: lambda e: ((140, 0, "", e.reason), 0, 0),
    MessageClassify: lambda e: ((141, e.subclass, e.database, e.reason), 0, 0),
    QueueDisabled: lambda e: ((143, 0, e.database, 0), 0, 0),
    MirroredRouteStateChanged: lambda e: ((144, e.subclass, "", 0), 0, 0),
    Acknowledgement: lambda e: ((149, e.subclass, e.database, 0), 0, 0),
    AuditBrokerConversation: lambda e: ((158, e.subclass, e.database, 0), 0, 0),
    AuditBrokerLogin: lambda e: ((159, e.subclass, "", 0), 0, 0),
    MessageUndeliverable: lambda e: ((160, e.subclass, e.database, e.reason), 0, 0),
    CorruptedMessage: lambda e: ((161, 0, e.database, e.reason), 0, 0),
    BrokerActivation: lambda e: ((163, e.subclass, e.database, 0), 0, 0),
    MessagesSent: lambda e: ((1001, e.subclass, e.database, 0), e.messages, e.size),
    MessagesReceived: lambda e: ((1002, 0, e.database, 0), e.messages, e.size),
    StatusChanged: lambda e: ((1003, 0, e.database, e.status), 0, 0),
}
"""By class of events: the key, the number of messages that an event stands for, and their bytes."""


def kind_of(event: Event) -> Kind:
    """Return the counter of an event."""
    return _COUNTED[type(event)](event)[0]


def counted(instance: str, events: Iterable[tuple[int, Event]]) -> Counts:
    """The sums of events of one instance."""
    sums: dict[tuple[int, Kind], list[int]] = {}
    for at, event in events:
        kind, messages, size = _COUNTED[type(event)](event)
        key = (at // MINUTE_MS, kind)
        found = sums.get(key)
        if found is None:
            sums[key] = [1, int(messages), size]
        else:
            found[0] += 1
            found[1] += messages
            found[2] += size
    return {_key(minute, instance, kind): CounterSums(*found) for (minute, kind), found in sums.items()}


def _key(minute: int, instance: str, kind: Kind) -> CounterKey:
    event_class, subclass, database, error = kind
    return CounterKey(minute * MINUTE_MS, instance, event_class, int(subclass), database, error)


def latencies_counted(instance: str, at: int, latencies: Latencies) -> Counts:
    """Latencies as counters of their minute: a class of its own, whose subclasses are the steps."""
    minute = at - at % MINUTE_MS
    return {
        CounterKey(minute, instance, LATENCY, step, "", 0): CounterSums(messages, messages, 0)
        for step, messages in latencies.items()
    }


def add(counts: Counts, more: Counts) -> None:
    """More of the same, into the first."""
    for key, sums in more.items():
        before = counts.get(key)
        counts[key] = sums if before is None else CounterSums(*map(sum, zip(before, sums, strict=True)))
