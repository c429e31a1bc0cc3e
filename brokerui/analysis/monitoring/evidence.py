"""Reads the evidence about conversations that wait; the number of queries does not depend on how many they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, NamedTuple

from redis import RedisError

from brokerui.analysis.explanations.evidence import ConnectionHistory, Discard, Evidence, Hold
from brokerui.analysis.monitoring.spans import MINUTE_MS
from brokerui.estate.selectors import LiveEstate
from brokerui.eventlog.models import ExceptionalEvent
from brokerui.eventlog.selectors import DUPLICATES
from brokerui.messaging.exchange.lists import connections
from brokerui.messaging.exchange.messages import ConnectionRow
from brokerui.messaging.exchange.outbox import redis
from brokerui.messaging.models import ConversationEndpoint
from brokerui.messaging.transmission_status import problem_words
from routing.common.event_subclasses import ConnectionSubclass
from routing.rules.explanation import Explanation

SECOND_MS: Final = 1_000
HOUR_MS: Final = 60 * MINUTE_MS
DISCARDED_MS: Final = 10 * MINUTE_MS
"""A cause that discarded nothing for ten minutes is over: senders try again after a minute at the latest."""
DISCARDING: Final = (140, 160, 161)
"""Classes of events: a forwarder dropped a message, a message was undeliverable, a message was damaged or forged."""
CONNECTION: Final = 138
MOST: Final = 200
"""Events of each kind that are read, the latest first."""
ONLINE: Final = "LOGGED_IN"


class _Alike(NamedTuple):
    """The side of conversations that sends: events name only one conversation of many."""

    instance: int
    database: str
    service: str


@dataclass(slots=True)
class _Arrivals:
    """Events about the messages of one side that arrived."""

    discards: list[Discard] = field(default_factory=list)
    copies: int = 0


@dataclass(frozen=True, slots=True)
class EvidenceReader:
    """The events and connections of one moment."""

    live: LiveEstate
    now: int
    arrivals: Mapping[_Alike, _Arrivals]
    online: Mapping[tuple[str, str], int]
    """By instance and address: since when a connection is online, in milliseconds since 1970."""
    failed: Mapping[tuple[str, str], tuple[int, int]]
    """By instance and address: how many connections failed within the last hour, and the moment of the last."""

    def of(self, row: ConversationEndpoint, hold: Hold, explanation: Explanation) -> Evidence:
        """The evidence about one conversation."""
        there = self.arrivals.get(_Alike(row.instance_id, row.database, row.far_service), _Arrivals())
        due = None if row.next_attempt is None else max(0, row.next_attempt - self.now) // SECOND_MS
        return Evidence(
            hold=hold,
            explanation=explanation,
            estate=self.live.estate,
            messages=row.outgoing,
            attempts=row.attempts,
            next_in_s=due,
            discards=tuple(there.discards),
            copies=there.copies,
            connections=tuple(self._connections(explanation)),
        )

    def _connections(self, explanation: Explanation) -> Iterator[ConnectionHistory]:
        for instance, address in dict.fromkeys(_sends(explanation)):
            since, (failed, last) = self.online.get((instance, address)), self.failed.get((instance, address), (0, 0))
            if since is not None or failed:
                connected = None if since is None else max(0, self.now - since) // SECOND_MS
                failed_s = max(0, self.now - last) // SECOND_MS if failed else None
                yield ConnectionHistory(instance, address, connected, failed, failed_s)


def _sends(explanation: Explanation) -> Iterator[tuple[str, str]]:
    """Instance and address of each send on the way there and back."""
    for journey in (explanation.forward, *(back.journey for back in explanation.returns)):
        for end in journey.ends:
            yield from ((leg.instance, leg.send.address.key) for leg in end.legs if leg.send.to != leg.instance)


def evidence_reader(live: LiveEstate, now: int) -> EvidenceReader:
    """Read the events of the last minutes, and the connections of this moment."""
    return EvidenceReader(live, now, _arrivals(now), _online(), _failed(now))


def _arrivals(now: int) -> dict[_Alike, _Arrivals]:
    found: dict[_Alike, _Arrivals] = defaultdict(_Arrivals)
    events = list(
        ExceptionalEvent.objects.filter(event_class__in=DISCARDING, last_at__gte=now - DISCARDED_MS)
        .exclude(conversation_id="")
        .order_by("-last_at", "-id")[:MOST]
    )
    alike = _sides({event.conversation_id for event in events})
    for event in events:
        for side in alike.get(event.conversation_id, ()):
            _note(found[side], event, now)
    return found


def _note(there: _Arrivals, event: ExceptionalEvent, now: int) -> None:
    if event.error in DUPLICATES.errors:
        there.copies += event.occurrences
        return
    ago = max(0, now - event.last_at) // SECOND_MS
    words = problem_words(event.error)
    there.discards.append(Discard(event.instance, event.error, words, event.occurrences, ago))


def _sides(conversations: set[str]) -> dict[str, list[_Alike]]:
    """By identifier: the sides of these conversations that have messages to send."""
    found: dict[str, list[_Alike]] = defaultdict(list)
    if conversations:
        rows = ConversationEndpoint.objects.filter(conversation_id__in=conversations, outgoing__gt=0)
        columns = rows.values_list("conversation_id", "instance_id", "database", "far_service")
        for one, instance, database, service in columns:
            found[one].append(_Alike(instance, database, service))
    return found


def _online() -> dict[tuple[str, str], int]:
    try:
        rows = connections(redis())
    except (RedisError, OSError):
        return {}
    return {(row.instance, row.address): _moment(row) for row in rows if row.state_desc == ONLINE and row.address}


def _moment(row: ConnectionRow) -> int:
    return int(datetime.fromisoformat(row.connect_time).timestamp() * SECOND_MS)


def _failed(now: int) -> dict[tuple[str, str], tuple[int, int]]:
    rows = ExceptionalEvent.objects.filter(
        event_class=CONNECTION, event_subclass=ConnectionSubclass.CONNECT_FAILED, last_at__gte=now - HOUR_MS
    ).order_by("-last_at", "-id")
    found: dict[tuple[str, str], tuple[int, int]] = {}
    for instance, address, times, last in rows.values_list("instance", "address", "occurrences", "last_at")[:MOST]:
        before = found.get((instance, address), (0, last))
        found[instance, address] = before[0] + times, max(before[1], last)
    return found
