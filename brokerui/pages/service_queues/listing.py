"""The list of queues: filters, orders, a page by key, and the sentence about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from brokerui.analysis.monitoring.queue_readers import QueueReaders, readers_of_queues
from brokerui.analysis.monitoring.service_queues import HostedQueue, queue_states
from brokerui.analysis.monitoring.wording import age
from brokerui.core.paging import page_after
from brokerui.estate.selectors import estate_current
from brokerui.messaging.clock import now
from brokerui.pages.service_queues.wording import QueueLine, queue_line
from brokerui.pages.shell.columns import Column, Table

ROWS: Final = 50
"""Rows of a page."""
FILTERS: Final = ("q", "show", "sort", "columns")
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


_STATE_IN_FILES: Final = (
    *("is_receive_enabled", "is_enqueue_enabled", "is_poison_message_handling_enabled", "rollbacks"),
    "waiting_conversations",
)
_READERS_IN_FILES: Final = ("activation_procedure", "max_readers", "is_activation_enabled")
TABLE: Final[Table[HostedQueue]] = Table(
    Column("name", _("Queue"), lambda one: one.name, is_head=True, files=("instance", "database", "queue")),
    Column("messages", _("Messages"), lambda one: one.messages, is_number=True, files=("messages",)),
    Column("oldest", _("Oldest"), lambda one: one.oldest_age_ms, is_number=True, files=("oldest_age_ms",)),
    Column("in", _("In a minute"), lambda one: one.arrived, is_number=True, files=("arrived_a_minute",)),
    Column("out", _("Out a minute"), lambda one: one.received, is_number=True, files=("received_a_minute",)),
    Column("state", _("State"), lambda one: (one.is_on, not one.is_near_poison), files=_STATE_IN_FILES),
    Column("readers", _("Readers"), files=_READERS_IN_FILES),
)


@dataclass(frozen=True, slots=True)
class QueueListQuery:
    """The values of the page's address."""

    q: str = ""
    """Stands in the name of the instance, the database or the queue."""
    show: str = ""
    sort: str = ""
    columns: str = ""
    after: str = ""
    """The queue that the page begins after."""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> QueueListQuery:
        found = {name: query.get(name, "").strip() for name in cls.__slots__}
        return cls(**found | {"show": found["show"] if found["show"] in SHOWS else ""})

    @property
    def is_filtered(self) -> bool:
        return bool(self.q or self.show)

    def query(self, **other: str) -> str:
        own = {name: getattr(self, name) for name in FILTERS} | other
        return urlencode({name: value for name, value in own.items() if value})

    def fitting(self, states: Sequence[HostedQueue]) -> list[HostedQueue]:
        """Return those that the filters let through, the worst first."""
        word, is_shown = self.q.casefold(), SHOWS[self.show][1]
        fitting = [state for state in states if is_shown(state) and word in state.name.casefold()]
        return sorted(fitting, key=lambda state: (_worst(state), tuple(state.address)))


def page_context(query: Mapping[str, str]) -> dict[str, Any]:
    """For the templates."""
    page_query, at = QueueListQuery.of(query), now()
    states = queue_states(estate_current().estate, at)
    table = TABLE.read(query)
    fitting = table.ordered(page_query.fitting(states))
    shown, following = page_after(fitting, page_query.after, lambda state: state.name, ROWS)
    return {
        "page_query": page_query,
        "lines": _lines(shown, readers_of_queues(shown), at),
        "number": len(fitting),
        "next_rows": page_query.query(after=following) if following else "",
        "first_rows": page_query.query() if page_query.after else "",
        "shows": [(name, words, name == page_query.show) for name, (words, _fits) in SHOWS.items()],
        "table": table,
        "headline": headline(states),
        "tone": "warn" if any(state.holds for state in states) else "good",
    }


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
    """All rows that the filters let through, in the order of the page."""
    states = QueueListQuery.of(query).fitting(queue_states(estate_current().estate, now()))
    return map(_cells, TABLE.read(query).ordered(states))


def _cells(state: HostedQueue) -> tuple[Any, ...]:
    """With names of columns as REST has them."""
    activation = state.activation
    return (
        *state.address,
        *(state.messages, state.oldest_age_ms, state.arrived, state.received),
        *(state.is_on, state.is_on, state.has_poison_handling, state.rollbacks, state.waiting),
        *((activation.procedure, activation.max_readers, activation.enabled) if activation else ("", "", False)),
    )
