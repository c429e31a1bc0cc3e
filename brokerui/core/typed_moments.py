"""Moments that users type: in the zone of their pages, unless the text has an offset, a `Z` or `UTC`."""

from __future__ import annotations

import re
from datetime import UTC, datetime, tzinfo
from typing import Final

from django.utils import timezone

from brokerui.core.moments import moment_words, offset_name, zone_name
from routing.common.errors import Invalid
from routing.common.moment import format_moment, typed_moment
from routing.common.sentence import say

_OFFSET: Final = re.compile(r"\s*UTC([+-])(\d{1,2})(?::(\d\d))?$", re.IGNORECASE)
_HALF_DAY: Final = re.compile(r"\b(\d{1,2})(:\d\d(?::\d\d)?)\s*([AP])M\b", re.IGNORECASE)


def read_moment(text: str) -> datetime:
    """Read a moment as UTC. Raises `Invalid` for a text that is none, and for a time of day that the zone does not have
    on that day, or has twice."""
    words = _HALF_DAY.sub(_whole_day, _OFFSET.sub(_offset, text.strip()))
    try:
        naive = datetime.fromisoformat(words)
    except ValueError:
        return typed_moment(words)
    return typed_moment(words) if naive.tzinfo is not None else _in_zone(naive)


def canonical(text: str) -> str:
    """Write a moment that has no zone of its own in UTC, for an address; any other text stays as it is."""
    if "-" not in text:
        return text  # the number of a version reads like a day
    try:
        is_naive = datetime.fromisoformat(_HALF_DAY.sub(_whole_day, text.strip())).tzinfo is None
        return format_moment(read_moment(text)) if is_naive else text
    except (Invalid, ValueError, OverflowError):
        return text


def field_text(at: datetime) -> str:
    """Write a moment for a field, as `read_moment` reads it: with its zone."""
    return moment_words(at)


def document_text(text: str) -> str:
    """Write the lifetime of a form as documents have it, in UTC; a text that is no moment stays, for the error
    of its reader. Raises `Invalid` for a time of day that the zone does not have, or has twice."""
    try:
        datetime.fromisoformat(_HALF_DAY.sub(_whole_day, _OFFSET.sub(_offset, text.strip())))
    except ValueError:
        return text
    return format_moment(read_moment(text))


def _in_zone(naive: datetime) -> datetime:
    zone = timezone.get_current_timezone()
    first, second = _utc(naive, zone, 0), _utc(naive, zone, 1)
    if first == second:
        return first
    if first > second:
        raise Invalid("", say("is no time of {zone}: the clock is put forward over it", zone=zone_name()))
    raise Invalid(
        "",
        say(
            "comes twice in {zone}: write {first} or {second} behind it",
            zone=zone_name(),
            first=offset_name(first),
            second=offset_name(second),
        ),
    )


def _utc(naive: datetime, zone: tzinfo, fold: int) -> datetime:
    try:
        return naive.replace(tzinfo=zone, fold=fold).astimezone(UTC)
    except OverflowError:
        return naive.replace(tzinfo=UTC)


def _offset(found: re.Match[str]) -> str:
    sign, hours, minutes = found.groups()
    return f"{sign}{hours:0>2}:{minutes or '00'}"


def _whole_day(found: re.Match[str]) -> str:
    """Write `2:05 PM` as `14:05`; an hour that the clock does not have stays, and is refused."""
    hour, rest, half = int(found[1]), found[2], found[3].upper()
    if not 1 <= hour <= 12:
        return found[0]
    return f"{hour % 12 + (12 if half == 'P' else 0):02}{rest}"
