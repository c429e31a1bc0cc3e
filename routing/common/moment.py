"""Moments: ISO 8601 texts and UTC datetimes."""

from __future__ import annotations

from datetime import UTC, datetime

from routing.common.errors import Invalid, must_be
from routing.common.sentence import say


def parse_moment(text: str) -> datetime:
    """A UTC datetime from ISO 8601; a text without an offset is UTC already."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise Invalid("", must_be(say("a date and time as ISO 8601, e.g. 2030-01-31T12:00:00Z"), text)) from None


def format_moment(moment: datetime) -> str:
    """ISO 8601 with a Z, as documents and answers write it."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")
