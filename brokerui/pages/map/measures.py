"""How much room a box takes: its texts in the reader's language, its rows one under another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil

from brokerui.drawing.label import Label, label_within, wide
from brokerui.pages.map.columns import Size
from brokerui.pages.map.layout import ROW, STEP
from brokerui.pages.map.plan import Box, Cell, Row, Sign, Text
from routing.common.sentence import Sentence, Translate

HEAD, PAD, INSET, BETWEEN = 36.0, 12.0, 11.0, 8.0
"""Height of a title; around cells; of texts in a cell; between two texts."""
SERVICE = 18.0
SIGN = 14.0
"""The shape before the word of a sign, with the space between."""
ROOM = {"name": 220.0, "note": 240.0, "route": 190.0, "sign": 120.0}
"""The most that one text may take, in pixels."""
LEAST = 150.0


class Lettering:
    """Says texts in one language, and knows their widths."""

    def __init__(self, translate: Translate) -> None:
        self._translate = translate

    def said(self, text: Text) -> str:
        return text.render(self._translate) if isinstance(text, Sentence) else text

    def joined(self, texts: Sequence[Text]) -> str:
        return " · ".join(map(self.said, texts))

    def wide(self, text: str, role: str) -> float:
        return min(wide(text, role), ROOM[role])

    def line(self, first: Text, role: str, notes: Sequence[Text], sign: Sign | None) -> float:
        """The width of a text with its notes and its sign beside it."""
        beside, word = self.joined(notes), self.said(sign.text) if sign else ""
        note = BETWEEN + self.wide(beside, "note") if beside else 0.0
        return self.wide(self.said(first), role) + note + (BETWEEN + SIGN + self.wide(word, "sign") if word else 0.0)

    def ending(self, x: float, y: float, sign: Sign) -> Label:
        """The word of a sign, which ends here; its shape stands before it."""
        word = self.said(sign.text)
        return label_within(x - self.wide(word, "sign"), y, word, "sign", ROOM["sign"])

    def beside(self, x: float, y: float, first: str, role: str, notes: Sequence[Text]) -> tuple[Label, ...]:
        """A text and its notes on one line."""
        label = label_within(x, y, first, role, ROOM[role])
        beside = self.joined(notes)
        if not first:
            return (label_within(x, y, beside, "note", ROOM["note"]),)
        if not beside:
            return (label,)
        return label, label_within(x + self.wide(first, role) + BETWEEN, y, beside, "note", ROOM["note"])


@dataclass(slots=True)
class Measured:
    """A box with its size; all heights are from its top."""

    box: Box
    size: Size
    cell_at: list[float] = field(default_factory=list)
    cell_h: list[float] = field(default_factory=list)
    row_at: list[tuple[Row, float]] = field(default_factory=list)
    """The middle of each row."""


def measured(box: Box, letters: Lettering) -> Measured:
    """A box without cells has its notes under its title."""
    found = Measured(box, Size(0.0, 0.0))
    if not box.cells:
        found.size = Size(_widest_plain(box, letters) + 2 * INSET, HEAD + STEP)
        return found
    y = HEAD
    for cell in box.cells:
        found.cell_at.append(y)
        first = y + ROW + _services(cell)
        found.row_at += [(row, first + ROW * index + ROW / 2) for index, row in enumerate(cell.rows)]
        y = first + ROW * len(cell.rows)
        found.cell_h.append(y - found.cell_at[-1])
        y += PAD
    found.size = Size(_widest(box, letters), y)
    return found


def _services(cell: Cell) -> float:
    return ceil(SERVICE * len(cell.services) / STEP) * STEP


def _widest_plain(box: Box, letters: Lettering) -> float:
    return max(letters.wide(letters.said(box.title), "name"), letters.wide(letters.joined(box.notes), "note"))


def _widest(box: Box, letters: Lettering) -> float:
    head = letters.line(box.title, "name", box.notes, box.sign) + 2 * INSET
    inner = max(_widest_of(cell, letters) for cell in box.cells) + 2 * INSET + 2 * PAD
    return max(head, inner, LEAST)


def _widest_of(cell: Cell, letters: Lettering) -> float:
    rows = [letters.line(row.text, "route", row.notes, row.sign) for row in cell.rows]
    services = [letters.wide(letters.said(service), "note") for service in cell.services]
    return max([letters.line(cell.title, "name", cell.notes, cell.sign), *rows, *services])
