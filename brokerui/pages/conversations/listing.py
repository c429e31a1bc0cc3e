"""The list of conversations: filters, a page by its key, and how long the messages of each have waited."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.db.models import Min
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from brokerui.analysis.monitoring.wording import age_now
from brokerui.core.csv import MomentColumn
from brokerui.core.paging import KeysetPage
from brokerui.messaging.broker_cache import hosted_names
from brokerui.messaging.clock import now
from brokerui.messaging.keyset_views import Key
from brokerui.messaging.models import OutgoingMessage
from brokerui.messaging.selectors import EndpointRow, conversation_endpoints
from brokerui.pages.conversations.wording import STATE_WORDS, lives_until
from brokerui.pages.shell.columns import Column, Table
from brokerui.pages.shell.list_query import ListQuery
from routing.common.moment import from_milliseconds

ROWS: Final = 100
"""Rows of a page; the file has at most `FILE_ROWS`."""
FILE_ROWS: Final = 10_000
ALL: Final = "all"
"""In place of a state: closed ones as well. A busy target keeps many, against replays."""
ROLES: Final = {"initiator": _("Initiator"), "target": _("Target")}
COLUMNS: Final = (
    *("instance", "database", "conversation_handle", "conversation_id", "is_initiator", "service_name", "far_service"),
    *("state", "priority", "to_send", MomentColumn("lifetime"), "conversation_group_id"),
)


TABLE: Final[Table[EndpointRow]] = Table(
    Column("handle", _("Handle"), lambda row: row.conversation_handle, is_head=True, files=("conversation_handle",)),
    Column("id", _("Identifier"), lambda row: row.conversation_id, is_usual=False, files=("conversation_id",)),
    Column("side", _("Side"), files=("instance", "database", "is_initiator")),
    Column("state", _("State"), files=("state",)),
    Column("service", _("Own service"), files=("service_name",)),
    Column("far_service", _("Other service"), files=("far_service",)),
    Column("to_send", _("To send"), is_number=True, files=("to_send",)),
    Column("waits", _("Waits for")),
    Column("priority", _("Priority"), is_usual=False, is_number=True, files=("priority",)),
    Column("group", _("Group"), is_usual=False, files=("conversation_group_id",)),
    Column("lives", _("Lives until"), is_moment=True, files=("lifetime",)),
)
"""There may be millions of rows, which come by a key that has an index: no other column sorts."""


@dataclass(frozen=True, slots=True)
class ConversationsQuery(ListQuery):
    """The values of the page's address; empty ones restrict nothing."""

    FILTERS = ("instance", "database", "service", "far_service", "state", "role")
    instance: str = ""
    database: str = ""
    service: str = ""
    far_service: str = ""
    state: str = ""
    role: str = ""
    after: str = ""
    """The key that the page begins after."""
    sort: str = ""
    columns: str = ""
    find: str = ""
    """A handle, or the identifier of a conversation."""

    def where(self) -> dict[str, Any]:
        """The columns to compare."""
        state = "" if self.state == ALL else self.state
        given = {"instance": self.instance, "database": self.database, "state": state}
        given |= {"service_name": self.service, "far_service": self.far_service}
        wanted: dict[str, Any] = {name: value for name, value in given.items() if value}
        return wanted | ({"is_initiator": self.role == "initiator"} if self.role else {})

    @property
    def order(self) -> str:
        """The key that rows come by, after a minus where the largest comes first."""
        return self.sort or "handle"

    @property
    def is_by_conversation(self) -> bool:
        return self.order.removeprefix("-") == "id"

    def page(self, after: Key | None, limit: int) -> KeysetPage[EndpointRow, Key]:
        """Rows after a key, in the order of the address."""
        return conversation_endpoints(self.where(), after, limit, with_closed=bool(self.state), order=self.order)

    @property
    def begin(self) -> Key | None:
        """The key of the address; a text that is none begins at the first row."""
        guid, *sides, instance = self.after.split(" ") if " " in self.after else ("", "")
        is_number = instance.isdecimal() and instance.isascii() and len(instance) <= len("32767")
        is_key = guid and is_number and len(sides) == self.is_by_conversation and set(sides) <= {"0", "1"}
        return (guid, *(side == "1" for side in sides), int(instance)) if is_key else None

    @property
    def following(self) -> str:
        """The words for the order of the rows."""
        if self.is_by_conversation:
            return gettext("By conversation, so that both its ends follow each other")
        return gettext("By handle")

    def problems(self) -> Iterator[str]:
        """Sentences about values that no conversation has."""
        if self.state not in ("", ALL, *STATE_WORDS):
            yield gettext("There is no state %(state)s: conversations are %(states)s.") % {
                "state": self.state,
                "states": ", ".join(STATE_WORDS),
            }
        if self.role and self.role not in ROLES:
            yield gettext("A side is initiator or target, not %(role)s.") % {"role": self.role}
        if self.instance and self.instance not in hosted_names():
            yield gettext("No instance %(name)s is hosted here.") % {"name": self.instance}


@dataclass(frozen=True, slots=True)
class ConversationLine:
    """A row of the list, in words."""

    row: EndpointRow
    state: str
    waits: str
    """How long the oldest message that it has to send has waited; empty: it has none."""
    lives: str
    """Until when it lives; empty: its lifetime was left at the longest."""

    @property
    def short(self) -> str:
        return f"{self.row.conversation_handle[:8]}…"


def page_context(query: Mapping[str, str]) -> dict[str, Any]:
    """For the templates."""
    table, page_query, at = TABLE.read(query), ConversationsQuery.of(query), now()
    problems = list(page_query.problems())
    page = None if problems else page_query.page(page_query.begin, ROWS)
    rows = page.rows if page else ()
    following = page_query.query(after=" ".join(_key_parts(page.after))) if page and page.after else ""
    return {
        "page_query": page_query,
        "problems": problems,
        "table": table,
        "conversations": _lines(rows, at),
        "next_rows": following,
        "first_rows": page_query.query() if page_query.after else "",
        "states": [(code, words, code == page_query.state) for code, words in _states()],
        "roles": [(role, words, role == page_query.role) for role, words in ROLES.items()],
        "instances": [(name, name == page_query.instance) for name in sorted(hosted_names())],
        "headline": gettext("No conversation can have these values.")
        if problems
        else _headline(page_query, rows, following),
        "tone": "warn" if problems or any(row.outgoing for row in rows) else "good",
    }


def _states() -> list[tuple[str, str]]:
    """The choice of states: those that are not closed are what an operator looks for first."""
    own = [(code, f"{code} {words}") for code, words in STATE_WORDS.items()]
    return [("", gettext("all but closed")), (ALL, gettext("all, closed ones too")), *own]


def _lines(rows: Sequence[EndpointRow], at: int) -> list[ConversationLine]:
    waiting = {row.conversation_handle for row in rows if row.outgoing}
    oldest = OutgoingMessage.objects.filter(conversation_handle__in=waiting).values_list("conversation_handle")
    since = dict(oldest.annotate(oldest=Min("enqueue_time"))) if waiting else {}
    return [_line(row, since.get(row.conversation_handle), at) for row in rows]


def _line(row: EndpointRow, since: int | None, at: int) -> ConversationLine:
    waits = age_now(at - since) if since is not None else ""
    return ConversationLine(row, str(STATE_WORDS[row.state]), waits, lives_until(row.lifetime, at))


def _headline(query: ConversationsQuery, rows: Sequence[EndpointRow], following: str) -> str:
    if not rows:
        return gettext("No conversation is like this.") if query.is_filtered else gettext("There is no conversation.")
    is_part = bool(following or query.after)
    counted = ngettext("%(n)s conversation endpoint", "%(n)s conversation endpoints", len(rows))
    counted = gettext("%(n)s conversation endpoints on this page") if is_part else counted
    sending = sum(bool(row.outgoing) for row in rows)
    ending = ngettext("; %(m)s has messages to send.", "; %(m)s have messages to send.", sending) if sending else "."
    return (counted + ending) % {"n": f"{len(rows):,}", "m": f"{sending:,}"}


def _key_parts(key: Key) -> Iterator[str]:
    """The parts of a key for an address. PostgreSQL has a truth value where SQLite has 0 or 1."""
    return (part if isinstance(part, str) else str(int(part)) for part in key)


def as_rows(query: Mapping[str, str]) -> Iterator[tuple[Any, ...]]:
    """The rows of the file, with names of columns as sys.conversation_endpoints has them."""
    page_query, left = ConversationsQuery.of(query), FILE_ROWS
    after: Key | None = None
    if any(page_query.problems()):
        return
    while left > 0:
        page = page_query.page(after, min(left, ROWS * 10))
        yield from (_cells(row) for row in page.rows)
        left, after = left - len(page.rows), page.after
        if after is None:
            return


def _cells(row: EndpointRow) -> tuple[Any, ...]:
    lifetime = from_milliseconds(row.lifetime)
    return (
        *(row.instance, row.database, row.conversation_handle, row.conversation_id, int(row.is_initiator)),
        *(row.service_name, row.far_service, row.state, row.priority, row.outgoing, lifetime),
        row.conversation_group_id,
    )
