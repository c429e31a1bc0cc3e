"""Sizes of the boxes of a path: tables at the left in rows, ends at the right, return paths below them."""

from __future__ import annotations

from dataclasses import dataclass, field

from brokerui.drawing.layered.diagram import NestedBox
from brokerui.drawing.text_metrics import RoledText
from brokerui.pages.where.graph import EXIT, PathBox, Text
from brokerui.pages.where.path_text import PathTextMetrics, end_labels, first_of

CELL, ROW, HEAD, PAD, GUTTER = 50.0, 64.0, 40.0, 16.0, 26.0
"""Height of a cell, of a row, of the title; between texts; between cells and the sides of their box, for lines."""
LINE_GAP = 46.0
"""Between two lines that come to a box: two labels stand between them."""
SYMBOL = 17.0
"""Width of the shape before the word of an end, with the space between."""
BESIDE_ENDS, MIN_CELL = 46.0, 60.0


@dataclass(slots=True)
class PathBoxMetrics:
    """Sizes of a box and its contents; heights are measured from its top."""

    box: PathBox
    width: float = 0.0
    height: float = 0.0
    tables: dict[object, NestedBox] = field(default_factory=dict)
    """By the name of the table."""
    ends: dict[tuple[object, object], NestedBox] = field(default_factory=dict)
    """By the name of the table, and the key of the end."""
    entry_y: list[float] = field(default_factory=list)
    """Where each line comes in at the left."""
    return_y: dict[object, float] = field(default_factory=dict)
    """The height of the line of each piece of a return path."""

    @property
    def entered_table(self) -> NestedBox | None:
        """The table that is asked for messages from outside, else the first; None: no table is drawn."""
        outside = (self.tables[name] for name, asker in self.box.askers.items() if asker.from_outside)
        return next(outside, next(iter(self.tables.values()), None))

    @property
    def return_entry_y(self) -> float:
        """Where return paths come in from the right: at the height of the first that goes on."""
        passing = (self.return_y[name] for name, back in self.box.backs.items() if back.source is None)
        return next(passing, self.height - LINE_GAP / 2)


def middle(nested: NestedBox) -> float:
    """The height of its middle, from the top of the outer box."""
    return nested.top + nested.height / 2


def box_metrics(box: PathBox, entries: int, texts: PathTextMetrics) -> PathBoxMetrics:
    """The metrics of a box to which `entries` lines come."""
    metrics = PathBoxMetrics(box)
    first_entry = _measure_exit(metrics, texts) if box.key.kind == EXIT else _measure_instance(metrics, texts)
    metrics.entry_y = [first_entry + LINE_GAP * index for index in range(entries)]
    lowest = max(metrics.entry_y, default=0.0)
    metrics.height = max(metrics.height, lowest + LINE_GAP / 2 + 2)
    first_return = max(metrics.height + 14, lowest + LINE_GAP)
    metrics.return_y = {key: first_return + LINE_GAP * index for index, key in enumerate(box.backs)}
    if metrics.return_y:
        metrics.height = max(metrics.return_y.values()) + LINE_GAP / 2
    return metrics


def _measure_exit(metrics: PathBoxMetrics, texts: PathTextMetrics) -> float:
    """Measure an address outside the estate; where the first line comes to it."""
    metrics.height = HEAD + 20
    metrics.width = texts.widest([(metrics.box.title, "name"), (metrics.box.note, "note")]) + 2 * PAD + SYMBOL
    return metrics.height / 2


def _measure_instance(metrics: PathBoxMetrics, texts: PathTextMetrics) -> float:
    """Measure an instance; where the first line comes to it."""
    rows = _place_cells(metrics, texts)
    metrics.height = HEAD + max(rows * ROW - (ROW - CELL), 0.0) + PAD
    metrics.width = _width(metrics, texts)
    entered = metrics.entered_table if any(asker.from_outside for asker in metrics.box.askers.values()) else None
    return middle(entered) if entered else HEAD + CELL / 2


def _place_cells(metrics: PathBoxMetrics, texts: PathTextMetrics) -> int:
    """Place each table at the beginning of a row: its sends leave on that row, its ends follow. The number of rows."""
    row = 0
    tables_width, ends_width = _column_widths(metrics.box, texts)
    for name, asker in metrics.box.askers.items():
        metrics.tables[name] = NestedBox(key=name, top=HEAD + row * ROW, height=CELL, left=GUTTER, width=tables_width)
        row += 1 if asker.leads else 0
        for key in asker.stops:
            metrics.ends[name, key] = NestedBox(
                key=(name, key), top=HEAD + row * ROW, height=CELL, right=GUTTER, width=ends_width
            )
            row += 1
        row += 0 if asker.leads or asker.stops else 1
    return row


def _column_widths(box: PathBox, texts: PathTextMetrics) -> tuple[float, float]:
    """The widths of the tables, and of the ends."""
    tables = [_cell_width(asker.title, asker.note, texts) for asker in box.askers.values()]
    stops = [stop for asker in box.askers.values() for stop in asker.stops.values()]
    ends = [_cell_width(stop.title, stop.note, texts) + SYMBOL for stop in stops]
    return max(tables, default=0.0), max(ends, default=0.0)


def _width(metrics: PathBoxMetrics, texts: PathTextMetrics) -> float:
    box = metrics.box
    routes: list[RoledText] = [
        (first_of(stop.routes), "route") for asker in box.askers.values() for stop in asker.stops.values()
    ]
    between = texts.widest(routes) + BESIDE_ENDS if routes else 0.0
    head = texts.width(box.title, "name") + texts.width(box.note, "note") + 3 * PAD
    returns = texts.widest([label for back in box.backs.values() for label in end_labels(back)])
    return max(2 * GUTTER + sum(_column_widths(box, texts)) + between, head, returns + 2 * GUTTER + SYMBOL + 30)


def _cell_width(title: Text, note: Text, texts: PathTextMetrics) -> float:
    return max(texts.width(title, "name"), texts.width(note, "note"), MIN_CELL) + 26
