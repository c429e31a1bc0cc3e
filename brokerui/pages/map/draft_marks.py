"""Marks on the map of a draft: what it adds and alters, and what it drops, which is drawn where it was."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from brokerui.changes.marks import ADDED, ALTERED, DROPPED, DraftMarks
from brokerui.estate.refs import DATABASE, OUTSIDE, ROUTE, Ref, instance_ref
from brokerui.pages.map.detail import outside_box, row_of
from brokerui.pages.map.network import RouteNetwork
from brokerui.pages.map.plan import DETAIL, MapBox, MapCell, MapPlan, MapRow, Text
from brokerui.pages.map.scope import Scope
from routing.common.sentence import say
from routing.model.route import Route

WORDS: dict[str, tuple[Text, ...]] = {
    "": (),
    ADDED: (say("added"),),
    ALTERED: (say("altered"),),
    DROPPED: (say("dropped"),),
}


def put_marks(plan: MapPlan, marks: DraftMarks, network: RouteNetwork, scope: Scope, at: datetime) -> None:
    """Mark each row, database and box that the draft touches, and draw what it drops."""
    _DraftMarker(plan, marks, network, scope, at).mark()


class _DraftMarker:
    def __init__(self, plan: MapPlan, marks: DraftMarks, network: RouteNetwork, scope: Scope, at: datetime) -> None:
        self.plan = plan
        self.marks = marks
        self.network = network
        self.scope = scope
        self.at = at

    def mark(self) -> None:
        self.plan.is_draft = True
        for box in list(self.plan.boxes.values()):
            self._mark_box(box)
        if self.plan.level == DETAIL:
            for ref in self.marks.dropped:
                if len(ref.names) == 1:
                    self.plan.boxes[ref] = _ghost_box(ref)

    def _mark_box(self, box: MapBox) -> None:
        box.change = self.marks.of(box.about)
        if not any(cell.ref.kind == DATABASE for cell in box.cells):
            touched = any(ref.names[0] in self.marks.touched for ref in box.about if ref.kind != OUTSIDE)
            box.change = box.change or (ALTERED if touched else "")
        box.notes += WORDS[box.change]
        for cell in box.cells:
            self._mark_cell(cell)
        if box.cells and box.cells[0].ref.kind == DATABASE:
            box.cells += [_ghost_cell(ref) for ref in self.marks.dropped_in.get(box.ref, ())]

    def _mark_cell(self, cell: MapCell) -> None:
        cell.change = self.marks.of(cell.about)
        cell.notes += WORDS[cell.change]
        for row in cell.rows:
            row.change = self.marks.of(row.about)
            row.stands_back = not row.change
            if row.change == ALTERED and row.ref.kind == ROUTE and len(row.about) == 1:
                before = self._places(row.ref, self.marks.before(row.ref))
                row.was = tuple(place for place in before if place not in row.to)
        cell.rows += self._dropped(cell.ref)

    def _dropped(self, here: Ref) -> Iterator[MapRow]:
        for ref in self.marks.dropped_in.get(here, ()):
            before = self.marks.before(ref)
            if ref.kind == ROUTE and self.scope.keeps(before):
                row = row_of(here.names[0], here.name, self._places(ref, before), [before], self.at)
                row.change, row.routes = DROPPED, 0
                yield row

    def _places(self, ref: Ref, before: Route) -> tuple[Ref, ...]:
        """Where a route led: boxes of the map, or addresses that get one."""
        return tuple(filter(self._is_drawn, self.network.places(before) if self._draws(ref, before) else ()))

    def _draws(self, ref: Ref, before: Route) -> bool:
        return all(self.scope.draws(ref.names[0], place) for place in self.network.places(before))

    def _is_drawn(self, place: Ref) -> bool:
        if place.kind == OUTSIDE and self.plan.level == DETAIL:
            self.plan.boxes.setdefault(place, outside_box(place.name))
        return place in self.plan.boxes


def _ghost_box(ref: Ref) -> MapBox:
    return MapBox(instance_ref(ref.name), ref.name, WORDS[DROPPED], about=frozenset({ref}), change=DROPPED)


def _ghost_cell(ref: Ref) -> MapCell:
    return MapCell(ref, ref.name, WORDS[DROPPED], about=frozenset({ref}), change=DROPPED)
