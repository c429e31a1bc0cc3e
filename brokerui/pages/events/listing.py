"""The list of exceptional events: filters, a page by the latest moment, and the sentence about them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from operator import attrgetter
from typing import Any, Final

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from brokerui.analysis.monitoring.spans import BY_NAME, MINUTE_MS
from brokerui.analysis.monitoring.wording import moment
from brokerui.core.csv import MomentColumn
from brokerui.core.moments import clock_text, clock_words, day_text
from brokerui.core.paging import KeysetPage
from brokerui.core.typed_moments import read_moment
from brokerui.eventlog.exceptional import EXCEPTIONAL, HOUR_MS, why_exceptional
from brokerui.eventlog.models import ExceptionalEvent
from brokerui.eventlog.selectors import Cursor, Filter, event_name, exceptional_by_class, exceptional_page
from brokerui.messaging.broker_cache import hosted_names
from brokerui.messaging.clock import now
from brokerui.messaging.transmission_status import problem_words
from brokerui.pages.events.wording import subclass_name
from brokerui.pages.shell.columns import Column, Table
from brokerui.pages.shell.list_query import ListQuery
from routing.common.errors import Invalid
from routing.common.identifier import parse_identifier
from routing.common.moment import to_milliseconds

ROWS: Final = 100
"""Rows of a page; the file has at most `FILE_ROWS`."""
FILE_ROWS: Final = 10_000
MOST_ERROR: Final = 999_999_999
LONGEST_NUMBER: Final = 18
"""Digits of a number in a key: any such number fits into the database."""
CLASSES: Final = {event_name(event_class): event_class for event_class, _subclass in EXCEPTIONAL}
"""Classes of exceptional events by the name that an address has for them."""
COLUMNS: Final = (
    *(
        MomentColumn("last_at"),
        MomentColumn("first_at"),
        "occurrences",
        "event_class",
        "event_name",
        "event_subclass",
        "error",
        "why",
    ),
    *("instance", "database_name", "target", "address", "text_data", "conversation_id", "conversation_handle"),
)


TABLE: Final[Table[ExceptionalEvent]] = Table(
    Column("last", _("Last one"), lambda row: row.last_at, is_moment=True, is_head=True, files=("last_at", "first_at")),
    Column("times", _("Times"), is_number=True, files=("occurrences",)),
    Column("event", _("Event"), files=("event_class", "event_name", "event_subclass", "why")),
    Column("error", _("Error"), files=("error", "text_data")),
    Column("where", _("Where"), files=("instance", "database_name", "target", "address")),
    Column("conversation", _("Conversation"), files=("conversation_id", "conversation_handle")),
)
"""Rows come by the moment of the last event, which has an index, usually the latest first: no other column sorts."""
OLDEST_FIRST: Final = "last"
"""The order that the address names; any other is the usual one."""


@dataclass(frozen=True, slots=True)
class EventsQuery(ListQuery):
    """The values of the page's address; empty ones restrict nothing."""

    FILTERS = ("instance", "database", "event_class", "error", "conversation_id", "target", "since", "until")
    instance: str = ""
    database: str = ""
    event_class: str = ""
    """Its name, or its number as in REST."""
    error: str = ""
    conversation_id: str = ""
    target: str = ""
    """A service, a queue or a peer."""
    since: str = ""
    """The name of a span, or a moment as in REST."""
    until: str = ""
    """A moment."""
    sort: str = ""
    columns: str = ""
    after: str = ""
    """The key that the page begins after."""

    @property
    def class_number(self) -> int | None:
        """None: any class, or one that has no exceptional event."""
        numbers = {str(number): number for number in CLASSES.values()}
        return CLASSES.get(self.event_class) or numbers.get(self.event_class)

    def problems(self) -> Iterator[str]:
        """Sentences about values that no event can have."""
        if self.instance and self.instance not in hosted_names():
            yield gettext("No instance %(name)s is hosted here.") % {"name": self.instance}
        if self.event_class and self.class_number is None:
            yield gettext("There is no exceptional event %(name)s: they are %(names)s.") % {
                "name": self.event_class,
                "names": ", ".join(CLASSES),
            }
        if self.error and _number(self.error, MOST_ERROR) is None:
            yield gettext("An error is a number from 1 to 999999999, not %(error)s.") % {"error": self.error}
        if self.conversation_id and _identifier(self.conversation_id) is None:
            words = gettext("The identifier of a conversation is a GUID, not %(text)s.")
            yield words % {"text": self.conversation_id}
        if self.since and self.since not in BY_NAME and _moment(self.since) is None:
            words = gettext("Events are shown since %(spans)s or a moment as 2030-01-31 12:00, not %(since)s.")
            yield words % {"spans": ", ".join(BY_NAME), "since": self.since}
        if self.until and _moment(self.until) is None:
            yield gettext("Events are shown until a moment as 2030-01-31 12:00, not %(until)s.") % {"until": self.until}

    def filter(self, at: int) -> Filter:
        """The filter of a query without problems, at a moment."""
        span = BY_NAME.get(self.since)
        return Filter(
            instance=self.instance,
            database=self.database,
            event_class=self.class_number,
            error=_number(self.error, MOST_ERROR),
            conversation_id=_identifier(self.conversation_id) or "",
            target=self.target,
            since=at - span.minutes * MINUTE_MS if span else _moment(self.since),
            until=_moment(self.until),
        )


_COLUMNS: Final = attrgetter(*(field.attname for field in ExceptionalEvent._meta.concrete_fields))


@dataclass(frozen=True, slots=True)
class EventLine:
    """A row of the list, in words."""

    row: ExceptionalEvent
    last: datetime
    times: str
    """The exact moments of the first and the last one; their day where it is not today."""
    name: str
    subclass: str
    error: str
    why: str

    @property
    def place(self) -> str:
        """`instance/database`; the instance alone where the event has no database."""
        return "/".join(filter(None, (self.row.instance, self.row.database_name)))

    @property
    def key(self) -> tuple[object, ...]:
        """Everything that the row shows, but its age."""
        return self.times, *_COLUMNS(self.row)

    @property
    def short(self) -> str:
        return f"{self.row.conversation_id[:8]}…"


def page_context(query: Mapping[str, str]) -> dict[str, Any]:
    """For the templates."""
    table, page_query, at = TABLE.read(query), EventsQuery.of(query), now()
    problems = list(page_query.problems())
    page = KeysetPage((), None) if problems else _page(page_query, at)
    counts = _counts(page_query, at) if page.rows else {}
    sentence = headline(counts, at, is_filtered=page_query.is_filtered, is_empty=not page.rows)
    return {
        "page_query": page_query,
        "problems": problems,
        "table": table,
        "is_oldest_first": page_query.sort == OLDEST_FIRST,
        "events": [_line(row, at) for row in page.rows],
        "older": page_query.query(after=" ".join(map(str, page.after))) if page.after else "",
        "newest": page_query.query() if page_query.after else "",
        "is_older": bool(page_query.after),
        "instances": [(name, name == page_query.instance) for name in sorted(hosted_names())],
        "classes": [(name, number == page_query.class_number) for name, number in sorted(CLASSES.items())],
        "spans": [(name, span.label, name == page_query.since) for name, span in BY_NAME.items()],
        "own_since": "" if page_query.since in BY_NAME else page_query.since,
        "headline": gettext("No event can have these values.") if problems else sentence,
        "tone": "warn" if counts or problems else "good",
    }


def _page(page_query: EventsQuery, at: int) -> KeysetPage[ExceptionalEvent, Cursor]:
    is_oldest_first = page_query.sort == OLDEST_FIRST
    begin = key_of(page_query.after)
    return exceptional_page(page_query.filter(at), after=begin, limit=ROWS, is_oldest_first=is_oldest_first)


def _counts(page_query: EventsQuery, at: int) -> Mapping[int, int]:
    """By class, of this hour and the one before. A row is of one hour, so no event before them is counted."""
    counts = exceptional_by_class(replace(page_query.filter(at), since=_hour_before(at)))
    wanted = page_query.class_number
    return {number: times for number, times in counts.items() if wanted in (None, number)}


def _hour_before(at: int) -> int:
    """When the hour before this one began."""
    return at - at % HOUR_MS - HOUR_MS


def headline(counts: Mapping[int, int], at: int, *, is_filtered: bool, is_empty: bool) -> str:
    """Return the sentence of the page: events since the hour before this one began, and their most frequent class."""
    if is_empty:
        return (
            gettext("No exceptional event is like this.") if is_filtered else gettext("No exceptional event is kept.")
        )
    since = clock_words(moment(_hour_before(at)))
    if not counts:
        return gettext("No exceptional event since %(since)s; older ones are below.") % {"since": since}
    total, (often, times) = sum(counts.values()), max(counts.items(), key=lambda item: (item[1], -item[0]))
    words = ngettext("%(n)s exceptional event since %(since)s", "%(n)s exceptional events since %(since)s", total)
    values = {"n": f"{total:,}", "since": since, "name": event_name(often), "times": f"{times:,}"}
    ending = gettext(", all of them %(name)s.") if len(counts) == 1 else gettext(", most often %(name)s (%(times)s).")
    return (words + ending) % values


def _line(row: ExceptionalEvent, at: int) -> EventLine:
    return EventLine(
        row=row,
        last=moment(row.last_at),
        times=times_of(moment(row.first_at), moment(row.last_at), moment(at)),
        name=event_name(row.event_class),
        subclass=subclass_name(row.event_class, row.event_subclass),
        error=problem_words(row.error) if row.error else "",
        why=why_exceptional(row.event_class, row.event_subclass, row.error),
    )


def times_of(first: datetime, last: datetime, today: datetime) -> str:
    """The clock of the first and the last one, which are in the same hour, after their day where it is not today."""
    clocks = dict.fromkeys((clock_text(first, seconds=True), clock_text(last, seconds=True)))
    day = "" if day_text(last) == day_text(today) else f"{day_text(last)} "
    return day + " \N{EN DASH} ".join(clocks)


def _number(text: str, most: int) -> int | None:
    """A number from 1 to `most`; None: the text is none."""
    is_number = text.isdecimal() and text.isascii() and len(text) <= LONGEST_NUMBER
    return int(text) if is_number and 1 <= int(text) <= most else None


def _identifier(text: str) -> str | None:
    """An identifier as the tables have it; None: the text is none."""
    try:
        return parse_identifier(text) if text else None
    except Invalid:
        return None


def _moment(text: str) -> int | None:
    """A moment that a user wrote, in milliseconds since 1970; None: the text is none."""
    try:
        return to_milliseconds(read_moment(text)) if text else None
    except Invalid:
        return None


def key_of(text: str) -> Cursor | None:
    """Return the key of an address; a text that is none begins at the first row."""
    most = 10**LONGEST_NUMBER
    last_at, number = (_number(part, most) for part in text.partition(" ")[::2])
    return None if last_at is None or number is None else Cursor(last_at, number)


def as_rows(query: Mapping[str, str]) -> Iterator[tuple[Any, ...]]:
    """The rows of the file, with names of columns as REST has them."""
    page_query, at = EventsQuery.of(query), now()
    if any(page_query.problems()):
        return
    after: Cursor | None = None
    is_oldest_first = page_query.sort == OLDEST_FIRST
    for _page_number in range(FILE_ROWS // (ROWS * 10)):
        page = exceptional_page(page_query.filter(at), after=after, limit=ROWS * 10, is_oldest_first=is_oldest_first)
        yield from map(_cells, page.rows)
        after = page.after
        if after is None:
            return


def _cells(row: ExceptionalEvent) -> tuple[Any, ...]:
    return (
        *(moment(row.last_at), moment(row.first_at), row.occurrences, row.event_class),
        *(event_name(row.event_class), row.event_subclass or "", row.error or ""),
        why_exceptional(row.event_class, row.event_subclass, row.error),
        *(row.instance, row.database_name, row.target, row.address, row.text_data),
        *(row.conversation_id, row.conversation_handle),
    )
