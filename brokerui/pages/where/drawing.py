"""The picture of a path: frames with cells, lines with labels, and each in words."""

from __future__ import annotations

from collections.abc import Iterator

from brokerui.drawing.area import Area
from brokerui.drawing.layered.edge_path import PathPoint, svg_path
from brokerui.drawing.layered.spacing import LABEL_GAP
from brokerui.pages.where.box_metrics import GUTTER, PAD, SYMBOL, PathBoxMetrics
from brokerui.pages.where.graph import EXIT, AskedTable, PathBox, PathEnd, PathGraph, PathSend
from brokerui.pages.where.path_layout import FORTH, STUB, PathLayout, path_layout, sends_of
from brokerui.pages.where.path_text import FROM_OUTSIDE, PathTextMetrics, first_of, send_labels
from brokerui.pages.where.picture import PathCell, PathFrame, PathLine, PathPicture
from brokerui.pages.where.return_path import ReturnPathDrawer
from routing.common.sentence import Translate, say


def picture_of(graph: PathGraph, sentence: str, translate: Translate = str) -> PathPicture:
    """The picture of a graph; `sentence` describes it to a screen reader."""
    placed = path_layout(graph, PathTextMetrics(translate))
    frames = [_frame(placed, box) for box in graph.boxes.values()]
    lines = [*_inner_lines(placed), *_sends(placed), *ReturnPathDrawer(placed).lines()]
    return PathPicture(placed.layout.width, placed.layout.height, sentence, frames, lines)


def _frame(placed: PathLayout, box: PathBox) -> PathFrame:
    texts, area = placed.texts, placed.layout.boxes[box.key]
    says = _box_says(box, texts)
    if box.key.kind == EXIT:
        x = area.x + PAD + SYMBOL
        labels = texts.label(x, area.y + 26, box.title, "name"), texts.label(x, area.y + 46, box.note, "note")
        return PathFrame(area, EXIT, labels, says)
    title = texts.label(area.x + PAD, area.y + 25, box.title, "name")
    note = texts.label(title.area.x + title.area.w + 10, area.y + 25, box.note, "note")
    return PathFrame(area, box.key.kind, (title, note), says, list(_cells(placed, box)))


def _cells(placed: PathLayout, box: PathBox) -> Iterator[PathCell]:
    for name, asker in box.askers.items():
        yield _cell(placed.table(box, name), asker, placed.texts)
        for key, stop in asker.stops.items():
            yield _cell(placed.end(box, name, key), stop, placed.texts)


def _cell(area: Area, content: AskedTable | PathEnd, texts: PathTextMetrics) -> PathCell:
    kind, symbol = (content.kind, SYMBOL) if isinstance(content, PathEnd) else ("asks", 0.0)
    name = texts.label(area.x + 13 + symbol, area.y + 21, content.title, "name")
    return PathCell(area, kind, (name, texts.label(area.x + 13, area.y + 40, content.note, "note")))


def _box_says(box: PathBox, texts: PathTextMetrics) -> str:
    parts = [say("{name}: {note}.", name=box.title, note=box.note)]
    for asker in box.askers.values():
        parts.append(say("{name}: {note}.", name=asker.title, note=asker.note))
        parts += [say("{name}: {note}.", name=stop.title, note=stop.note) for stop in asker.stops.values()]
    return texts.joined(parts, " ")


def _inner_lines(placed: PathLayout) -> Iterator[PathLine]:
    """Yield the lines from tables to ends in the same box."""
    for box in placed.graph.boxes.values():
        for name, asker in box.askers.items():
            table = placed.table(box, name)
            yield from (_inner(table, placed.end(box, name, key), s, placed.texts) for key, s in asker.stops.items())


def _inner(table: Area, end: Area, stop: PathEnd, texts: PathTextMetrics) -> PathLine:
    x, y, end_y = table.x + table.w, table.y + table.h / 2, end.y + end.h / 2
    path = svg_path([(x, y), (x + 12, y), (x + 12, end_y), (end.x, end_y)])
    labels = texts.beside(x + 20, end_y, [(first_of(stop.routes), "route")])
    says = texts.render(say("{name}: {note}.", name=stop.title, note=stop.note))
    by = texts.render(say("By {route}.", route=tuple(stop.routes))) if stop.routes else ""
    return PathLine(path, "forth", stop.kind, labels, f"{says} {by}".strip())


def _sends(placed: PathLayout) -> Iterator[PathLine]:
    """Yield the lines between boxes, and the one from outside."""
    if placed.graph.from_outside:
        yield _arrival(placed)
    for box, name, lead in sends_of(placed.graph):
        yield _send(placed, box, name, lead)


def _arrival(placed: PathLayout) -> PathLine:
    texts, key = placed.texts, placed.graph.start
    metrics, area = placed.metrics[key], placed.layout.boxes[key]
    y = area.y + metrics.entry_y[0]
    x = area.x - LABEL_GAP - texts.widest([FROM_OUTSIDE])
    path = svg_path([(x - STUB, y), (area.x, y), *_entering(metrics, area, y)])
    says = texts.render(say("From outside to {instance}.", instance=metrics.box.title))
    return PathLine(path, "forth", "arrives", texts.beside(x, y, [FROM_OUTSIDE]), says)


def _entering(metrics: PathBoxMetrics, area: Area, y: float) -> list[PathPoint]:
    """From the left side of a box to the table that is asked in it."""
    if metrics.entered_table is None:
        return []
    table = metrics.entered_table.within(area)
    table_y = table.y + table.h / 2
    return [(area.x + 10, y), (area.x + 10, table_y), (area.x + GUTTER, table_y)]


def _send(placed: PathLayout, box: PathBox, name: object, lead: PathSend) -> PathLine:
    texts, table, to = placed.texts, placed.table(box, name), placed.metrics[lead.to]
    path = placed.layout.paths[FORTH, box.key, name, lead.to]
    leaving = (table.x + table.w, table.y + table.h / 2)
    entering = _entering(to, placed.layout.boxes[lead.to], path.points[-1][1])
    says = say(
        "By {route} from {table} on {instance} to {to}, {address}.",
        route=tuple(lead.routes),
        table=box.askers[name].title,
        instance=box.title,
        to=to.box.title,
        address=tuple(lead.addresses),
    )
    labels = texts.beside(*path.label, send_labels(lead)) if path.label else ()
    return PathLine(svg_path([leaving, *path.points, *entering]), "forth", "sends", labels, texts.render(says))
