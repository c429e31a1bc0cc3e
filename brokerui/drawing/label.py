"""One line of text in a picture, shortened to its room."""

from __future__ import annotations

from dataclasses import dataclass

from brokerui.drawing.area import Area
from brokerui.drawing.fonts import BOLD, MONO, PLAIN, Font, text_width

FONTS = {
    "name": Font(13, BOLD),
    "note": Font(12, PLAIN),
    "service": Font(12, PLAIN),
    "route": Font(12, MONO),
    "address": Font(12, PLAIN),
    "end": Font(12, BOLD),
    "sign": Font(12, BOLD),
}
"""By role, as the style sheets of the pictures have them."""


@dataclass(frozen=True, slots=True)
class Label:
    """One line of text, shortened to its room."""

    x: float
    y: float
    """Height of its base line."""
    text: str
    full: str
    """The text before it was shortened."""
    role: str
    """Its CSS class, a key of FONTS."""

    @property
    def is_short(self) -> bool:
        return self.text != self.full

    @property
    def area(self) -> Area:
        """The most that it covers."""
        font = FONTS[self.role]
        return Area(self.x, self.y - font.size, text_width(self.text, font), font.size * 1.3)
