"""Sizes of the boxes of a map: their texts in the reader's language, their rows one under another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil

from brokerui.drawing.label import Label
from brokerui.drawing.layered.diagram import NestedBox
from brokerui.drawing.layered.spacing import STEP
from brokerui.drawing.text_metrics import TextMetrics
from brokerui.estate.shared_prefix import shortened_by
from brokerui.pages.map.plan import Badge, MapBox, MapCell, MapRow, Text
from routing.common.sentence import Translate

HEAD, PAD, INSET, BETWEEN = 36.0, 12.0, 11.0, 8.0
"""Height of a title; around cells; of texts in a cell; between two texts."""
ROW, SERVICE = 24.0, 18.0
"""Heights of a row and of a service."""
FOLD = 40.0
"""Width of what opens and closes a database, at the end of its title; at its edge routes are drawn from it."""
SYMBOL = 14.0
"""Width of the shape before the word of a badge, with the space between."""
ROOM = {"name": 220.0, "note": 240.0, "service": 240.0, "route": 190.0, "sign": 220.0}
"""The most pixels that one text may take, by role."""
MIN_WIDTH = 150.0
NOTE_SEPARATOR = " · "
CHANGE = 18.0
"""Room before the texts of rows for the mark of what a draft does to them."""


class MapTextMetrics(TextMetrics):
    """Texts of the map, which stand beside one another on one line: a name, its notes, its badge."""

    def __init__(self, translate: Translate, indent: float = 0.0, shared: str = "") -> None:
        """`indent`: room before the texts of rows; `shared`: what rows show `…/` in place of."""
        super().__init__(translate, ROOM)
        self.indent = indent
        self.shared = shared

    def notes(self, texts: Sequence[Text]) -> str:
        return self.joined(texts, NOTE_SEPARATOR)

    def line_width(self, first: Text, role: str, notes: Sequence[Text], badge: Badge | None) -> float:
        """Width of a text with its notes and its badge."""
        note = self._brief(self.notes(notes), role)
        width = self.width(first, role) + (BETWEEN + self.width(note, "note") if note else 0.0)
        return width + (BETWEEN + SYMBOL + self.width(badge.text, "sign") if badge else 0.0)

    def line(self, x: float, y: float, first: str, role: str, notes: Sequence[Text]) -> tuple[Label, ...]:
        """A text and its notes on one line."""
        note = self.notes(notes)
        if not first:
            return (self.label(x, y, note, "note"),)
        label = self.label(x, y, first, role)
        if not note:
            return (label,)
        shown = self.label(x + self.width(first, role) + BETWEEN, y, self._brief(note, role), "note")
        return label, replace(shown, full=note)

    def _brief(self, note: str, role: str) -> str:
        """Return the notes of a row with `…/` where a service begins like all others."""
        return shortened_by(self.shared, note) if role == "route" else note

    def badge(self, right: float, y: float, badge: Badge) -> Label:
        """The word of a badge, which ends at `right`; its shape stands before it."""
        return self.label(right - self.width(badge.text, "sign"), y, badge.text, "sign")


@dataclass(frozen=True, slots=True)
class MapBoxMetrics:
    """Sizes of a box and its contents; keys of cells are ("cell", index), of rows ("row", index)."""

    box: MapBox
    width: float
    height: float
    cells: tuple[NestedBox, ...] = ()
    rows: tuple[NestedBox, ...] = ()


def box_metrics(box: MapBox, texts: MapTextMetrics) -> MapBoxMetrics:
    """The metrics of a box; the notes of one without cells stand under its title."""
    if not box.cells:
        width = max(texts.width(box.title, "name"), texts.width(texts.notes(box.notes), "note"))
        return MapBoxMetrics(box, width + 2 * INSET, HEAD + STEP)
    cells: list[NestedBox] = []
    rows: list[NestedBox] = []
    y = HEAD
    for cell in box.cells:
        first_row = y + ROW + ceil(SERVICE * len(cell.services) / STEP) * STEP
        bottom = first_row + ROW * len(cell.rows)
        cells.append(NestedBox(key=("cell", len(cells)), top=y, height=bottom - y, left=PAD, right=PAD))
        rows += [_row(len(rows) + index, first_row + ROW * index) for index in range(len(cell.rows))]
        y = bottom + PAD
    return MapBoxMetrics(box, _width(box, texts), y, tuple(cells), tuple(rows))


def _row(index: int, top: float) -> NestedBox:
    """The area of a row that can be pressed."""
    return NestedBox(key=("row", index), top=top + 1, height=ROW - 2, left=PAD + 1, right=PAD + 1)


def _width(box: MapBox, texts: MapTextMetrics) -> float:
    head = texts.line_width(box.title, "name", box.notes, box.sign) + 2 * INSET
    inner = max(_cell_width(cell, texts) for cell in box.cells) + 2 * INSET + 2 * PAD
    return max(head, inner, MIN_WIDTH)


def _cell_width(cell: MapCell, texts: MapTextMetrics) -> float:
    rows = [_row_width(row, texts) for row in cell.rows]
    services = [texts.width(service, "note") for service in cell.services]
    fold = FOLD if cell.fold else 0.0
    return max([texts.line_width(cell.title, "name", cell.notes, cell.sign) + fold, *rows, *services])


def _row_width(row: MapRow, texts: MapTextMetrics) -> float:
    return texts.indent + texts.line_width(row.text, "route", row.notes, row.sign)
