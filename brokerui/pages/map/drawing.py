"""From a plan to the picture: boxes, what is in them, lines, and each in words."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection
from dataclasses import replace

from brokerui.drawing.area import Area
from brokerui.drawing.label import label_within
from brokerui.estate.refs import BETWEEN, ROUTE, Ref
from brokerui.pages.map.layout import ROW, Block, layout_of, path_of
from brokerui.pages.map.measures import INSET, PAD, ROOM, SERVICE, SIGN, Lettering, Measured, measured
from brokerui.pages.map.picture import Mark, Picture, Shape, Symbol
from brokerui.pages.map.plan import ANY, Box, Cell, Plan, Row, Sign
from routing.common.sentence import Translate, say


def picture_of(plan: Plan, translate: Translate = str, lit: Collection[Ref] = ()) -> Picture:
    """The picture of a plan; what stands for something in `lit` is drawn so that it catches the eye."""
    letters = Lettering(translate)
    boxes = {ref: measured(box, letters) for ref, box in plan.boxes.items()}
    edges: dict[Ref, dict[Ref, int]] = defaultdict(dict)
    heights: dict[tuple[Ref, Ref], list[float]] = defaultdict(list)
    for ref, one in boxes.items():
        for row, height in one.row_at:
            for to in row.to:
                edges[ref][to] = edges[ref].get(to, 0) + 1
                heights[ref, to].append(height)
    layout = layout_of({ref: one.size for ref, one in boxes.items()}, edges, heights)
    drawer = _Drawer(plan, letters, frozenset(lit))
    shapes = [drawer.shape(block, boxes[ref]) for block in layout.blocks for ref in block.areas]
    return Picture(layout.w, layout.h, shapes)


class _Drawer:
    def __init__(self, plan: Plan, letters: Lettering, lit: frozenset[Ref]) -> None:
        self.plan = plan
        self.letters = letters
        self.lit = lit

    def shape(self, block: Block, one: Measured) -> Shape:
        place = block.areas[one.box.ref]
        area = Area(block.x + place.x, block.y + place.y, place.w, place.h)
        shape = Shape(self._head(one.box, area))
        for cell, top, height in zip(one.box.cells, one.cell_at, one.cell_h, strict=True):
            shape.cells.append(self._cell(one.box, cell, Area(area.x + PAD, area.y + top, area.w - 2 * PAD, height)))
        shape.rows = [self._row(block, one.box, row, area, height) for row, height in one.row_at]
        return shape

    def _head(self, box: Box, area: Area) -> Mark:
        title = self.letters.said(box.title)
        if box.cells:
            labels = self.letters.beside(area.x + INSET, area.y + 23, title, "name", box.notes)
        else:
            x = area.x + INSET
            note = label_within(x, area.y + 37, self.letters.joined(box.notes), "note", ROOM["note"])
            labels = (label_within(x, area.y + 20, title, "name", ROOM["name"]), note)
        says = self.letters.said(say("{name}: {note}.", name=title, note=self.letters.joined(box.notes)))
        look = f"box {box.ref.kind} {self._light(box.about, self._inside(box))}"
        return self._signed(Mark(box.ref, area, look, labels, says), box.sign, area.y + 23)

    def _cell(self, box: Box, cell: Cell, area: Area) -> Mark:
        letters = self.letters
        x, y = area.x + INSET, area.y + 17
        labels = list(letters.beside(x, y, letters.said(cell.title), "name", cell.notes))
        for index, service in enumerate(cell.services):
            labels.append(label_within(x, y + SERVICE * (index + 1), letters.said(service), "note", ROOM["note"]))
        said = [letters.joined(cell.notes), *map(letters.said, cell.services)]
        name = say("{database} on {instance}", database=cell.title, instance=box.title) if cell.title else box.title
        says = letters.said(say("{name}: {note}.", name=name, note=" · ".join(filter(None, said))))
        inside = frozenset().union(*(row.about for row in cell.rows))
        look = f"cell {self._light(cell.about, inside)}"
        mark = Mark(cell.ref, area, look, tuple(labels), says, is_itself=cell.ref != box.ref)
        return self._signed(mark, cell.sign, y)

    def _row(self, block: Block, box: Box, row: Row, area: Area, height: float) -> Mark:
        letters = self.letters
        y = area.y + height
        text = letters.said(row.text)
        labels = letters.beside(area.x + PAD + INSET, y + 4, text, "route", row.notes)
        paths = tuple(path_of(block, box.ref, to, height, PAD) for to in row.to)
        band = Area(area.x + PAD + 1, y - ROW / 2 + 1, area.w - 2 * PAD - 2, ROW - 2)
        head = "to-any" if row.kind == ANY else "to"
        is_itself = row.ref.kind in (ROUTE, BETWEEN)
        says = self._row_says(row, text)
        mark = Mark(row.ref, band, self._look(row), labels, says, paths, row.to, is_itself, head=head)
        return self._signed(mark, row.sign, y + 4)

    def _signed(self, mark: Mark, sign: Sign | None, y: float) -> Mark:
        """With a sign at the end of the line whose base is at `y`."""
        if sign is None:
            return mark
        word = self.letters.ending(mark.area.x + mark.area.w - INSET, y, sign)
        return replace(
            mark,
            labels=(*mark.labels, word),
            look=f"{mark.look} with-{sign.severity}",
            says=self.letters.said(say("{what} Found: {findings}.", what=mark.says, findings=sign.text)),
            symbol=Symbol(sign.severity, word.x - SIGN / 2 - 2, y - 4),
        )

    def _row_says(self, row: Row, text: str) -> str:
        note = self.letters.joined(row.notes)
        to = tuple(self.plan.boxes[to].title for to in row.to)
        if not to:
            return self.letters.said(say("{name}: {note}.", name=text, note=note))
        return self.letters.said(say("{name}: {note}. It leads to {to}.", name=text, note=note, to=to))

    def _look(self, row: Row) -> str:
        marks = f"{'mirrored' if row.mirrored else ''} {'expired' if row.expired else ''}"
        return f"row {row.kind} w{row.weight} {marks} {self._light(row.about)}"

    def _light(self, about: frozenset[Ref], inside: frozenset[Ref] = frozenset()) -> str:
        """Lit itself; as ever where only something in it is; else dim. What stands for nothing by itself is as ever."""
        if not self.lit or not (about or inside):
            return ""
        if not self.lit.isdisjoint(about):
            return "lit"
        return "dim" if self.lit.isdisjoint(inside) else ""

    def _inside(self, box: Box) -> frozenset[Ref]:
        parts = (part for cell in box.cells for part in (cell.about, *(row.about for row in cell.rows)))
        return frozenset().union(*parts)
