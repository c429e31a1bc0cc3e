"""The page of delayed conversations: their messages could not be delivered, grouped by cause."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import urlencode

from django.db.models import OuterRef, QuerySet, Subquery
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from brokerui.analysis.drains.selectors import drains_now
from brokerui.analysis.monitoring.arrived import waiting_words
from brokerui.analysis.monitoring.history import MOST_SERIES, SamplePoint, by_error
from brokerui.analysis.monitoring.off_queues import queues_off
from brokerui.analysis.monitoring.spans import SPANS, Span, span_of
from brokerui.analysis.monitoring.waiting import IN_INDEX, WaitingGroup, waiting_now
from brokerui.analysis.monitoring.wording import (
    cause_label,
    cause_words,
    conversations,
    due,
    moment,
    state_words,
)
from brokerui.analysis.servers.observed import with_collected
from brokerui.core.moments import clock_words, moment_text
from brokerui.drawing.charts.lines import Panel, lines_figure
from brokerui.drawing.charts.look import Figure
from brokerui.estate.selectors import estate_current
from brokerui.eventlog.samples import OfSample
from brokerui.messaging.clock import now
from brokerui.messaging.models import ConversationEndpoint, HostedInstance, OutgoingMessage
from brokerui.messaging.transmission_status import Place
from brokerui.pages.delayed.collected import collected_context
from brokerui.pages.delayed.draining import ended_drains
from brokerui.pages.delayed.groups import shown_groups, where_of
from brokerui.pages.shell.columns import Column, ShownTable, Table

MOST_GROUPS: Final = 50
"""Groups on a page: each is put into words with its remedy."""
LISTED: Final = 100
"""Conversations of a group that are shown one by one."""
MOST_DIGITS: Final = 9
NAMES: Final = ("instance", "database", "service", "cause")
TABLE_KEYS: Final = ("sort", "columns")
"""Of the table of groups: links of the page keep them."""
Ones = Mapping[Place, ConversationEndpoint]


@dataclass(frozen=True, slots=True)
class DelayedQuery:
    """The values of the address: all conversations, or one group."""

    span: Span
    instance: str = ""
    database: str = ""
    service: str = ""
    cause: str = ""
    sort: str = ""
    columns: str = ""
    start: str = ""
    """How many groups come before the first one on the page."""

    @classmethod
    def of(cls, query: Mapping[str, str]) -> DelayedQuery:
        return cls(
            span_of(query.get("span", "")), **{name: query.get(name, "") for name in (*NAMES, *TABLE_KEYS, "start")}
        )

    def first_of(self, groups: int) -> int:
        """The place of the first group on the page; of the last page where there are fewer by now."""
        wanted = int(self.start) if self.start.isdecimal() and len(self.start) < MOST_DIGITS else 0
        return min(wanted, max(0, groups - 1)) // MOST_GROUPS * MOST_GROUPS

    @property
    def is_one(self) -> bool:
        return bool(self.instance and self.database and self.service)

    def query(self, **other: str) -> str:
        own = {"span": self.span.name, **{name: getattr(self, name) for name in (*NAMES, *TABLE_KEYS)}, **other}
        return urlencode({name: value for name, value in own.items() if value and value != SPANS[0].name})

    def has(self, group: WaitingGroup) -> bool:
        own = (group.instance, group.database, group.service, str(group.cause))
        return all(not wanted or wanted == is_ for wanted, is_ in zip(self._wanted, own, strict=True))

    def of_group(self, group: WaitingGroup) -> str:
        """The query of the page with the conversations of a group."""
        return self.query(**{name: str(getattr(group, name)) for name in NAMES})

    @property
    def _wanted(self) -> tuple[str, ...]:
        return self.instance, self.database, self.service, self.cause


@dataclass(frozen=True, slots=True)
class DelayedConversation:
    """One that is delayed."""

    handle: str
    conversation_id: str
    state: str
    messages: int
    attempts: int
    due: str
    since: Any
    where: str


PLACE: Final = ("instance", "database", "to_service")
GROUPS: Final[Table[WaitingGroup]] = Table(
    Column("service", _("To service"), lambda one: one.service, is_head=True, files=PLACE),
    Column("reason", _("Reason"), lambda one: one.cause, files=("transmission_status", "cause")),
    Column(
        "conversations", _("Conversations"), lambda one: one.conversations, is_number=True, files=("conversations",)
    ),
    Column("messages", _("Messages"), lambda one: one.messages, is_number=True, files=("messages",)),
    Column("next", _("Next attempt"), lambda one: one.next_attempt, files=("attempts",)),
)
CONVERSATIONS: Final[Table[DelayedConversation]] = Table(
    Column("handle", _("Handle"), lambda one: one.handle, is_head=True),
    Column("state", _("State"), lambda one: one.state),
    Column("since", _("Waits since"), lambda one: one.since),
    Column("messages", _("Messages"), lambda one: one.messages, is_number=True),
    Column("attempts", _("Attempts"), lambda one: one.attempts, is_number=True),
    Column("next", _("Next attempt")),
    name="rows",
)


def page_context(query: Mapping[str, str]) -> dict[str, Any]:
    """For the templates."""
    page_query, at, live = DelayedQuery.of(query), now(), estate_current()
    waiting, drains = waiting_now(), drains_now()
    delayed = waiting.delayed
    table = GROUPS.read(query)
    groups = table.ordered(group for group in delayed if page_query.has(group))
    first = page_query.first_of(len(groups))
    points = _by_cause(page_query.span, at)
    of_servers = {} if page_query.is_one else collected_context(with_collected(live))
    collected = of_servers.get("collected_headline", "")
    arrived = waiting_words(waiting.arrived)
    moments = page_query.span.moments(at)
    return {
        "page_query": page_query,
        "spans": [(span, page_query.query(span=span.name), span == page_query.span) for span in SPANS],
        "as_of": waiting.at if waiting.until else None,
        "groups": shown_groups(live, groups[first : first + MOST_GROUPS], at, page_query.of_group, drains),
        "table": table,
        "drained": [] if page_query.is_one else ended_drains(drains),
        "pages": _pages(page_query, first, len(groups)),
        "causes": causes_of(delayed, page_query),
        "everything": f"?{DelayedQuery(page_query.span).query()}",
        "headline": headline(delayed, arrived) if delayed or arrived or not collected else collected,
        "tone": "warn" if delayed or arrived or collected else "good",
        "off": queues_off(live.estate, waiting.arrived),
        "title": title(points, page_query.span),
        "figure": figure(moments, points) if points else None,
        "heads": list(points),
        "lines": list(lines(moments, points)),
        **_conversations(page_query, groups, at, CONVERSATIONS.read(query)),
        **of_servers,
    }


def _pages(page_query: DelayedQuery, first: int, groups: int) -> dict[str, Any]:
    """The links to the other pages of groups; empty where there is one page."""
    if groups <= MOST_GROUPS:
        return {}
    last = min(groups, first + MOST_GROUPS)
    return {
        "first": first + 1,
        "last": last,
        "all": groups,
        "before": page_query.query(start=str(first - MOST_GROUPS) if first > MOST_GROUPS else "") if first else None,
        "after": page_query.query(start=str(last)) if last < groups else None,
    }


def headline(delayed: list[WaitingGroup], waits: str = "") -> str:
    """Return one sentence on the delayed messages, and one on messages for queues that are off."""
    if not delayed and waits:
        return waits
    return f"{_headline(delayed)} {waits}".rstrip()


def _headline(delayed: list[WaitingGroup]) -> str:
    if not delayed:
        return gettext("No conversation is delayed.")
    number = sum(group.conversations for group in delayed)
    text = ngettext("%(n)s conversation is delayed", "%(n)s conversations are delayed", number) % {"n": f"{number:,}"}
    by_cause: dict[int, int] = {}
    for group in delayed:
        by_cause[group.cause] = by_cause.get(group.cause, 0) + group.conversations
    cause = max(by_cause, key=lambda one: by_cause[one])
    if len(by_cause) == 1:
        return f"{text}. {cause_words(cause)}"
    return gettext("%(sentence)s, most of them (%(n)s) for one reason. %(cause)s") % {
        "sentence": text,
        "n": f"{by_cause[cause]:,}",
        "cause": cause_words(cause),
    }


@dataclass(frozen=True, slots=True)
class DelayedCause:
    """All groups with one transmission status."""

    number: int
    words: str
    conversations: int
    query: str
    """The query of the page with its groups alone; of the chosen one, with all groups again."""
    is_chosen: bool


def causes_of(delayed: list[WaitingGroup], page_query: DelayedQuery) -> list[DelayedCause]:
    """Return the causes, those that hold most conversations first; none where there is one only."""
    sums: Counter[int] = Counter()
    for group in delayed:
        sums[group.cause] += group.conversations
    if len(sums) < 2 or page_query.is_one:
        return []
    ordered = sorted(sums.items(), key=lambda one: (-one[1], one[0]))
    return [_cause(page_query, number, conversations) for number, conversations in ordered]


def _cause(page_query: DelayedQuery, number: int, conversations: int) -> DelayedCause:
    is_chosen = page_query.cause == str(number)
    query = page_query.query(cause="" if is_chosen else str(number))
    return DelayedCause(number, cause_words(number), conversations, query, is_chosen)


# -- One group ---------------------------------------------------------------------------------------------


def _conversations(
    page_query: DelayedQuery, groups: list[WaitingGroup], at: int, table: ShownTable[DelayedConversation]
) -> dict[str, Any]:
    if not page_query.is_one:
        return {"conversations": None}
    rows = list(_rows(page_query)[:LISTED])
    listed = [
        DelayedConversation(
            row.conversation_handle,
            row.conversation_id,
            state_words(row.state),
            row.outgoing,
            row.attempts,
            due(row.next_attempt, at),
            moment(row.first) if row.first is not None else None,
            where_of(page_query.instance, row),
        )
        for row in rows
    ]
    number = sum(group.conversations for group in groups)
    return {"conversations": table.ordered(listed), "rows_table": table, "not_listed": max(0, number - len(listed))}


def _rows(page_query: DelayedQuery) -> QuerySet[Any]:
    first = OutgoingMessage.objects.filter(
        conversation_handle=OuterRef("conversation_handle"),
        instance=OuterRef("instance"),
        message_sequence_number__gte=OuterRef("acknowledged_sequence"),
    ).order_by("message_sequence_number")
    instance = HostedInstance.objects.filter(name=page_query.instance).values_list("id", flat=True).first()
    rows = ConversationEndpoint.objects.filter(
        IN_INDEX, instance_id=instance, database=page_query.database, far_service=page_query.service, outgoing__gt=0
    )
    if page_query.cause.isdecimal():
        rows = rows.filter(transmission_status=int(page_query.cause))
        rows = rows if int(page_query.cause) else rows.filter(attempts__gt=0)
    return rows.annotate(first=Subquery(first.values("enqueue_time")[:1]))


# -- The chart ---------------------------------------------------------------------------------------------


def _by_cause(span: Span, at: int) -> dict[str, list[SamplePoint]]:
    """Conversations that wait for a reason: of all instances together, the most frequent cause first."""
    found = by_error(OfSample.WAITING_CONVERSATIONS, span, at)
    causes = sorted((error for error in found if error), key=lambda error: (-found[error][-1].depth, error))
    return {cause_label(error): found[error] for error in causes[:MOST_SERIES]}


def title(points: Mapping[str, list[SamplePoint]], span: Span) -> str:
    """Return the message of the chart."""
    depths: Counter[int] = Counter()
    for own in points.values():
        depths.update({point.at: point.depth for point in own})
    if not depths:
        return gettext("Delayed conversations over time")
    at, most = max(depths.items(), key=lambda one: one[1])
    return gettext("%(span)s: at most %(conversations)s at a time, at %(at)s") % {
        "span": span.label,
        "conversations": conversations(most),
        "at": clock_words(moment(at)),
    }


def figure(moments: list[int], points: Mapping[str, list[SamplePoint]]) -> Figure:
    """A line for each cause. Where others were looked at and this one was not there, there was none of it."""
    looked = {point.at for own in points.values() for point in own}
    values = {
        name: [_depth({point.at: point.depth for point in own}, at, looked) for at in moments]
        for name, own in points.items()
    }
    return lines_figure(moments, (Panel(gettext("Delayed conversations, by cause"), values),))


def _depth(own: Mapping[int, int], at: int, looked: set[int]) -> float | None:
    return float(own.get(at, 0)) if at in looked else None


def lines(moments: list[int], points: Mapping[str, list[SamplePoint]]) -> Iterator[tuple[str, list[int]]]:
    """The twin, the newest first."""
    by_moment = {name: {point.at: point.depth for point in own} for name, own in points.items()}
    looked = {at for own in by_moment.values() for at in own}
    for at in reversed(moments):
        if at in looked:
            yield moment_text(moment(at)), [own.get(at, 0) for own in by_moment.values()]


# -- Files -------------------------------------------------------------------------------------------------

COLUMNS = (
    "instance",
    "database",
    "to_service",
    "transmission_status",
    "cause",
    "conversations",
    "messages",
    "attempts",
)


def as_rows(query: Mapping[str, str]) -> Iterator[tuple[Any, ...]]:
    """Every group, in the order of the page."""
    for group in GROUPS.read(query).ordered(waiting_now().delayed):
        cause = cause_words(group.cause)
        figures = (group.conversations, group.messages, group.attempts)
        yield group.instance, group.database, group.service, group.cause, cause, *figures
