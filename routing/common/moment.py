"""Points in time: ISO 8601 texts, UTC datetimes, and the engine's milliseconds."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from routing.common.errors import Invalid, must_be
from routing.common.sentence import say

_UTC = re.compile(r"\s*\bUTC$", re.IGNORECASE)


def parse_moment(text: str) -> datetime:
    """Read a UTC datetime from ISO 8601; a text without an offset counts as UTC."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise Invalid("", must_be(say("a date and time as ISO 8601, e.g. 2030-01-31T12:00:00Z"), text)) from None


def typed_moment(text: str) -> datetime:
    """Read a moment that somebody typed, or copied from a page (`2030-01-31 12:00:00 UTC`) or from an address."""
    words = _UTC.sub("", text.strip())
    if "T" in words:
        words = words.replace(" ", "+")  # a plus sign that was not escaped in an address arrives as a space
    try:
        return parse_moment(words)
    except Invalid:
        return parse_moment(text)  # raises an error that quotes the text as typed


def format_moment(moment: datetime) -> str:
    """Write ISO 8601 with a Z, as in documents and answers."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


def format_second(moment: datetime) -> str:
    """Write ISO 8601 with a Z, to the second, as sentences have it."""
    return format_moment(moment.replace(microsecond=0))


EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def from_milliseconds(now_ms: int) -> datetime:
    """Convert the engine's time (milliseconds since 1970) to a UTC datetime."""
    return EPOCH + timedelta(milliseconds=now_ms)


def to_milliseconds(moment: datetime) -> int:
    """Convert a UTC datetime to the engine's time (milliseconds since 1970), rounded down."""
    return (moment - EPOCH) // timedelta(milliseconds=1)
