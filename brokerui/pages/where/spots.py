"""A box with its measures: tables in rows at its left, ends at its right, ways back below them."""

from __future__ import annotations

from dataclasses import dataclass, field

from brokerui.pages.where.graph import EXIT, Box, Text
from brokerui.pages.where.lettering import Lettering, Worded, end_labels, first_of

CELL, ROW, HEAD, PAD, GUTTER = 50.0, 64.0, 40.0, 16.0, 26.0
"""Height of a cell, from cell to cell, of a box's title; between texts; at a box's sides for lines."""
LANE = 46.0
"""From line to line beside a box: two labels stand between."""
ICON = 17.0
BESIDE_ENDS, NO_CELL = 46.0, 60.0


@dataclass(slots=True)
class Spot:
    """A box with its measures; every height but `y` is from its top."""

    box: Box
    w: float = 0.0
    h: float = 0.0
    x: float = 0.0
    y: float = 0.0
    left: float = 0.0
    """Width of the tables that were asked."""
    right: float = 0.0
    """Width of the ends."""
    asker_at: dict[object, float] = field(default_factory=dict)
    """Middle of each table."""
    stop_at: dict[tuple[object, object], float] = field(default_factory=dict)
    """Middle of each end of each table."""
    entry_at: list[float] = field(default_factory=list)
    """Where each line comes in at the left."""
    back_at: dict[object, float] = field(default_factory=dict)
    """The height of each way back."""

    @property
    def ends_x(self) -> float:
        return self.x + self.w - GUTTER - self.right

    @property
    def tables_end(self) -> float:
        """The right side of the tables, where what they decide begins."""
        return self.x + GUTTER + self.left

    @property
    def from_outside(self) -> object:
        """The table that is asked for what comes from outside."""
        return next((name for name, asker in self.box.askers.items() if asker.from_outside), None)

    @property
    def entered_at(self) -> float | None:
        """The middle of that table; None: no table is drawn."""
        tables = self.asker_at
        return self.y + tables.get(self.from_outside, next(iter(tables.values()))) if tables else None

    @property
    def backs_in(self) -> float:
        """Where ways back come in from the right: at the height of the first that goes on."""
        passing = [self.back_at[name] for name, back in self.box.backs.items() if back.source is None]
        return self.y + (passing[0] if passing else self.h - LANE / 2)


def measured(box: Box, entries: int, letters: Lettering) -> Spot:
    """The measures of a box with so many lines coming in."""
    spot = Spot(box)
    entry = _exit(spot, letters) if box.key.kind == EXIT else _instance(spot, letters)
    spot.entry_at = [entry + LANE * index for index in range(entries)]
    lowest = max(spot.entry_at, default=0.0)
    spot.h = max(spot.h, lowest + LANE / 2 + 2)
    first = max(spot.h + 14, lowest + LANE)
    spot.back_at = {key: first + LANE * index for index, key in enumerate(box.backs)}
    if spot.back_at:
        spot.h = max(spot.back_at.values()) + LANE / 2
    return spot


def _exit(spot: Spot, letters: Lettering) -> float:
    spot.h = HEAD + 20
    spot.w = letters.widest([(spot.box.title, "name"), (spot.box.note, "note")]) + 2 * PAD + ICON
    return spot.h / 2


def _instance(spot: Spot, letters: Lettering) -> float:
    rows = _rows(spot)
    spot.h = HEAD + max(rows * ROW - (ROW - CELL), 0.0) + PAD
    spot.w = _width(spot, letters)
    return spot.asker_at.get(spot.from_outside, HEAD + CELL / 2)


def _rows(spot: Spot) -> int:
    """Each table begins a row; what it sends on leaves on that row, its ends follow."""
    row = 0
    for name, asker in spot.box.askers.items():
        spot.asker_at[name] = HEAD + row * ROW + CELL / 2
        row += 1 if asker.leads else 0
        for key in asker.stops:
            spot.stop_at[name, key] = HEAD + row * ROW + CELL / 2
            row += 1
        row += 0 if asker.leads or asker.stops else 1
    return row


def _width(spot: Spot, letters: Lettering) -> float:
    askers = spot.box.askers.values()
    stops = [stop for asker in askers for stop in asker.stops.values()]
    spot.left = max((_cell(asker.title, asker.note, letters) for asker in askers), default=0.0)
    spot.right = max((_cell(stop.title, stop.note, letters) + ICON for stop in stops), default=0.0)
    routes: Worded = [(first_of(stop.routes), "route") for stop in stops]
    between = letters.widest(routes) + BESIDE_ENDS if stops else 0.0
    head = letters.wide(spot.box.title, "name") + letters.wide(spot.box.note, "note") + 3 * PAD
    ends = letters.widest([one for back in spot.box.backs.values() for one in end_labels(back)])
    return max(2 * GUTTER + spot.left + between + spot.right, head, ends + 2 * GUTTER + ICON + 30)


def _cell(title: Text, note: Text, letters: Lettering) -> float:
    return max(letters.wide(title, "name"), letters.wide(note, "note"), NO_CELL) + 26
