"""Messages that waited on real servers when they were asked: the part of the page Delayed that imports bring."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from urllib.parse import urlencode

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import ngettext

from brokerui.analysis.explanations.origin import exact
from brokerui.analysis.lint.remedy_offer import ConversationOffer
from brokerui.analysis.monitoring.collected import (
    CollectedConversations,
    CollectedWaiting,
    collected_conversations,
    collected_waiting,
    databases_collected,
    most_urgent,
)
from brokerui.analysis.monitoring.collected_offers import collected_offers
from brokerui.estate.selectors import LiveEstate, estate_current, import_is_stale
from routing.common.duration import in_words
from routing.common.finding import INFO
from routing.common.moment import format_second
from routing.common.sentence import Sentence
from routing.lint.collected import StatusMeaning, age_of

SHOWN: Final = 100
"""Rows of the page; the findings and `collected/` have all."""
ASKED: Final = 1_000
"""Rows for which causes are looked up: of more, only the first."""


@dataclass(frozen=True, slots=True)
class CollectedRow:
    """A service and a status, as the page has it."""

    waiting: CollectedWaiting
    meaning: StatusMeaning
    where: str
    """The address of the page that explains where such messages go; empty where their service is not known."""
    age: Sentence | None
    offer: ConversationOffer | None
    """The remedy."""

    @property
    def collected_at(self) -> datetime | None:
        return self.waiting.queue.collected_at

    @property
    def is_stale(self) -> bool:
        return self.collected_at is not None and import_is_stale(self.collected_at)

    @property
    def is_harmless(self) -> bool:
        return self.meaning.severity == INFO


@dataclass(frozen=True, slots=True)
class ConversationsRow:
    """Conversations of a service in one state, as the page has them."""

    conversations: CollectedConversations

    @property
    def collected_at(self) -> datetime | None:
        return self.conversations.endpoints.collected_at

    @property
    def is_stale(self) -> bool:
        return self.collected_at is not None and import_is_stale(self.collected_at)


@dataclass(frozen=True, slots=True)
class _Collected:
    """Everything that the page shows of one version of the estate."""

    rows: list[CollectedRow]
    more: int
    messages: int
    conversations: list[ConversationsRow]
    more_conversations: int
    databases: int
    """Databases whose transmission queue was collected."""
    empty: int
    """Collected transmission queues without a message."""
    first_asked_at: datetime | None
    """The earliest moment at which one of the empty ones was asked; None: not known."""


class _LastCollected:
    key = ""
    found = _Collected([], 0, 0, [], 0, 0, 0, None)


def collected_context(live: LiveEstate) -> dict[str, Any]:
    """For the template: the rows, how many more there are, and the messages of all."""
    if _LastCollected.key != live.digest:
        _LastCollected.found = _collected(live)
        _LastCollected.key = live.digest
    found = _LastCollected.found
    return {
        "collected": found.rows,
        "collected_more": found.more,
        "collected_headline": headline(found.messages) if found.messages else "",
        "collected_empty": empty_words(found.empty, found.first_asked_at) if found.empty else "",
        "collected_conversations": found.conversations,
        "collected_conversations_more": found.more_conversations,
    }


def has_collected() -> bool:
    """Whether anything was collected of real servers, if only that nothing waited."""
    collected_context(estate_current())
    found = _LastCollected.found
    return bool(found.databases or found.conversations)


def empty_words(empty: int, first: datetime | None) -> str:
    """In how many databases nothing waited, and when that was asked first."""
    if first is None:
        words = ngettext(
            "In %(n)s database no message waited when its server was asked.",
            "In %(n)s databases no message waited when their servers were asked.",
            empty,
        )
        return words % {"n": f"{empty:,}"}
    words = ngettext(
        "In %(n)s database no message waited when its server was asked, at %(first)s.",
        "In %(n)s databases no message waited when their servers were asked, at %(first)s or later.",
        empty,
    )
    return words % {"n": f"{empty:,}", "first": format_second(first)}


def headline(messages: int) -> str:
    """The answer about real servers in one sentence."""
    return ngettext(
        "%(n)s message waited on real servers when they were asked.",
        "%(n)s messages waited on real servers when they were asked.",
        messages,
    ) % {"n": f"{messages:,}"}


def _collected(live: LiveEstate) -> _Collected:
    found = list(collected_waiting(live.estate))
    largest = sorted(found, key=lambda one: -one.row.messages)[:ASKED]
    at = timezone.now()
    urgent = most_urgent((one, one.meaning(live.estate, at)) for one in largest)[:SHOWN]
    offers = collected_offers(live.estate, urgent, at)
    conversations = collected_conversations(live.estate)
    queues = [held.database.transmission_queue for held in databases_collected(live.estate)]
    empty = [queue for queue in queues if queue is not None and not queue.rows and not queue.left_out]
    return _Collected(
        rows=[
            CollectedRow(one, words, where_of_row(one), _age(one, at), offer)
            for (one, words), offer in zip(urgent, offers, strict=True)
        ],
        more=len(found) - len(urgent),
        messages=sum(one.row.messages for one in found),
        conversations=list(map(ConversationsRow, conversations[:SHOWN])),
        more_conversations=max(0, len(conversations) - SHOWN),
        databases=len(queues),
        empty=len(empty),
        first_asked_at=min((queue.collected_at for queue in empty if queue.collected_at is not None), default=None),
    )


def where_of_row(one: CollectedWaiting) -> str:
    if one.row.to_service is None:
        return ""
    origin = f"{one.instance}/{one.database}"
    plain = origin if origin.count("/") == 1 else exact(one.instance, one.database)
    query = {
        "from": plain,
        "to": one.row.to_service,
        "broker": one.row.to_broker_instance or "",
        "service": one.row.from_service or "",
    }
    return f"{reverse('where:where')}?{urlencode({name: value for name, value in query.items() if value})}"


def _age(one: CollectedWaiting, at: datetime) -> Sentence | None:
    age = age_of(one.row, one.queue, at)
    return in_words(age) if age is not None else None
