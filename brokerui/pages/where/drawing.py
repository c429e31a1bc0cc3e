"""From a layout to the picture: frames with cells, lines with labels, and each in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from brokerui.drawing.area import Area
from brokerui.pages.where.drawing_back import draw_backs
from brokerui.pages.where.graph import EXIT, Asker, Box, Graph, Key, Lead, Stop
from brokerui.pages.where.layout import Layout
from brokerui.pages.where.lettering import FROM_OUTSIDE, Lettering, first_of, lead_labels
from brokerui.pages.where.picture import Cell, Frame, Line, Picture
from brokerui.pages.where.spots import CELL, GUTTER, ICON, PAD, Spot
from routing.common.sentence import Translate, say

BEFORE_HEAD = 22
"""Between a label and the box that its line leads to."""


def picture_of(graph: Graph, sentence: str, translate: Translate = str) -> Picture:
    """The picture of a graph; `sentence` is for who does not see it."""
    layout = Layout(graph, Lettering(translate))
    frames = [_frame(spot, layout.letters) for spot in layout.spots.values()]
    lines = [*_inner_lines(layout), *_sends(layout), *draw_backs(layout)]
    # Lines below the boxes make the picture higher: it is known how high only now.
    return Picture(layout.right, layout.height, sentence, frames, lines)


def _frame(spot: Spot, letters: Lettering) -> Frame:
    box, area = spot.box, Area(spot.x, spot.y, spot.w, spot.h)
    says = _box_says(box, letters)
    if box.key.kind == EXIT:
        x = spot.x + PAD + ICON
        labels = letters.label(x, spot.y + 26, box.title, "name"), letters.label(x, spot.y + 46, box.note, "note")
        return Frame(area, EXIT, labels, says)
    title = letters.label(spot.x + PAD, spot.y + 25, box.title, "name")
    note = letters.label(title.area.x + title.area.w + 10, spot.y + 25, box.note, "note")
    return Frame(area, box.key.kind, (title, note), says, list(_cells(spot, letters)))


def _cells(spot: Spot, letters: Lettering) -> Iterator[Cell]:
    for name, asker in spot.box.askers.items():
        yield _cell(Area(spot.x + GUTTER, spot.y + spot.asker_at[name] - CELL / 2, spot.left, CELL), asker, letters)
        for key, stop in asker.stops.items():
            top = spot.y + spot.stop_at[name, key] - CELL / 2
            yield _cell(Area(spot.ends_x, top, spot.right, CELL), stop, letters)


def _cell(area: Area, content: Asker | Stop, letters: Lettering) -> Cell:
    kind, icon = (content.kind, ICON) if isinstance(content, Stop) else ("asks", 0.0)
    name = letters.label(area.x + 13 + icon, area.y + 21, content.title, "name")
    return Cell(area, kind, (name, letters.label(area.x + 13, area.y + 40, content.note, "note")))


def _box_says(box: Box, letters: Lettering) -> str:
    parts = [say("{name}: {note}.", name=box.title, note=box.note)]
    for asker in box.askers.values():
        parts.append(say("{name}: {note}.", name=asker.title, note=asker.note))
        parts += [say("{name}: {note}.", name=stop.title, note=stop.note) for stop in asker.stops.values()]
    return letters.all_said(parts)


def _inner_lines(layout: Layout) -> Iterator[Line]:
    """From tables to ends in the same box."""
    for spot in layout.spots.values():
        for name, asker in spot.box.askers.items():
            yield from (_inner(spot, name, key, stop, layout.letters) for key, stop in asker.stops.items())


def _inner(spot: Spot, asker: object, key: object, stop: Stop, letters: Lettering) -> Line:
    x, y = spot.tables_end, spot.y + spot.asker_at[asker]
    to_y = spot.y + spot.stop_at[asker, key]
    turn = f"H{x + 12:g}V{to_y:g}" if to_y != y else ""
    labels = letters.beside(x + 20, to_y, [(first_of(stop.routes), "route")])
    says = letters.said(say("{name}: {note}.", name=stop.title, note=stop.note))
    by = letters.said(say("By {route}.", route=tuple(stop.routes))) if stop.routes else ""
    return Line(f"M{x:g} {y:g}{turn}H{spot.ends_x:g}", "forth", stop.kind, labels, f"{says} {by}".strip())


def _sends(layout: Layout) -> Iterator[Line]:
    """Between boxes, and from outside."""
    taken: dict[Key, int] = defaultdict(int)
    if layout.graph.from_outside:
        yield _arrival(layout.spots[layout.graph.start], layout.letters)
        taken[layout.graph.start] = 1
    for spot, name, lead in layout.leads():
        yield _send(layout, spot, name, lead, taken[lead.to])
        taken[lead.to] += 1


def _arrival(spot: Spot, letters: Lettering) -> Line:
    y = spot.y + spot.entry_at[0]
    x = spot.x - BEFORE_HEAD - letters.wide(FROM_OUTSIDE, "note")
    says = letters.said(say("From outside to {instance}.", instance=spot.box.title))
    labels = letters.beside(x, y, [(FROM_OUTSIDE, "note")])
    return Line(f"M{x - 8:g} {y:g}{_entering(spot, y)}", "forth", "arrives", labels, says)


def _entering(spot: Spot, y: float) -> str:
    """From beside a box to the table that is asked in it."""
    middle = spot.entered_at
    if middle is None:
        return f"H{spot.x:g}"
    turn = f"H{spot.x + 10:g}V{middle:g}" if middle != y else ""
    return f"{turn}H{spot.x + GUTTER:g}"


def _send(layout: Layout, spot: Spot, name: object, lead: Lead, entry: int) -> Line:
    """On to the next column, or below all boxes to any other."""
    key, to, letters = spot.box.key, layout.spots[lead.to], layout.letters
    y = to.y + to.entry_at[entry]
    path = f"M{spot.tables_end:g} {spot.y + spot.asker_at[name]:g}H{layout.track_x(('out', key, name)):g}"
    if layout.has_track(("in", key, name, lead.to)):
        path += f"V{layout.below_y():g}H{layout.track_x(('in', key, name, lead.to)):g}"
    path += f"V{y:g}{_entering(to, y)}"
    worded = lead_labels(lead)
    labels = letters.beside(to.x - BEFORE_HEAD - letters.widest(worded), y, worded)
    says = say(
        "By {route} from {table} on {instance} to {to}, {address}.",
        route=tuple(lead.routes),
        table=spot.box.askers[name].title,
        instance=spot.box.title,
        to=to.box.title,
        address=tuple(lead.addresses),
    )
    return Line(path, "forth", "sends", labels, letters.said(says))
