"""Draws a plan as the picture of the map: boxes with their contents, lines, and texts for screen readers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from brokerui.changes.marks import DROPPED
from brokerui.drawing.area import Area
from brokerui.drawing.layered.diagram import Diagram, DiagramEdge, DiagramNode
from brokerui.drawing.layered.edge_path import PathPoint, svg_path
from brokerui.drawing.layered.layout import LayeredLayout, lay_out
from brokerui.estate.refs import BETWEEN, ROUTE, Ref
from brokerui.pages.map.box_metrics import (
    CHANGE,
    FOLD,
    INSET,
    NOTE_SEPARATOR,
    PAD,
    ROW,
    SERVICE,
    SYMBOL,
    MapBoxMetrics,
    MapTextMetrics,
    box_metrics,
)
from brokerui.pages.map.draft_marks import WORDS
from brokerui.pages.map.picture import BadgeSymbol, Fold, MapLine, MapPicture, MapShape, Mark
from brokerui.pages.map.plan import ANY, OPENED, Badge, MapBox, MapCell, MapPlan, MapRow
from routing.common.sentence import Sentence, Translate, say

ENTER_Y = 16.0
"""Where lines come to a box, below its top: a third of a STEP beside the heights at which lines leave rows."""


Boxes = Mapping[Ref, MapBoxMetrics]


def picture_of(plan: MapPlan, translate: Translate = str, lit: Collection[Ref] = ()) -> MapPicture:
    """The picture of a plan; marks that stand for something in `lit` are highlighted."""
    return pictures_of([plan], translate, lit)[0]


def pictures_of(plans: Sequence[MapPlan], translate: Translate = str, lit: Collection[Ref] = ()) -> list[MapPicture]:
    """The pictures of plans that have the same boxes with as many rows: each thing has one place in all of them."""
    first = plans[0]
    texts = MapTextMetrics(translate, CHANGE if first.is_draft else 0.0, first.shared)
    sized = [{ref: box_metrics(box, texts) for ref, box in plan.boxes.items()} for plan in plans]
    layout = lay_out(_diagram(sized))
    drawers = [_MapDrawer(plan, texts, layout, frozenset(lit)) for plan in plans]
    return [
        MapPicture(layout.width, layout.height, [drawer.shape(boxes[ref]) for ref in layout.boxes])
        for drawer, boxes in zip(drawers, sized, strict=True)
    ]


def _diagram(pictures: Sequence[Boxes]) -> Diagram[Ref]:
    """All routes to one box come together: their lines share tracks and lanes."""
    nodes = [
        DiagramNode(
            key=ref,
            width=max(boxes[ref].width for boxes in pictures),
            height=one.height,
            column=one.box.column,
            nested=(*one.cells, *one.rows),
        )
        for ref, one in pictures[0].items()
    ]
    edges = {edge.key: edge for boxes in pictures for edge in _edges(boxes)}
    return Diagram(nodes, list(edges.values()))


def _edges(boxes: Boxes) -> Iterator[DiagramEdge[Ref]]:
    for ref, one in boxes.items():
        for index, (row, nested) in enumerate(zip(one.box.rows(), one.rows, strict=True)):
            for to in (*row.to, *row.was):
                yield DiagramEdge(
                    key=(ref, index, to),
                    source=ref,
                    target=to,
                    leave_y=nested.top - 1 + ROW / 2,
                    enter_y=ENTER_Y,
                    bundle=to,
                )


class _MapDrawer:
    def __init__(self, plan: MapPlan, texts: MapTextMetrics, layout: LayeredLayout[Ref], lit: frozenset[Ref]) -> None:
        self.plan = plan
        self.texts = texts
        self.layout = layout
        self.lit = lit

    def shape(self, metrics: MapBoxMetrics) -> MapShape:
        box, nested = metrics.box, self.layout.nested
        shape = MapShape(self._head(box, self.layout.boxes[box.ref]))
        for cell, place in zip(box.cells, metrics.cells, strict=True):
            area = nested[box.ref, place.key]
            shape.cells.append(self._cell(box, cell, area))
            if cell.fold:
                shape.folds.append(self._fold(cell, area))
        for index, (row, place) in enumerate(zip(box.rows(), metrics.rows, strict=True)):
            shape.rows.append(self._row(box, index, row, nested[box.ref, place.key]))
        return shape

    def _head(self, box: MapBox, area: Area) -> Mark:
        texts, x = self.texts, area.x + INSET
        title, note = texts.render(box.title), texts.notes(box.notes)
        if box.cells:
            labels = texts.line(x, area.y + 23, title, "name", box.notes)
        else:
            labels = texts.label(x, area.y + 20, title, "name"), texts.label(x, area.y + 37, note, "note")
        says = texts.render(say("{name}: {note}.", name=title, note=note))
        look = f"box {box.ref.kind} {box.change} {box.look} {self._light(box.about, self._inside(box))}"
        mark = Mark(box.ref, area, look, labels, says, address=box.address)
        return self._badged(mark, box.sign, area.x + area.w, area.y + 23)

    def _cell(self, box: MapBox, cell: MapCell, area: Area) -> Mark:
        texts = self.texts
        x, y = area.x + INSET, area.y + 17
        labels = list(texts.line(x, y, texts.render(cell.title), "name", cell.notes))
        for index, service in enumerate(cell.services):
            role = "note" if isinstance(service, Sentence) else "service"
            labels.append(texts.label(x, y + SERVICE * (index + 1), service, role))
        notes = [texts.notes(cell.notes), *map(texts.render, cell.services)]
        name = say("{database} on {instance}", database=cell.title, instance=box.title) if cell.title else box.title
        says = texts.render(say("{name}: {note}.", name=name, note=NOTE_SEPARATOR.join(filter(None, notes))))
        inside = frozenset().union(*(row.about for row in cell.rows))
        look = f"cell {cell.change} {cell.look} {self._light(cell.about, inside)}"
        mark = Mark(cell.ref, area, look, tuple(labels), says, is_itself=cell.ref != box.ref)
        return self._badged(mark, cell.sign, area.x + area.w - (FOLD if cell.fold else 0.0), y)

    def _row(self, box: MapBox, index: int, row: MapRow, area: Area) -> Mark:
        texts = self.texts
        y = area.y + area.h / 2 + 4
        text = texts.render(row.text)
        mark = Mark(
            ref=row.ref,
            area=area,
            look=self._look(row),
            labels=texts.line(area.x - 1 + INSET + texts.indent, y, text, "route", row.notes),
            says=self._row_says(row, text),
            lines=self._lines(box, index, row.to),
            was=self._lines(box, index, row.was),
            change=row.change,
            bundles=row.routes,
            is_itself=row.ref.kind in (ROUTE, BETWEEN),
            head=self._arrow(row),
        )
        return self._badged(mark, row.sign, area.x + area.w + 1, y)

    def _arrow(self, row: MapRow) -> str:
        """Which arrow ends the lines of a row; what a draft drops leads nowhere any more."""
        if row.change == DROPPED:
            return ""
        return ("to-any" if row.kind == ANY else "to") + ("-same" if row.stands_back else "")

    def _lines(self, box: MapBox, index: int, to: Sequence[Ref]) -> tuple[MapLine, ...]:
        paths = ((one, self.layout.paths[box.ref, index, one].points) for one in to)
        return tuple(MapLine(_line(points), one, _middle(points)) for one, points in paths)

    def _fold(self, cell: MapCell, area: Area) -> Fold:
        is_open = cell.fold == OPENED
        name = self.texts.render(cell.title)
        close, show = say("Bundle the routes of {name} again", name=name), say("Open all of {name}", name=name)
        return Fold(
            cell.ref,
            Area(area.x + area.w - FOLD + 2, area.y, 24, 24),
            is_open,
            self.texts.render(close if is_open else show),
        )

    def _badged(self, mark: Mark, sign: Badge | None, right: float, y: float) -> Mark:
        """The mark with a badge at the end of the line whose base is at `y`."""
        if sign is None:
            return mark
        word = self.texts.badge(right - INSET, y, sign)
        return replace(
            mark,
            labels=(*mark.labels, word),
            look=f"{mark.look} with-{sign.severity}",
            says=self.texts.render(say("{what} Found: {findings}.", what=mark.says, findings=sign.text)),
            symbol=BadgeSymbol(sign.severity, word.x - SYMBOL / 2 - 2, y - 4),
        )

    def _row_says(self, row: MapRow, text: str) -> str:
        note = self.texts.notes((*row.notes, *WORDS[row.change]))
        to = tuple(self.plan.boxes[to].title for to in row.to)
        if not to:
            return self.texts.render(say("{name}: {note}.", name=text, note=note))
        return self.texts.render(say("{name}: {note}. It leads to {to}.", name=text, note=note, to=to))

    def _look(self, row: MapRow) -> str:
        marks = f"{'mirrored' if row.mirrored else ''} {'expired' if row.expired else ''} {row.change}"
        return f"row {row.kind} w{row.weight} {marks} {row.look} {self._light(row.about)}"

    def _light(self, about: frozenset[Ref], inside: frozenset[Ref] = frozenset()) -> str:
        """`lit` if it is highlighted, plain if something in it is or it stands for nothing by itself, else `dim`."""
        if not self.lit or not (about or inside):
            return ""
        if not self.lit.isdisjoint(about):
            return "lit"
        return "dim" if self.lit.isdisjoint(inside) else ""

    def _inside(self, box: MapBox) -> frozenset[Ref]:
        parts = (part for cell in box.cells for part in (cell.about, *(row.about for row in cell.rows)))
        return frozenset().union(*parts)


def _middle(points: Sequence[PathPoint]) -> PathPoint:
    """The middle of the longest part of a line."""
    parts = list(pairwise(points))
    (x, y), (to_x, to_y) = max(parts, key=lambda part: abs(part[0][0] - part[1][0]) + abs(part[0][1] - part[1][1]))
    return (x + to_x) / 2, (y + to_y) / 2


def _line(points: Sequence[PathPoint]) -> str:
    """The line of a row as SVG writes it: it begins at the edge of the cell, inside its box."""
    (x, y), (next_x, _), *_ = points
    return svg_path([(x - PAD if next_x > x else x + PAD, y), *points])
