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
from brokerui.analysis.monitoring.collected import CollectedWaiting, collected_waiting, most_urgent
from brokerui.estate.selectors import LiveEstate, estate_current, import_is_stale
from routing.common.duration import in_words
from routing.common.finding import INFO
from routing.common.sentence import Sentence
from routing.lint.collected import ToldStatus, age_of

SHOWN: Final = 100
"""Rows of the page; the findings and `collected/` have all."""
ASKED: Final = 1_000
"""Rows for which causes are looked up: of more, only the first."""


@dataclass(frozen=True, slots=True)
class CollectedRow:
    """A service and a status, as the page has it."""

    waiting: CollectedWaiting
    told: ToldStatus
    where: str
    """The address of the page that explains where such messages go; empty where their service is not known."""
    age: Sentence | None

    @property
    def collected_at(self) -> datetime | None:
        return self.waiting.queue.collected_at

    @property
    def is_stale(self) -> bool:
        return self.collected_at is not None and import_is_stale(self.collected_at)

    @property
    def is_harmless(self) -> bool:
        return self.told.severity == INFO


class _LastCollected:
    key = ""
    rows: tuple[list[CollectedRow], int, int] = ([], 0, 0)


def collected_context(live: LiveEstate) -> dict[str, Any]:
    """For the template: the rows, how many more there are, and the messages of all."""
    if _LastCollected.key != live.digest:
        _LastCollected.rows = _rows(live)
        _LastCollected.key = live.digest
    rows, more, messages = _LastCollected.rows
    return {"collected": rows, "collected_more": more, "collected_headline": headline(messages) if messages else ""}


def has_collected() -> bool:
    """Whether anything was collected of real servers."""
    return bool(collected_context(estate_current())["collected"])


def headline(messages: int) -> str:
    """The answer about real servers in one sentence."""
    return ngettext(
        "%(n)s message waited on real servers when they were asked.",
        "%(n)s messages waited on real servers when they were asked.",
        messages,
    ) % {"n": f"{messages:,}"}


def _rows(live: LiveEstate) -> tuple[list[CollectedRow], int, int]:
    found = list(collected_waiting(live.estate))
    largest = sorted(found, key=lambda one: -one.row.messages)[:ASKED]
    at = timezone.now()
    told = most_urgent((one, one.told(live.estate, at)) for one in largest)[:SHOWN]
    rows = [CollectedRow(one, words, _where(one), _age(one, at)) for one, words in told]
    return rows, len(found) - len(rows), sum(one.row.messages for one in found)


def _where(one: CollectedWaiting) -> str:
    if one.row.to_service is None:
        return ""
    origin = f"{one.instance}/{one.database}"
    plain = origin if origin.count("/") == 1 else exact(one.instance, one.database)
    asked = {
        "from": plain,
        "to": one.row.to_service,
        "broker": one.row.to_broker_instance or "",
        "service": one.row.from_service or "",
    }
    return f"{reverse('where:where')}?{urlencode({name: value for name, value in asked.items() if value})}"


def _age(one: CollectedWaiting, at: datetime) -> Sentence | None:
    age = age_of(one.row, one.queue, at)
    return in_words(age) if age is not None else None
