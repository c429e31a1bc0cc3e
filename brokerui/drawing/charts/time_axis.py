"""The axis of time of a figure, in the zone of its reader.

Plotly knows no zones: it draws the time of day that it is given. A whole axis has one distance from UTC, that of its
last moment, so that the hour which comes twice at the end of summer time does not fold a line back; the title names it.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from brokerui.core.moments import axis_formats, axis_title, axis_zone
from brokerui.drawing.charts.look import LINE, MUTED

MINUTE_MS: Final = 60_000
DAY_MS: Final = 24 * 60 * MINUTE_MS
DAYS_MS: Final = 36 * 60 * MINUTE_MS
"""The hours of an axis of more than this many milliseconds have their day beside them."""
TITLE: Final = 18
"""Pixels of the title."""


class TimeAxis:
    """An axis from one moment to another, in milliseconds since 1970."""

    def __init__(self, first: int, last: int) -> None:
        self._first, self._last = first, last
        self._end = _moment(last)
        self._zone = axis_zone(self._end)

    def at(self, moment: int) -> str:
        """As Plotly takes a moment: whole seconds of it."""
        return f"{_moment(moment).astimezone(self._zone):%Y-%m-%d %H:%M:%S}"

    def figure(self, anchor: str, **more: Any) -> dict[str, Any]:
        """Return the axis, which stands below the axis `anchor`."""
        clock, exact, hover = axis_formats(self._end)
        font = {"size": 11, "color": MUTED}
        return {
            "type": "date",
            "range": [self.at(self._first), self.at(self._last)],
            "anchor": anchor,
            "fixedrange": False,
            "showgrid": False,
            "linecolor": LINE,
            "tickfont": font,
            "tickformatstops": [
                {"dtickrange": [None, MINUTE_MS - 1], "value": exact},
                {"dtickrange": [MINUTE_MS, DAY_MS - 1], "value": f"{self._day()}{clock}"},
                {"dtickrange": [DAY_MS, None], "value": "%d.%m."},
            ],
            "hoverformat": hover,
            "title": {"text": axis_title(self._end), "font": font, "standoff": 2},
            **more,
        }

    def _day(self) -> str:
        """Each tick of a long axis has its day: two at noon are told apart."""
        return "%d.%m. " if self._last - self._first > DAYS_MS else ""


def _moment(at: int) -> datetime:
    return datetime.fromtimestamp(at / 1000, UTC)
