"""Draws a plan as the picture of the map: boxes with their contents, lines, and texts for screen readers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from brokerui.drawing.area import Area
from brokerui.drawing.layered.diagram import Diagram, DiagramEdge, DiagramNode
from brokerui.drawing.layered.edge_path import PathPoint, svg_path
from brokerui.drawing.layered.layout import LayeredLayout, lay_out
from brokerui.estate.refs import BETWEEN, ROUTE, Ref
from brokerui.pages.map.box_metrics import (
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
from brokerui.pages.map.picture import BadgeSymbol, MapPicture, MapShape, Mark
from brokerui.pages.map.plan import ANY, Badge, MapBox, MapCell, MapPlan, MapRow
from routing.common.sentence import Translate, say

ENTER_Y = 16.0
"""Where lines come to a box, below its top: a third of a STEP beside the heights at which lines leave rows."""


def picture_of(plan: MapPlan, translate: Translate = str, lit: Collection[Ref] = ()) -> MapPicture:
    """The picture of a plan; marks that stand for something in `lit` are highlighted."""
    texts = MapTextMetrics(translate)
    boxes = {ref: box_metrics(box, texts) for ref, box in plan.boxes.items()}
    layout = lay_out(_diagram(boxes))
    drawer = _MapDrawer(plan, texts, layout, frozenset(lit))
    return MapPicture(layout.width, layout.height, [drawer.shape(boxes[ref]) for ref in layout.boxes])


def _diagram(boxes: Mapping[Ref, MapBoxMetrics]) -> Diagram[Ref]:
    """All routes to one box come together: their lines share tracks and lanes."""
    nodes = [
        DiagramNode(key=ref, width=one.width, height=one.height, nested=(*one.cells, *one.rows))
        for ref, one in boxes.items()
    ]
    edges = [
        DiagramEdge(
            key=(ref, index, to),
            source=ref,
            target=to,
            leave_y=nested.top - 1 + ROW / 2,
            enter_y=ENTER_Y,
            bundle=to,
        )
        for ref, one in boxes.items()
        for index, (row, nested) in enumerate(zip(one.box.rows(), one.rows, strict=True))
        for to in row.to
    ]
    return Diagram(nodes, edges)


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
            shape.cells.append(self._cell(box, cell, nested[box.ref, place.key]))
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
        look = f"box {box.ref.kind} {box.change} {self._light(box.about, self._inside(box))}"
        return self._badged(Mark(box.ref, area, look, labels, says), box.sign, area.x + area.w, area.y + 23)

    def _cell(self, box: MapBox, cell: MapCell, area: Area) -> Mark:
        texts = self.texts
        x, y = area.x + INSET, area.y + 17
        labels = list(texts.line(x, y, texts.render(cell.title), "name", cell.notes))
        for index, service in enumerate(cell.services):
            labels.append(texts.label(x, y + SERVICE * (index + 1), service, "note"))
        notes = [texts.notes(cell.notes), *map(texts.render, cell.services)]
        name = say("{database} on {instance}", database=cell.title, instance=box.title) if cell.title else box.title
        says = texts.render(say("{name}: {note}.", name=name, note=NOTE_SEPARATOR.join(filter(None, notes))))
        inside = frozenset().union(*(row.about for row in cell.rows))
        look = f"cell {cell.change} {self._light(cell.about, inside)}"
        mark = Mark(cell.ref, area, look, tuple(labels), says, is_itself=cell.ref != box.ref)
        return self._badged(mark, cell.sign, area.x + area.w, y)

    def _row(self, box: MapBox, index: int, row: MapRow, area: Area) -> Mark:
        texts = self.texts
        y = area.y + area.h / 2 + 4
        text = texts.render(row.text)
        labels = texts.line(area.x - 1 + INSET, y, text, "route", row.notes)
        paths = tuple(_line(self.layout.paths[box.ref, index, to].points) for to in row.to)
        head = "to-any" if row.kind == ANY else "to"
        head += "-same" if self.plan.is_draft and not row.change else ""
        is_itself = row.ref.kind in (ROUTE, BETWEEN)
        says = self._row_says(row, text)
        mark = Mark(row.ref, area, self._look(row), labels, says, paths, row.to, is_itself, head=head)
        return self._badged(mark, row.sign, area.x + area.w + 1, y)

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
        note = self.texts.notes(row.notes)
        to = tuple(self.plan.boxes[to].title for to in row.to)
        if not to:
            return self.texts.render(say("{name}: {note}.", name=text, note=note))
        return self.texts.render(say("{name}: {note}. It leads to {to}.", name=text, note=note, to=to))

    def _look(self, row: MapRow) -> str:
        marks = f"{'mirrored' if row.mirrored else ''} {'expired' if row.expired else ''} {row.change}"
        return f"row {row.kind} w{row.weight} {marks} {self._light(row.about)}"

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


def _line(points: Sequence[PathPoint]) -> str:
    """The line of a row as SVG writes it: it begins at the edge of the cell, inside its box."""
    (x, y), (next_x, _), *_ = points
    return svg_path([(x - PAD if next_x > x else x + PAD, y), *points])
