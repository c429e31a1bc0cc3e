"""The page of transmission queues: how much waits in each, since when, and the rows of one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from brokerui.analysis.monitoring.arrived import ArrivedGroup, waiting_words
from brokerui.analysis.monitoring.history import SamplePoint, largest, oldest, series, transmission_rates
from brokerui.analysis.monitoring.spans import SPANS, Span, span_of
from brokerui.analysis.monitoring.waiting import WaitingMessages, waiting_now
from brokerui.analysis.monitoring.wording import age, age_unit, messages, moment
from brokerui.core.csv import MomentColumn
from brokerui.core.errors import BadAddressError
from brokerui.core.moments import clock_words, moment_text
from brokerui.core.paging import page_after
from brokerui.drawing.charts.lines import Panel, lines_figure
from brokerui.drawing.charts.look import Figure
from brokerui.eventlog.samples import OfSample
from brokerui.messaging.clock import now
from brokerui.messaging.selectors import transmission_queue
from brokerui.pages.shell.columns import Column, Table
from routing.common.sentence import say

ROWS: Final = 100
"""Queues of a page."""
MOST: Final = 200
"""Groups of messages that have arrived, and are shown."""
SHOWS: Final[Mapping[str, Promise]] = {"": _("all"), "delayed": _("with delayed conversations")}


KEPT: Final = ("instance", "database", "q", "show", "sort", "columns")
"""Parameters that links of the page keep."""


@dataclass(frozen=True, slots=True)
class QueuesQuery:
    """The values of the page's address."""

    span: Span
    instance: str = ""
    database: str = ""
    q: str = ""
    """Stands in the name of the instance or the database."""
    show: str = ""
    sort: str = ""
    columns: str = ""
    after: str = ""
    """The key that a page of rows begins after."""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> QueuesQuery:
        """Read an address. Raises `BadAddressError` for an unknown state."""
        given = {name: query.get(name, "").strip() for name in (*KEPT, "after")}
        if given["show"] not in SHOWS:
            problem = "show= takes {names}, not {value}"
            raise BadAddressError(say(problem, names=tuple(filter(None, SHOWS)), value=given["show"]))
        return cls(span_of(query.get("span", "")), **given)

    @property
    def is_filtered(self) -> bool:
        return bool(self.q or self.show)

    def fitting(self, queues: Iterable[TransmissionQueueSummary]) -> Iterator[TransmissionQueueSummary]:
        word = self.q.casefold()
        return (one for one in queues if word in one.name.casefold() and (not self.show or one.delayed))

    def query(self, **other: str) -> str:
        own = {"span": self.span.name, **{name: getattr(self, name) for name in KEPT}, **other}
        kept = {name: value for name, value in own.items() if value and (name, value) != ("span", SPANS[0].name)}
        return urlencode(kept)


@dataclass(frozen=True, slots=True)
class TransmissionQueueSummary:
    """The transmission queue of a database."""

    instance: str
    database: str
    messages: int
    conversations: int
    delayed: int
    """Conversations."""
    oldest_age_ms: int | None
    came: float | None
    """Messages a minute, as `left`; None: there are no samples of the last minutes."""
    left: float | None

    @property
    def name(self) -> str:
        return f"{self.instance}/{self.database}"

    @property
    def oldest(self) -> str:
        return age(self.oldest_age_ms) if self.oldest_age_ms is not None else ""


TABLE: Final[Table[TransmissionQueueSummary]] = Table(
    Column("name", _("Database"), lambda one: (one.instance.casefold(), one.database.casefold()), is_head=True),
    Column("messages", _("Messages"), lambda one: one.messages, is_number=True),
    Column("conversations", _("Conversations"), lambda one: one.conversations, is_number=True),
    Column("delayed", _("Delayed"), lambda one: one.delayed, is_number=True),
    Column("age", _("Oldest (last sample)"), lambda one: one.oldest_age_ms, is_number=True),
    Column("in", _("In a minute"), lambda one: one.came, is_number=True),
    Column("out", _("Out a minute"), lambda one: one.left, is_number=True),
)


def page_context(query: Mapping[str, str]) -> dict[str, Any]:
    """For the templates."""
    page_query, at = QueuesQuery.of(query), now()
    waiting = waiting_now()
    shown = _shown(page_query.span, at)
    queues, table = _queues(waiting, oldest(at), _rates(page_query, at)), TABLE.read(query)
    fitting = table.ordered(page_query.fitting(queues))
    listed, following = page_after(fitting, page_query.after, lambda one: one.name, ROWS)
    moments = page_query.span.moments(at)
    return {
        "page_query": page_query,
        "spans": [(span, page_query.query(span=span.name), span == page_query.span) for span in SPANS],
        "as_of": waiting.at if waiting.until else None,
        "queues": queues,
        "number": len(fitting),
        "table": table,
        "shows": [(name, words, name == page_query.show) for name, words in SHOWS.items()],
        "arrived": [
            (group, page_query.query(instance=group.instance, database=group.database))
            for group in waiting.arrived[:MOST]
        ],
        "headline": " ".join(filter(None, (headline(queues, waiting.arrived), waiting_words(waiting.arrived)))),
        "tone": "warn" if any(queue.delayed for queue in queues) or waiting_words(waiting.arrived) else "good",
        "rows_of_queues": [
            (queue, page_query.query(instance=queue.instance, database=queue.database)) for queue in listed
        ],
        "next_rows": page_query.query(after=following) if following else "",
        "first_rows": page_query.query() if page_query.after else "",
        "everything": page_query.query(instance="", database=""),
        "title": title(shown, page_query.span),
        "figure": figure(moments, shown) if shown else None,
        "heads": list(shown),
        "lines": list(lines(moments, shown)),
        **_rows(page_query),
    }


def _shown(span: Span, at: int) -> dict[str, list[SamplePoint]]:
    """The lines of the chart by their names."""
    places, others = largest(OfSample.TRANSMISSION_QUEUE, span, at)
    lines = {f"{instance}/{database}": points for (instance, database, _name, _error), points in places.items()}
    lines |= {gettext("others"): others} if others else {}
    # Leave out queues that were always empty; if all were, keep one line, which shows it.
    return {name: points for name, points in lines.items() if _was_used(points)} or dict(list(lines.items())[:1])


def _was_used(points: list[SamplePoint]) -> bool:
    return any(point.depth for point in points)


def _rates(page_query: QueuesQuery, at: int) -> Mapping[tuple[str, str], tuple[float, float]]:
    """Nothing where the page shows the rows of one queue."""
    return {} if page_query.instance and page_query.database else transmission_rates(at)


def _queues(
    waiting: WaitingMessages,
    ages: Mapping[tuple[str, str], int],
    rates: Mapping[tuple[str, str], tuple[float, float]],
) -> list[TransmissionQueueSummary]:
    """Return the transmission queues that are not empty, the fullest first."""
    found: dict[tuple[str, str], list[int]] = {}
    for group in waiting.groups:
        sums = found.setdefault((group.instance, group.database), [0, 0, 0])
        sums[0] += group.messages
        sums[1] += group.conversations
        sums[2] += group.conversations * group.is_delayed
    queues = []
    for place, (number, conversations, delayed) in found.items():
        came, left = rates.get(place, (None, None))
        summary = TransmissionQueueSummary(*place, number, conversations, delayed, ages.get(place), came, left)
        queues.append(summary)
    return sorted(queues, key=lambda queue: (-queue.messages, queue.name))


def headline(queues: list[TransmissionQueueSummary], arrived: Sequence[ArrivedGroup]) -> str:
    """The answer in one sentence; empty where all that waits has come for queues that are off."""
    if not queues and any(group.is_off for group in arrived):
        return ""
    if not queues:
        return gettext("All transmission queues are empty.")
    number = sum(queue.messages for queue in queues)
    counted = ngettext("%(n)s message is to be sent", "%(n)s messages are to be sent", number) % {"n": f"{number:,}"}
    ages = [(queue.oldest_age_ms, queue) for queue in queues if queue.oldest_age_ms is not None]
    if not ages:
        return f"{counted}."
    longest, queue = max(ages, key=lambda one: one[0])
    return gettext("%(sentence)s; the oldest waits %(age)s, in %(queue)s.") % {
        "sentence": counted,
        "age": age(longest),
        "queue": queue.name,
    }


# -- The chart ---------------------------------------------------------------------------------------------


def title(shown: Mapping[str, list[SamplePoint]], span: Span) -> str:
    """Return the message of the chart."""
    if not shown:
        return gettext("Depth and age over time")
    name, points = max(shown.items(), key=lambda one: max(point.depth for point in one[1]))
    most = max(points, key=lambda point: point.depth)
    if not most.depth:
        return gettext("%(span)s: nothing waited at any sample") % {"span": span.label}
    return gettext("%(span)s: at most %(messages)s in %(queue)s, at %(at)s") % {
        "span": span.label,
        "messages": messages(most.depth),
        "queue": name,
        "at": clock_words(moment(most.at)),
    }


def figure(moments: list[int], shown: Mapping[str, list[SamplePoint]]) -> Figure:
    """Depth above, age below."""
    by_moment = {name: {point.at: point for point in points} for name, points in shown.items()}
    depths = {name: [_depth(own.get(at)) for at in moments] for name, own in by_moment.items()}
    unit, label = age_unit(max((point.oldest_age_ms or 0 for points in shown.values() for point in points), default=0))
    ages = {name: [_in_units(own.get(at), unit) for at in moments] for name, own in by_moment.items()}
    return lines_figure(moments, (Panel(gettext("Messages that wait"), depths), Panel(label, ages)))


def _depth(point: SamplePoint | None) -> float | None:
    return None if point is None else float(point.depth)


def _in_units(point: SamplePoint | None, unit: int) -> float | None:
    """The age in an empty queue is 0: the line goes on."""
    return None if point is None else round((point.oldest_age_ms or 0) / unit, 2)


def lines(moments: list[int], shown: Mapping[str, list[SamplePoint]]) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """The twin, the newest first: moment, then depth and age of each queue."""
    by_moment = {name: {point.at: point for point in points} for name, points in shown.items()}
    for at in reversed(moments):
        cells = [own.get(at) for own in by_moment.values()]
        if any(cells):
            yield moment_text(moment(at)), [_cell(point) for point in cells]


def _cell(point: SamplePoint | None) -> tuple[str, str]:
    if point is None:
        return "", ""
    return f"{point.depth:,}", age(point.oldest_age_ms) if point.oldest_age_ms is not None else ""


# -- Rows --------------------------------------------------------------------------------------------------


def _rows(page_query: QueuesQuery) -> dict[str, Any]:
    """The messages of the queue that is selected."""
    if not (page_query.instance and page_query.database):
        return {"rows": None}
    after = _key(page_query.after)
    page = transmission_queue({"instance": page_query.instance, "database": page_query.database}, after, limit=100)
    rows = [(row, moment(row.enqueue_time)) for row in page.rows]
    following = page_query.query(after=" ".join(map(str, page.after))) if page.after else ""
    return {"rows": rows, "next_rows": following, "first_rows": page_query.query() if after else ""}


def _key(text: str) -> tuple[str | int, ...] | None:
    """The key that was given as where to go on; None: it is none."""
    parts = text.split()
    if len(parts) != 4 or not all(part.isdecimal() for part in parts[1:]):
        return None
    return parts[0], *map(int, parts[1:])


# -- Files -------------------------------------------------------------------------------------------------

COLUMNS = (MomentColumn("at"), "instance", "database", "messages", "oldest_age_ms")


def as_rows(query: Mapping[str, str]) -> Iterator[tuple[Any, ...]]:
    """Every queue at every moment: nothing is summed up there."""
    page_query = QueuesQuery.of(query)
    for (instance, database, _name, _error), points in series(
        OfSample.TRANSMISSION_QUEUE, page_query.span, now()
    ).items():
        for point in points:
            yield moment(point.at), instance, database, point.depth, point.oldest_age_ms
