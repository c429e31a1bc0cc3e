"""A line of text in a picture, shortened to its room."""

from __future__ import annotations

from dataclasses import dataclass

from brokerui.drawing.area import Area
from brokerui.drawing.measure import BOLD, MONO, PLAIN, Font, shorten, width

FONTS = {
    "name": Font(13, BOLD),
    "note": Font(12, PLAIN),
    "route": Font(12, MONO),
    "address": Font(12, PLAIN),
    "end": Font(12, BOLD),
    "sign": Font(12, BOLD),
}
"""By role, as the style sheets of the pictures have them."""


@dataclass(frozen=True, slots=True)
class Label:
    """A line of text, shortened to its room."""

    x: float
    y: float
    """Of its base line."""
    text: str
    full: str
    """The text before it was shortened."""
    role: str
    """Its CSS class: name, note, route, address, end or sign."""

    @property
    def is_short(self) -> bool:
        return self.text != self.full

    @property
    def area(self) -> Area:
        """What it covers at most."""
        font = FONTS[self.role]
        return Area(self.x, self.y - font.size, width(self.text, font), font.size * 1.3)


def label_within(x: float, y: float, text: str, role: str, room: float) -> Label:
    """The text at this place, shortened to so many pixels."""
    return Label(x, y, shorten(text, room, FONTS[role]), text, role)


def wide(text: str, role: str) -> int:
    """The most that a text takes, in pixels."""
    return width(text, FONTS[role])
