"""The list of real servers, and the page of one: freshness, holdings, causes, databases, collections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from brokerui.accounts.levels import UserAccess
from brokerui.analysis.overview.real_servers import RealServer, servers_now
from brokerui.analysis.overview.server_causes import causes_of_server
from brokerui.analysis.servers.models import CollectedDatabase
from brokerui.analysis.servers.selectors import LeftConversations, collections_of, databases_of, latest_events
from brokerui.api.ids import id_of
from brokerui.core.paging import Page, page_number
from brokerui.core.templatetags.look import figure
from brokerui.estate.selectors import LiveEstate
from brokerui.messaging.transmission_status import problem_words
from brokerui.pages.overview.steps import with_step
from brokerui.pages.shell.columns import Column, Table
from routing.catalog.broker_log import BrokerEvent
from routing.common.sentence import Sentence, translator
from routing.dialog.status_catalogue import BY_NUMBER
from routing.dialog.status_texts import status_kind

translate = translator(gettext, ngettext)
EVENTS: Final = 50
"""Errors of a log that are shown, the most frequent."""


@dataclass(frozen=True, slots=True)
class ServerOnPage:
    """A server with its address and its largest leak."""

    server: RealServer
    leak: LeftConversations | None

    @property
    def id(self) -> str:
        return id_of((self.server.name,))

    @property
    def key(self) -> tuple[object, ...]:
        """Everything that a row shows of it, but ages."""
        one, left = self.server, self.leak.left if self.leak is not None else None
        last = one.last.pk if one.last is not None else None
        return one.name, one.databases, one.held, one.is_stale, last, left, self.leak_id

    @property
    def leak_id(self) -> str:
        return id_of((self.leak.server, self.leak.database)) if self.leak is not None else ""


@dataclass(frozen=True, slots=True)
class DatabaseOnPage:
    """A database with the sums of its last collections."""

    name: str
    leak_id: str
    messages: int | None
    messages_at: datetime | None
    endpoints: int | None
    left: int
    endpoints_at: datetime | None


@dataclass(frozen=True, slots=True)
class EventOnPage:
    """An error of a log with its cause."""

    event: BrokerEvent
    cause: str
    next_step: Sentence | None


TABLE: Final[Table[ServerOnPage]] = Table(
    Column("name", _("Server"), lambda one: one.server.name, is_head=True),
    Column("age", _("Age of the collection"), lambda one: one.server.age, is_number=True),
    Column("held", _("Messages held"), lambda one: one.server.held, is_number=True),
    Column("left", _("Left over"), lambda one: one.leak.left if one.leak else None, is_number=True),
)


def list_context(query: Mapping[str, str]) -> dict[str, Any]:
    """For a page of the list; the headline is about all servers. Raises `BadAddressError`."""
    table = TABLE.read(query)
    _live, servers, leaks = servers_now()
    largest: dict[str, LeftConversations] = {}
    for leak in leaks:
        largest.setdefault(leak.server, leak)
    found = table.ordered(ServerOnPage(server, largest.get(server.name)) for server in servers)
    stale, page = sum(server.is_stale for server in servers), Page.of(found, page_number(query.get("page", "")))
    return {
        "page": page,
        "table": table,
        "before": page.before and urlencode(table.own | {"page": page.before}),
        "after": page.after and urlencode(table.own | {"page": page.after}),
        "servers": page.shown,
        "headline": list_headline(servers),
        "stale": stale,
        "stale_days": settings.ESTATE_STALE_DAYS,
    }


def list_headline(servers: Sequence[RealServer]) -> str:
    """The answer in one sentence."""
    held, leaking = sum(one.held for one in servers), sum(one.leaks > 0 for one in servers)
    if not servers:
        return gettext("No real server is known yet")
    if held:
        return ngettext(
            "%(n)s message was held on real servers when they were asked",
            "%(n)s messages were held on real servers when they were asked",
            held,
        ) % {"n": figure(held)}
    if leaking:
        return ngettext("%(n)s server leaves conversations over", "%(n)s servers leave conversations over", leaking) % {
            "n": figure(leaking)
        }
    if all(one.last is None for one in servers):
        return gettext("No real server was asked for its messages yet")
    return gettext("No message was held on a real server when it was asked")


def server_context(name: str, access: UserAccess) -> dict[str, Any] | None:
    """For the page of one server; None where it is none."""
    live, servers, leaks = servers_now()
    server = next((one for one in servers if one.name == name), None)
    if server is None:
        return None
    causes = causes_of_server(live, name, timezone.now())
    events = latest_events(name)
    return {
        "server": server,
        "headline": server_headline(server),
        "entries": [with_step(entry, access) for entry in causes],
        "databases": _databases(live, name, leaks),
        "collections": collections_of(name),
        "events": [_event(one) for one in events[1][:EVENTS]] if events is not None else [],
        "events_at": events[0] if events is not None else None,
        "events_more": max(0, len(events[1]) - EVENTS) if events is not None else 0,
    }


def server_headline(server: RealServer) -> str:
    """The answer about one server in one sentence."""
    if server.held:
        return ngettext(
            "%(n)s message was held on %(server)s when it was asked",
            "%(n)s messages were held on %(server)s when it was asked",
            server.held,
        ) % {"n": figure(server.held), "server": server.name}
    if server.leaks:
        return ngettext(
            "%(n)s database of %(server)s leaves conversations over",
            "%(n)s databases of %(server)s leave conversations over",
            server.leaks,
        ) % {"n": figure(server.leaks), "server": server.name}
    if server.last is None:
        return gettext("%(server)s was never asked for its messages") % {"server": server.name}
    return gettext("No message was held on %(server)s when it was asked") % {"server": server.name}


def _databases(live: LiveEstate, name: str, left: Iterable[LeftConversations]) -> list[DatabaseOnPage]:
    """The databases of a server, those that leave most over first."""
    rows = databases_of(name)
    messages = {row.name: row for row in rows if row.has_latest_messages}
    endpoints = {row.name: row for row in rows if row.has_latest_endpoints}
    leaks = {leak.database: leak for leak in left if leak.server == name}
    names = list(dict.fromkeys([*(row.name for row in rows), *leaks, *_collected(live, name)]))
    found = [_database(live, name, each, messages.get(each), endpoints.get(each), leaks.get(each)) for each in names]
    return sorted(found, key=lambda one: (-(one.messages or 0), -one.left, one.name))


def _collected(live: LiveEstate, name: str) -> list[str]:
    """Databases whose sums the estate has."""
    databases = live.estate.instances[name].databases.values()
    return [one.name for one in databases if one.transmission_queue or one.conversation_endpoints]


def _database(
    live: LiveEstate,
    server: str,
    name: str,
    messages: CollectedDatabase | None,
    endpoints: CollectedDatabase | None,
    leak: LeftConversations | None,
) -> DatabaseOnPage:
    known = live.estate.instances[server].databases.get(name)
    queue = known.transmission_queue if known is not None else None
    sums = known.conversation_endpoints if known is not None else None
    messages_at: datetime | None
    endpoints_at: datetime | None
    if messages is not None:
        held, messages_at = messages.messages, messages.collection.collected_at
    else:
        held, messages_at = (queue.messages, queue.collected_at) if queue is not None else (None, None)
    if endpoints is not None:
        count, endpoints_at = sum((endpoints.states or {}).values()), endpoints.collection.collected_at
    else:
        count, endpoints_at = (sums.endpoints, sums.collected_at) if sums is not None else (None, None)
    left = leak.left if leak is not None else 0
    return DatabaseOnPage(name, id_of((server, name)), held, messages_at, count, left, endpoints_at)


def _event(event: BrokerEvent) -> EventOnPage:
    """With the sentences that a transmission status with the same text gets."""
    kind = status_kind(event.text) or BY_NUMBER.get(event.number)
    if kind is not None:
        return EventOnPage(event, kind.cause.render(translate), kind.next_step)
    return EventOnPage(event, problem_words(event.number) if event.number else "", None)
