"""How a page, a file or a message writes a moment: in the zone and by the clock of its reader. Nothing else does it.

The zone is Django's current one, and the clock is a companion of it. Outside of a request both are those of the
product: UTC and 24 hours. Addresses, documents and REST write UTC: `routing.common.moment`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import Final

from django.utils import timezone as zones
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language

MOST_TAGS: Final = 4_000
_hours: ContextVar[int] = ContextVar("hours", default=24)
_CLOCK: Final = ("g:i A", "g:i:s A")
"""Of 12 hours, without and with seconds."""


@contextmanager
def shown_in(zone: tzinfo, hours: int) -> Iterator[None]:
    """Write moments in this zone, by a clock of 24 or 12 hours."""
    token = _hours.set(hours)
    try:
        with zones.override(zone):
            yield
    finally:
        _hours.reset(token)


def reading() -> tuple[str, int]:
    """Return zone and clock of the reader: everything that the writing of a moment depends on beside the language."""
    return zones.get_current_timezone_name(), _hours.get()


def local(at: datetime) -> datetime:
    """Return the same moment in the zone of the reader."""
    return at.astimezone(zones.get_current_timezone())


def zone_name() -> str:
    """Return the name of the zone: `UTC`, `Europe/Berlin`."""
    return zones.get_current_timezone_name()


def is_utc() -> bool:
    """Whether the reader's zone is UTC itself."""
    return zone_name() == "UTC"


def offset_name(at: datetime) -> str:
    """Return the distance of the zone from UTC at a moment: `UTC`, `UTC+1`, `UTC+5:30`."""
    return _offset_text(local(at).utcoffset() or timedelta())


def _offset_text(offset: timedelta) -> str:
    minutes = round(offset.total_seconds() / 60)
    if not minutes:
        return "UTC"
    hours, left = divmod(abs(minutes), 60)
    return f"UTC{'-' if minutes < 0 else '+'}{hours}{f':{left:02}' if left else ''}"


def day_text(at: datetime) -> str:
    """Write the day: `2030-01-31`."""
    return f"{local(at):%Y-%m-%d}"


def clock_text(at: datetime, *, seconds: bool = False) -> str:
    """Write the time of the day: `14:05`, `2:05 PM`."""
    there = local(at)
    if _hours.get() == 24:
        return f"{there:%H:%M:%S}" if seconds else f"{there:%H:%M}"  # as date_format does, in a tenth of its time
    return date_format(there, _CLOCK[seconds])


def clock_text_ms(at: datetime) -> str:
    """Write the time of the day to the millisecond: `14:05:09.120`."""
    there = local(at)
    if _hours.get() == 24:
        return f"{there:%H:%M:%S}.{there.microsecond // 1000:03}"
    return f"{date_format(there, 'g:i:s')}.{there.microsecond // 1000:03} {date_format(there, 'A')}"


def moment_text(at: datetime, *, seconds: bool = False) -> str:
    """Write a day with its time, for a place that names the zone itself."""
    return f"{day_text(at)} {clock_text(at, seconds=seconds)}"


def moment_words(at: datetime, *, seconds: bool = False) -> str:
    """Write a day with its time and zone: `2030-01-31 14:05 UTC+1`."""
    return f"{moment_text(at, seconds=seconds)} {offset_name(at)}"


def clock_words(at: datetime, *, seconds: bool = False) -> str:
    """Write the time of the day with its zone: `14:05 UTC+1`."""
    return f"{clock_text(at, seconds=seconds)} {offset_name(at)}"


def utc_words(at: datetime) -> str:
    """Write a moment in UTC, whatever the zone of the reader: `2030-01-31 13:05:00 UTC`."""
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def file_moment(at: datetime) -> str:
    """Write a moment for a file: ISO 8601 with the offset of the reader's zone."""
    return local(at).isoformat()


def time_tag(at: datetime, text: str, kind: str = "") -> SafeString:
    """Return `text` as the time element of a moment. Its tooltip has the exact moment; in another zone also in UTC."""
    return format_html("{}{}</time>", _time_begins(at, kind, get_language(), reading()), text)


@lru_cache(MOST_TAGS)
def _time_begins(at: datetime, kind: str, _language: str | None, _reading: tuple[str, int]) -> SafeString:
    """Kept: a table that is shown again has the same moments."""
    exact = moment_words(at, seconds=True)
    title = exact if is_utc() else f"{exact} = {utc_words(at)}"
    stamp = at.astimezone(UTC).isoformat(timespec="seconds")
    class_ = format_html(' class="{}"', kind) if kind else ""
    return format_html('<time{} datetime="{}" title="{}">', class_, stamp, title)


def axis_zone(last: datetime) -> timezone:
    """Return the offset of a whole axis of time: that of its last moment, so that no hour comes twice on it."""
    return timezone(local(last).utcoffset() or timedelta())


def axis_formats(last: datetime) -> tuple[str, str, str]:
    """Return Plotly's formats of a tick, of one with seconds, and of a tooltip, by the clock of the reader."""
    clock, exact = ("%H:%M", "%H:%M:%S") if _hours.get() == 24 else ("%-I:%M %p", "%-I:%M:%S %p")
    return clock, exact, f"%Y-%m-%d {clock} {offset_name(last)}"


def axis_title(last: datetime) -> str:
    """Name the zone of an axis: `UTC`, `Europe/Berlin, UTC+1`."""
    return "UTC" if is_utc() else f"{zone_name()}, {offset_name(last)}"
