"""Reading the audit, the latest entry first."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, NamedTuple

from django.db.models import Q, QuerySet

from brokerui.core.paging import KeysetPage
from brokerui.estate.models import AuditEntry
from routing.common.moment import EPOCH

LATEST: Final = 1_000
"""Entries whose actions are suggested."""


class AuditKey(NamedTuple):
    """The entry after which a page begins."""

    at: datetime
    id: int

    @classmethod
    def of(cls, microseconds: int, number: int) -> AuditKey:
        """Return the key that `numbers` gave. Raises `OverflowError` for a moment that no calendar has."""
        return cls(EPOCH + timedelta(microseconds=microseconds), number)

    def numbers(self) -> tuple[int, int]:
        """Return the key for an address: microseconds since 1970, and the number of the entry."""
        return (self.at - EPOCH) // timedelta(microseconds=1), self.id


@dataclass(frozen=True, slots=True)
class AuditFilter:
    """Selects entries; None or empty restricts nothing."""

    author: str = ""
    action: str = ""
    """A whole action, or its beginning as `user.`."""
    about: str = ""
    """A part of the note, which names the object."""
    since: datetime | None = None
    until: datetime | None = None


def audit_page(wanted: AuditFilter, *, after: AuditKey | None, limit: int) -> KeysetPage[AuditEntry, AuditKey]:
    """Return a page of entries; it costs the same however many there are before it."""
    rows = _entries(wanted)
    if after is not None:
        rows = rows.filter(Q(at__lt=after.at) | Q(id__lt=after.id), at__lte=after.at)
    found = list(rows.order_by("-at", "-id")[: limit + 1])
    last = found[limit - 1] if len(found) > limit else None
    return KeysetPage(tuple(found[:limit]), AuditKey(last.at, last.pk) if last else None)


def latest_actions() -> list[str]:
    """Return the actions of the latest entries, by name."""
    return sorted(set(AuditEntry.objects.order_by("-at", "-id").values_list("action", flat=True)[:LATEST]))


def _entries(wanted: AuditFilter) -> QuerySet[AuditEntry]:
    given = {
        "author": wanted.author or None,
        "action__startswith": wanted.action or None,
        "note__icontains": wanted.about or None,
        "at__gte": wanted.since,
        "at__lt": wanted.until,
    }
    rows = AuditEntry.objects.filter(**{name: value for name, value in given.items() if value is not None})
    names = ("at", "author", "address", "action", "note", "changes", "version__number")
    return rows.select_related("version").only(*names)
