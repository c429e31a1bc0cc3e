"""How a page, a file or a message writes a moment: in the zone and by the clock of its reader. Nothing else does it.

The zone is Django's current one, and the clock is a companion of it. Outside of a request both are those of the
product: UTC and 24 hours. Addresses, documents and REST write UTC: `routing.common.moment`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final

from django.utils import timezone as zones
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString

_hours: ContextVar[int] = ContextVar("hours", default=24)
_CLOCKS: Final = {24: ("H:i", "H:i:s"), 12: ("g:i A", "g:i:s A")}
"""Without and with seconds."""


@contextmanager
def shown_in(zone: tzinfo, hours: int) -> Iterator[None]:
    """Write moments in this zone, by a clock of 24 or 12 hours."""
    token = _hours.set(hours)
    try:
        with zones.override(zone):
            yield
    finally:
        _hours.reset(token)


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
    return date_format(local(at), _CLOCKS[_hours.get()][seconds])


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
    exact = moment_words(at, seconds=True)
    title = exact if is_utc() else f"{exact} = {utc_words(at)}"
    stamp = at.astimezone(UTC).isoformat(timespec="seconds")
    return format_html('<time{} datetime="{}" title="{}">{}</time>', _class(kind), stamp, title, text)


def _class(kind: str) -> SafeString | str:
    return format_html(' class="{}"', kind) if kind else ""


def axis_zone(last: datetime) -> timezone:
    """Return the offset of a whole axis of time: that of its last moment, so that no hour comes twice on it."""
    return timezone(local(last).utcoffset() or timedelta())


def axis_formats(last: datetime) -> tuple[str, str]:
    """Return Plotly's formats of a tick and of a tooltip by the clock of the reader."""
    clock = "%H:%M" if _hours.get() == 24 else "%-I:%M %p"
    return clock, f"%Y-%m-%d {clock} {offset_name(last)}"


def axis_title(last: datetime) -> str:
    """Name the zone of an axis: `UTC`, `Europe/Berlin, UTC+1`."""
    return "UTC" if is_utc() else f"{zone_name()}, {offset_name(last)}"
