"""One queue: its facts, its messages, arrivals and receives over time, and its rows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from brokerui.analysis.monitoring.history import SamplePoint, flows_of_queue, samples_of_queue
from brokerui.analysis.monitoring.queue_readers import readers_of_queues
from brokerui.analysis.monitoring.service_queues import HostedQueue, queue_states, services_of
from brokerui.analysis.monitoring.spans import SPANS, Span, span_of
from brokerui.analysis.monitoring.wording import age, age_unit, messages, moment
from brokerui.api.ids import key_of
from brokerui.core.csv import MomentColumn
from brokerui.core.errors import ObjectNotFoundError
from brokerui.core.moments import clock_words, moment_text
from brokerui.drawing.charts.lines import Panel, lines_figure
from brokerui.drawing.charts.look import Figure
from brokerui.estate.selectors import estate_current
from brokerui.messaging.clock import now
from brokerui.messaging.keyset_views import Key
from brokerui.messaging.queue_address import QueueAddress
from brokerui.messaging.queue_view import QueueRow, queue_view
from brokerui.pages.service_queues.wording import QueueLine, queue_line, rate
from routing.common.sentence import say
from routing.dialog.problems import VerbError
from routing.model.estate import Estate

ROWS: Final = 50
STATUSES: Final[Mapping[int, Promise]] = {
    0: _("received, and kept"),
    1: _("ready"),
    2: _("not complete, or out of order"),
    3: _("sent, and kept"),
}
"""By the number of the column `status`."""
KEY: Final = (int, str, int, int)
Cells = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QueueQuery:
    """The values of the page's address."""

    address: QueueAddress
    span: Span
    after: str = ""
    """The key that a page of rows begins after, as JSON."""

    @classmethod
    def of(cls, queue_id: str, query: Mapping[str, str]) -> QueueQuery:
        """Raises `ObjectNotFoundError` where the id is none."""
        key = key_of(queue_id, len(QueueAddress._fields))
        if key is None:
            raise ObjectNotFoundError(say("No queue has this address"))
        return cls(QueueAddress(*map(str, key)), span_of(query.get("span", "")), query.get("after", ""))

    def query(self, **other: str) -> str:
        own = {"span": self.span.name} | other
        return urlencode({name: value for name, value in own.items() if value and value != SPANS[0].name})

    def key(self) -> Key | None:
        """None: the rows begin at the first one."""
        try:
            parts = json.loads(self.after)
        except ValueError:
            return None
        is_key = isinstance(parts, list) and [type(part) for part in parts] == list(KEY)
        return tuple(parts) if is_key else None


def page_context(queue_id: str, query: Mapping[str, str]) -> dict[str, Any]:
    """For the templates. Raises `ObjectNotFoundError`."""
    page_query, at, estate = QueueQuery.of(queue_id, query), now(), estate_current().estate
    state = _state(estate, page_query.address, at)
    readers = readers_of_queues([state])[state.address]
    services, moments = services_of(estate, state.address), page_query.span.moments(at)
    points, flows = _history(page_query, services, at)
    line = queue_line(state, readers, at)
    return {
        "page_query": page_query,
        "queue_id": queue_id,
        "line": line,
        "state": state,
        "readers": readers,
        "started": moment(readers.last_activated) if readers.last_activated else None,
        "services": services,
        "links": links(state, services),
        "spans": [(span, page_query.query(span=span.name), span == page_query.span) for span in SPANS],
        "headline": headline(line),
        "tone": "warn" if state.holds or state.is_near_poison or readers.failure else "good",
        "title": title(points, page_query.span),
        "figure": figure(moments, points, flows) if points or any(flows) else None,
        "lines": list(lines(moments, points, flows)),
        **_rows(page_query),
    }


def _state(estate: Estate, address: QueueAddress, at: int) -> HostedQueue:
    found = next((state for state in queue_states(estate, at) if state.address == address), None)
    if found is None:
        raise ObjectNotFoundError(say('No hosted database has the queue "{name}".', name="/".join(address)))
    return found


def _history(
    page_query: QueueQuery, services: Sequence[str], at: int
) -> tuple[list[SamplePoint], list[dict[int, float]]]:
    points = samples_of_queue(page_query.address, page_query.span, at)
    return points, flows_of_queue(page_query.address, services, page_query.span, at)


def headline(line: QueueLine) -> str:
    """The answer in one sentence."""
    state = line.state
    waits = (
        gettext("No message waits")
        if not state.messages
        else gettext("%(messages)s in it") % {"messages": messages(state.messages)}
    )
    oldest = gettext(", the oldest for %(age)s") % {"age": line.oldest} if line.oldest else ""
    return f"{line.status}. {waits}{oldest}."


def links(state: HostedQueue, services: Sequence[str]) -> list[tuple[str, str]]:
    """Pages about the same queue: label and address."""
    place = {"instance": state.address.instance, "database": state.address.database}
    found = []
    for service in services[:3]:
        own = gettext("Conversations of %(service)s") % {"service": service}
        delayed = gettext("Delayed for %(service)s") % {"service": service}
        found.append((own, f"{reverse('conversations:conversations')}?{urlencode({**place, 'service': service})}"))
        found.append((delayed, f"{reverse('delayed:delayed')}?{urlencode({'service': service})}"))
    transmission = gettext("Transmission queue of %(database)s") % {"database": state.address.database}
    found.append((transmission, f"{reverse('queues:queues')}?{urlencode(place)}"))
    found.append((gettext("Events of the database"), f"{reverse('events:events')}?{urlencode(place)}"))
    return found


# -- The chart ---------------------------------------------------------------------------------------------


def title(points: Sequence[SamplePoint], span: Span) -> str:
    """The sentence that the chart says."""
    most = max(points, key=lambda point: point.depth, default=None)
    if most is None:
        return gettext("Messages and rates over time")
    if not most.depth:
        return gettext("%(span)s: nothing waited at any sample") % {"span": span.label}
    values = {"span": span.label, "messages": messages(most.depth), "at": clock_words(moment(most.at))}
    return gettext("%(span)s: at most %(messages)s, at %(at)s") % values


def figure(moments: list[int], points: Sequence[SamplePoint], flows: Sequence[Mapping[int, float]]) -> Figure:
    """Depth above, age in the middle, rates below."""
    by_moment = {point.at: point for point in points}
    unit, label = age_unit(max((point.oldest_age_ms or 0 for point in points), default=0))
    depths = [float(by_moment[at].depth) if at in by_moment else None for at in moments]
    ages = [round((by_moment[at].oldest_age_ms or 0) / unit, 2) if at in by_moment else None for at in moments]
    rates = {
        name: [flow.get(at, 0.0) for at in moments]
        for name, flow in zip((gettext("come"), gettext("received")), flows, strict=True)
    }
    return lines_figure(
        moments,
        (
            Panel(gettext("Messages that wait"), {gettext("messages"): depths}),
            Panel(label, {gettext("oldest"): ages}),
            Panel(gettext("Messages a minute"), rates),
        ),
    )


def lines(
    moments: Sequence[int], points: Sequence[SamplePoint], flows: Sequence[Mapping[int, float]]
) -> Iterator[tuple[str, Cells]]:
    """The twin, the newest first: moment, depth, age, and messages that arrived and were received in a minute."""
    by_moment = {point.at: point for point in points}
    for at in reversed(moments):
        point, rates = by_moment.get(at), [flow.get(at, 0.0) for flow in flows]
        if point is not None or any(rates):
            yield moment_text(moment(at)), (*_point_cells(point), *map(rate, rates))


def _point_cells(point: SamplePoint | None) -> Cells:
    if point is None:
        return "", ""
    return f"{point.depth:,}", age(point.oldest_age_ms) if point.oldest_age_ms is not None else ""


# -- Rows --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class QueueRowOnPage:
    """A row of the queue."""

    row: QueueRow
    status: Promise
    since: datetime


def _rows(page_query: QueueQuery) -> dict[str, Any]:
    after = page_query.key()
    try:
        page = queue_view(page_query.address, after, ROWS)
    except VerbError as error:  # the database is a mirror
        return {"rows": [], "rows_refused": error.render(gettext)}
    rows = [
        QueueRowOnPage(row, STATUSES[row.message.status], moment(row.message.message_enqueue_time)) for row in page.rows
    ]
    following = page_query.query(after=json.dumps(page.after)) if page.after else ""
    return {"rows": rows, "next_rows": following, "first_rows": page_query.query() if after else ""}


# -- Files -------------------------------------------------------------------------------------------------

COLUMNS: Final = (MomentColumn("at"), "messages", "oldest_age_ms", "arrived_a_minute", "received_a_minute")


def as_rows(queue_id: str, query: Mapping[str, str]) -> Iterator[tuple[Any, ...]]:
    """The chart, moment by moment."""
    page_query, at, estate = QueueQuery.of(queue_id, query), now(), estate_current().estate
    _state(estate, page_query.address, at)
    points, (arrived, received) = _history(page_query, services_of(estate, page_query.address), at)
    by_moment: dict[int, SamplePoint] = {point.at: point for point in points}
    for moment_ms in page_query.span.moments(at):
        point = by_moment.get(moment_ms)
        if point is not None or moment_ms in arrived or moment_ms in received:
            depth, oldest = (point.depth, point.oldest_age_ms) if point else (None, None)
            rates = arrived.get(moment_ms, 0), received.get(moment_ms, 0)
            yield moment(moment_ms), depth, oldest, *rates
