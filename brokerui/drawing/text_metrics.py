"""Texts of a picture in the reader's language, with their widths before a browser draws them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from brokerui.drawing.fonts import on_one_line, shortened, text_width
from brokerui.drawing.label import FONTS, Label
from routing.common.sentence import Sentence, Translate

PictureText = str | Sentence
RoledText = tuple[PictureText, str]
"""A text and its role."""


class TextMetrics:
    """Renders texts in one language and measures them; no text is wider than the room of its role."""

    def __init__(self, translate: Translate, room: Mapping[str, float]) -> None:
        """`room`: the most pixels that one text may take, by role."""
        self._translate = translate
        self._room = room
        self._widths: dict[tuple[str, str], int] = {}

    def render(self, text: PictureText) -> str:
        return text.render(self._translate) if isinstance(text, Sentence) else text

    def joined(self, texts: Iterable[PictureText], separator: str) -> str:
        return separator.join(map(self.render, texts))

    def width(self, text: PictureText, role: str) -> float:
        """The most pixels that the text takes once it is shortened to its room."""
        return min(self._full_width(on_one_line(self.render(text)), role), self._room[role])

    def widest(self, texts: Sequence[RoledText]) -> float:
        """The width of the widest; 0 if there is none."""
        return max((self.width(text, role) for text, role in texts), default=0.0)

    def label(self, x: float, y: float, text: PictureText, role: str) -> Label:
        """The text at this place, shortened to its room."""
        full = self.render(text)
        short = on_one_line(full)
        if self._full_width(short, role) > self._room[role]:
            short = shortened(short, self._room[role], FONTS[role])
        return Label(x, y, short, full, role)

    def _full_width(self, text: str, role: str) -> int:
        """The width of a whole text, reckoned once: sizes, places and labels ask for it."""
        width = self._widths.get((text, role))
        if width is None:
            width = self._widths[text, role] = text_width(text, FONTS[role])
        return width
