"""The list of queues: filters, orders, a page by key, and the sentence about them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from brokerui.analysis.monitoring.queue_readers import QueueReaders, readers_of_queues
from brokerui.analysis.monitoring.service_queues import HostedQueue, queue_states
from brokerui.analysis.monitoring.wording import age
from brokerui.estate.selectors import estate_current
from brokerui.messaging.clock import now
from brokerui.messaging.queue_address import QueueAddress
from brokerui.pages.service_queues.wording import QueueLine, queue_line

ROWS: Final = 50
"""Rows of a page."""
FILTERS: Final = ("q", "show", "sort")
SHOWS: Final[Mapping[str, tuple[Promise, Callable[[HostedQueue], bool]]]] = {
    "": (_("all"), lambda state: True),
    "messages": (_("with messages"), lambda state: state.messages > 0),
    "off": (_("off"), lambda state: not state.is_on),
    "activation": (_("with activation"), lambda state: state.activation is not None),
}
Weight = tuple[float, ...]


def _worst(state: HostedQueue) -> Weight:
    """Queues that are off and hold messages, those that are off, those near it, then by age and number."""
    step = 0 if state.holds else 1 if not state.is_on else 2 if state.is_near_poison else 3
    return step, -(state.oldest_age_ms or 0), -state.messages


SORTS: Final[Mapping[str, tuple[Promise, Callable[[HostedQueue], Weight]]]] = {
    "": (_("urgency"), _worst),
    "messages": (_("Messages"), lambda state: (-state.messages,)),
    "oldest": (_("Oldest"), lambda state: (-(state.oldest_age_ms or 0),)),
    "in": (_("In a minute"), lambda state: (-state.arrived,)),
    "out": (_("Out a minute"), lambda state: (-state.received,)),
    "name": (_("Queue"), lambda state: ()),
}
"""By name: the label, and the weight by which queues come; equal ones by name."""
Key = tuple[Weight, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class QueueListQuery:
    """The values of the page's address."""

    q: str = ""
    """Stands in the name of the instance, the database or the queue."""
    show: str = ""
    sort: str = ""
    after: str = ""
    """The key that the page begins after, as JSON."""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> QueueListQuery:
        found = {name: query.get(name, "").strip() for name in cls.__slots__}
        known = {"show": SHOWS, "sort": SORTS}
        return cls(**{name: value if value in known.get(name, (value,)) else "" for name, value in found.items()})

    @property
    def is_filtered(self) -> bool:
        return bool(self.q or self.show)

    def query(self, **other: str) -> str:
        own = {name: getattr(self, name) for name in FILTERS} | other
        return urlencode({name: value for name, value in own.items() if value})

    def fitting(self, states: Sequence[HostedQueue]) -> list[HostedQueue]:
        """Return those that the filters let through, in their order."""
        word, is_shown = self.q.casefold(), SHOWS[self.show][1]
        fitting = [state for state in states if is_shown(state) and word in state.name.casefold()]
        return sorted(fitting, key=self.key)

    def key(self, state: HostedQueue) -> Key:
        """Return the place of a queue in the order."""
        return SORTS[self.sort][1](state), tuple(state.address)

    def begin(self) -> Key | None:
        """The key after which the page begins; None: the text is none, or there is none."""
        try:
            weight, place = json.loads(self.after)
            key = tuple(float(part) for part in weight), tuple(map(str, place))
        except (ValueError, TypeError):
            return None
        return key if len(key[1]) == len(QueueAddress._fields) else None


def page_context(query: Mapping[str, str]) -> dict[str, Any]:
    """For the templates."""
    page_query, at = QueueListQuery.of(query), now()
    states = queue_states(estate_current().estate, at)
    fitting = page_query.fitting(states)
    begin = page_query.begin()
    left = [state for state in fitting if begin is None or page_query.key(state) > begin]
    shown = left[:ROWS]
    following = page_query.query(after=json.dumps(page_query.key(shown[-1]))) if len(left) > ROWS else ""
    return {
        "page_query": page_query,
        "lines": _lines(shown, readers_of_queues(shown), at),
        "number": len(fitting),
        "next_rows": following,
        "first_rows": page_query.query() if begin is not None else "",
        "shows": [(name, words, name == page_query.show) for name, (words, _fits) in SHOWS.items()],
        "sorts": [(name, words, name == page_query.sort) for name, (words, _weight) in SORTS.items()],
        "heads": list(_heads(page_query)),
        "headline": headline(states),
        "tone": "warn" if any(state.holds for state in states) else "good",
    }


HEADS: Final[tuple[tuple[str, Promise], ...]] = (
    ("name", _("Queue")),
    ("messages", _("Messages")),
    ("oldest", _("Oldest")),
    ("in", _("In a minute")),
    ("out", _("Out a minute")),
    ("", _("State")),
    ("", _("Readers")),
)
"""Columns: the order that their heads sort by, if any, and the label."""


class ColumnHead(NamedTuple):
    """The head of a column."""

    label: Promise
    query: str
    """Of the page that is sorted by it; empty: none is."""
    aria_sort: str
    is_number: bool


def _heads(page_query: QueueListQuery) -> Iterator[ColumnHead]:
    for name, label in HEADS:
        direction = "ascending" if name == "name" else "descending"
        is_sorted = bool(name) and name == page_query.sort
        query = page_query.query(sort=name) if name else ""
        yield ColumnHead(label, query, direction if is_sorted else "", name not in ("", "name"))


def _lines(states: Sequence[HostedQueue], readers: Mapping[Any, QueueReaders], at: int) -> list[QueueLine]:
    return [queue_line(state, readers[state.address], at) for state in states]


def headline(states: Sequence[HostedQueue]) -> str:
    """The answer in one or two sentences, whatever the filter: queues that are off, waiting messages, the oldest."""
    if not states:
        return gettext("No hosted database has a queue.")
    return " ".join(filter(None, (_off_words(states), _depth_words(states))))


def _off_words(states: Sequence[HostedQueue]) -> str:
    off = [state for state in states if not state.is_on]
    if not off:
        return ""
    if len(off) == 1:
        return gettext("The queue %(name)s is off.") % {"name": off[0].name}
    return gettext("%(n)s queues are off.") % {"n": f"{len(off):,}"}


def _depth_words(states: Sequence[HostedQueue]) -> str:
    full = [state for state in states if state.messages]
    if not full:
        return gettext("No message waits in a queue.")
    number = sum(state.messages for state in full)
    words = ngettext("%(n)s message waits in %(queues)s", "%(n)s messages wait in %(queues)s", number) % {
        "n": f"{number:,}",
        "queues": ngettext("%(n)s queue", "%(n)s queues", len(full)) % {"n": f"{len(full):,}"},
    }
    aged = [state for state in full if state.oldest_age_ms is not None]
    if not aged:
        return f"{words}."
    oldest = max(aged, key=lambda state: state.oldest_age_ms or 0)
    values = {"sentence": words, "age": age(oldest.oldest_age_ms or 0), "queue": oldest.name}
    return gettext("%(sentence)s; the oldest waits %(age)s, in %(queue)s.") % values


# -- Files -------------------------------------------------------------------------------------------------

COLUMNS: Final = (
    *("instance", "database", "queue", "messages", "oldest_age_ms", "arrived_a_minute", "received_a_minute"),
    *("is_receive_enabled", "is_enqueue_enabled", "is_poison_message_handling_enabled", "rollbacks"),
    *("waiting_conversations", "activation_procedure", "max_readers", "is_activation_enabled"),
)


def as_rows(query: Mapping[str, str]) -> Iterator[tuple[Any, ...]]:
    """All rows that the filters let through, with names of columns as REST has them."""
    states = QueueListQuery.of(query).fitting(queue_states(estate_current().estate, now()))
    for state in states:
        activation = state.activation
        yield (
            *state.address,
            *(state.messages, state.oldest_age_ms, state.arrived, state.received),
            *(state.is_on, state.is_on, state.has_poison_handling, state.rollbacks, state.waiting),
            *((activation.procedure, activation.max_readers, activation.enabled) if activation else ("", "", False)),
        )
