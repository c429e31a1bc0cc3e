"""Preferences of a user: their values, and how the product is where nobody has chosen.

A zone is UTC unless its user chooses another: logs, documents and REST are in UTC, and the server cannot know the zone
of a browser before it answers. The page of the preferences offers the browser's own zone.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from routing.common.errors import Invalid, must_be
from routing.common.sentence import say

THEMES: Final = ("auto", "light", "dark")
DENSITIES: Final = ("comfortable", "compact")
CLOCKS: Final = (24, 12)
UTC_NAME: Final = "UTC"
ZONE_CHARS: Final = 64
_NO_PLACES: Final = {"Factory", "localtime"}


@dataclass(frozen=True, slots=True)
class Preferences:
    """Choices that hold on every page; as they stand here, those of the product."""

    theme: str = THEMES[0]
    density: str = DENSITIES[0]
    zone: str = UTC_NAME
    """A name of the IANA database, as `Europe/Berlin`."""
    clock: int = CLOCKS[0]
    """Hours of the clock."""
    keys: bool = True
    """Whether single keys act."""


NAMES: Final = tuple(field.name for field in fields(Preferences))
DEFAULTS: Final = Preferences()


def preferences_checked(given: dict[str, Any]) -> dict[str, Any]:
    """Return the choices as they are stored. Raises `Invalid` with the name of the first one that cannot be."""
    return {name: _checked(name, value) for name, value in given.items()}


def _checked(name: str, value: Any) -> Any:
    known: dict[str, tuple[Any, ...]] = {
        "theme": THEMES,
        "density": DENSITIES,
        "clock": CLOCKS,
        "keys": (True, False),
    }
    if name == "zone":
        return _zone_checked(value)
    if value not in known[name]:
        raise Invalid(name, must_be(say("one of {known}", known=known[name]), value))
    return value


def _zone_checked(text: str) -> str:
    """Return the zone as the IANA database writes it; users type it in any case, and with spaces."""
    zone = _by_lower().get(text.strip().replace(" ", "_").lower())
    if zone is None:
        raise Invalid("zone", must_be(say("a time zone as the IANA database names it, e.g. Europe/Berlin"), text))
    return zone


@cache
def zone_names() -> tuple[str, ...]:
    """Every zone, UTC first."""
    return (UTC_NAME, *sorted(available_timezones() - _NO_PLACES - {UTC_NAME}))


@cache
def _by_lower() -> dict[str, str]:
    return {name.lower(): name for name in zone_names()}


def zone_of(name: str) -> ZoneInfo:
    """Return a zone; UTC where this machine does not know the name any more."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return ZoneInfo(UTC_NAME)
