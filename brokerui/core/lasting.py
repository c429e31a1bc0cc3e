"""How long an answer stays true while nothing is committed: ages in it grow, and the minutes of its charts end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

MINUTE_S, HOUR_S, DAY_S = 60, 3600, 86_400
Units = Sequence[tuple[float, float]]
"""Each a number of seconds, and the seconds of the smallest unit in which ages below it are written."""
TWO_UNITS: Final[Units] = ((MINUTE_S, 1), (DAY_S, MINUTE_S), (float("inf"), HOUR_S))
"""As `3 d 4 h`."""
ONE_UNIT: Final[Units] = ((HOUR_S, MINUTE_S), (DAY_S, HOUR_S), (float("inf"), DAY_S))
"""As `3 days ago`, and `just now` for the first minute."""
TRUE_TO: Final = 0.1
"""The part of an age, or of a time that is left, by which the one that is written may differ from the true one."""
LEAST_S: Final = 10.0
"""Words are kept for this time although an age in them is another one by then."""
LONGEST_S: Final = 120.0
"""Nothing is kept for longer: not everything that the clock changes is an age."""


@dataclass(slots=True)
class Lasting:
    """How long the words that were written until now stay true."""

    seconds: float = float("inf")
    is_passing: bool = False
    """Whether a figure is shown whose successor is on its way, or may be."""

    @property
    def kept_s(self) -> float:
        """The seconds for which the words are kept while nothing is committed."""
        return min(max(self.seconds, LEAST_S), LONGEST_S)


_noted: ContextVar[Lasting | None] = ContextVar("lasting", default=None)


@contextmanager
def lasting() -> Iterator[Lasting]:
    """Collect for the length of a `with` block how long the words that it writes last; an outer block knows it too."""
    found, outer = Lasting(), _noted.get()
    token = _noted.set(found)
    try:
        yield found
    finally:
        _noted.reset(token)
        if outer is not None:
            outer.seconds = min(outer.seconds, found.seconds)
            outer.is_passing |= found.is_passing


def lasts(seconds: float) -> None:
    """Note that words that are written now are others after this number of seconds."""
    noted = _noted.get()
    if noted is not None and seconds < noted.seconds:
        noted.seconds = seconds


def passes() -> None:
    """Note that a figure is shown which may be replaced without a commit."""
    noted = _noted.get()
    if noted is not None:
        noted.is_passing = True


def grows(age_s: float, units: Units = TWO_UNITS) -> None:
    """Note that an age, in seconds, is written: until when the same words say it, or nearly."""
    if _noted.get() is not None:
        age_s = max(0.0, age_s)
        unit = _unit(age_s, units)
        lasts(max(unit - age_s % unit, age_s * TRUE_TO))


def shrinks(left_s: float, units: Units = TWO_UNITS) -> None:
    """Note the same of a time that is left."""
    if _noted.get() is not None and left_s > 0:
        unit = _unit(left_s, units)
        lasts(max(left_s % unit or unit, left_s * TRUE_TO))


def _unit(seconds: float, units: Units) -> float:
    return next(unit for below, unit in units if seconds < below)
