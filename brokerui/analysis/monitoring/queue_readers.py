"""Of some queues: since when and why they are off, and how their readers do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from brokerui.analysis.monitoring.service_queues import HostedQueue
from brokerui.estate.models import Version
from brokerui.eventlog.models import ExceptionalEvent
from brokerui.messaging.activation.selectors import monitors_known, readers_known
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.queue_monitors.monitor_state import INACTIVE
from brokerui.messaging.verbs.administration import OFF, OFF_BY_ROLLBACKS, ON, switch_note
from routing.common.event_subclasses import ActivationSubclass

ACTIVATION: Final = 163
FAILURES: Final = (int(ActivationSubclass.ABORTED), int(ActivationSubclass.FAILED_TO_START))
MOST_FAILURES: Final = 1_000
"""Events that are read: equal ones are one row an hour."""


@dataclass(frozen=True, slots=True)
class SwitchedOff:
    """The version of the estate that switched a queue off."""

    at: datetime
    author: str
    is_poisoned: bool
    """Whether five rollbacks in a row did it."""


@dataclass(frozen=True, slots=True)
class ReaderFailure:
    """The last failure of a reader."""

    at: int
    """Milliseconds since 1970."""
    text: str
    can_start: bool
    """False: no Celery task of this name may run here."""


@dataclass(frozen=True, slots=True)
class QueueReaders:
    """Reasons and readers of a queue."""

    off: SwitchedOff | None = None
    """None: it is on, or an import switched it off."""
    running: int = 0
    state: str = INACTIVE
    """Of the queue monitor."""
    last_activated: int | None = None
    failure: ReaderFailure | None = None


def readers_of_queues(states: Sequence[HostedQueue]) -> dict[QueueAddress, QueueReaders]:
    """Return them for some queues, in two queries and two round trips at the most."""
    off = _switched_off([state.address for state in states if not state.is_on])
    places = [state.address for state in states if state.has_readers]
    failures = _failures([state.address for state in states if state.activation is not None])
    monitors = dict(zip(places, monitors_known(places), strict=True)) if places else {}
    running = dict(zip(places, readers_known(places), strict=True)) if places else {}
    found = {}
    for state in states:
        monitor, place = monitors.get(state.address), state.address
        found[place] = QueueReaders(
            off.get(place),
            sum(1 for reader in running.get(place, ()) if reader.process),
            monitor.state if monitor else INACTIVE,
            monitor.last_activated if monitor else None,
            failures.get(place),
        )
    return found


def _switched_off(places: Iterable[QueueAddress]) -> Mapping[QueueAddress, SwitchedOff]:
    """By the last version that switched each of them, where that switched it off."""
    notes = {switch_note(place, how): (place, how) for place in places for how in (ON, OFF, OFF_BY_ROLLBACKS)}
    if not notes:
        return {}
    rows = Version.objects.filter(note__in=list(notes)).order_by("number").values_list("note", "created_at", "author")
    last = {notes[note][0]: (notes[note][1], at, author) for note, at, author in rows}
    return {
        place: SwitchedOff(at, author, how == OFF_BY_ROLLBACKS)
        for place, (how, at, author) in last.items()
        if how != ON
    }


def _failures(places: Sequence[QueueAddress]) -> Mapping[QueueAddress, ReaderFailure]:
    """The last one of each queue that has activation."""
    if not places:
        return {}
    rows = ExceptionalEvent.objects.filter(
        event_class=ACTIVATION,
        event_subclass__in=FAILURES,
        instance__in={place.instance for place in places},
        target__in={place.queue for place in places},
    )
    columns = ("instance", "database_name", "target", "last_at", "text_data", "event_subclass")
    latest = list(rows.order_by("-last_at", "-id").values_list(*columns)[:MOST_FAILURES])
    return {
        QueueAddress(instance, database, queue): ReaderFailure(at, text, subclass != FAILURES[1])
        for instance, database, queue, at, text, subclass in reversed(latest)
    }
