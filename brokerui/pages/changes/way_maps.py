"""Two ways of one conversation as two maps in one layout: what both touch, and how each of them goes through it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from itertools import chain, islice

from brokerui.changes.marks import DROPPED, DraftMarks
from brokerui.estate.refs import DATABASE, OUTSIDE, ROUTE, Ref, database, instance_ref
from brokerui.pages.changes.ways import Way
from brokerui.pages.map.detail import forwarding, outside_box, row_of
from brokerui.pages.map.drawing import pictures_of
from brokerui.pages.map.network import place_of
from brokerui.pages.map.picture import MapPicture
from brokerui.pages.map.plan import DETAIL, DIFFERS, NAMED, REST, Badge, MapBox, MapCell, MapPlan, MapRow
from routing.common.sentence import Sentence, Translate, say, say_counted
from routing.model.estate import Database, Estate
from routing.model.route import Route

MAX_INSTANCES = 12
"""Instances that are drawn; a way through more of them is written in words alone."""
MAX_EDITED = 4
"""Edited routes of one database that are drawn though neither way takes them: they may be why it differs."""


@dataclass(frozen=True, slots=True)
class WaySide:
    """One of the two: its estate, its way in it, and how it names the objects that only the other estate has."""

    estate: Estate
    way: Way
    changes: Mapping[Ref, str]
    """Additions and alterations of the draft, on the side that is the draft's."""
    lacks: Sentence
    """The word for objects that only the other estate has."""
    gone: str
    """The look of it: DROPPED, or `absent` before it is added."""


Sides = tuple[WaySide, WaySide]


@dataclass(frozen=True, slots=True)
class WayMaps:
    """Both maps, with each thing at the same place."""

    before: MapPicture
    after: MapPicture
    left_out: int
    """Instances that are not drawn."""


def way_maps(
    estates: tuple[Estate, Estate],
    ways: tuple[Way, Way],
    marks: DraftMarks | None,
    at: datetime,
    translate: Translate,
) -> WayMaps:
    """Return the maps before and after; `marks`: what turns one estate into the other."""
    before = WaySide(estates[0], ways[0], {}, say("not there yet"), "absent")
    after = WaySide(estates[1], ways[1], marks.changed if marks else {}, say("dropped"), DROPPED)
    parts = _Parts.of((before, after), marks)
    plans = [_Planner(one, other, parts, at).plan() for one, other in ((before, after), (after, before))]
    first, second = pictures_of(plans, translate)
    return WayMaps(first, second, parts.left_out)


@dataclass(frozen=True, slots=True)
class _Parts:
    """Everything that either way touches, in the order in which they come to it."""

    tables: dict[str, dict[str, None]]
    """By instance, its databases."""
    routes: dict[Ref, dict[str, None]]
    """By database, its routes."""
    outsides: tuple[Ref, ...]
    columns: Mapping[Ref, int]
    """By box: sends from where the conversation begins."""
    left_out: int
    """Instances above the most that are drawn."""

    @classmethod
    def of(cls, both: Sides, marks: DraftMarks | None) -> _Parts:
        tables = _tables(both)
        shown = dict(list(tables.items())[:MAX_INSTANCES])
        routes = _routes(both)
        for instance, databases in shown.items():
            for name in databases:
                here = database(instance, name)
                edited = _edited(marks, here) if marks else ()
                routes.setdefault(here, {}).update((ref.name, None) for ref in islice(edited, MAX_EDITED))
        return cls(
            shown, routes, _outsides(both), _columns(both, instance_ref(next(iter(tables)))), len(tables) - len(shown)
        )


def _tables(both: Sides) -> dict[str, dict[str, None]]:
    found: dict[str, dict[str, None]] = {}
    for side in both:
        for ref in (*side.way.tables, *side.way.ends):
            if ref.kind == DATABASE:
                found.setdefault(ref.names[0], {})[ref.name] = None
    return found


def _routes(both: Sides) -> dict[Ref, dict[str, None]]:
    found: dict[Ref, dict[str, None]] = {}
    for side in both:
        for ref in (*side.way.forth, *side.way.back):
            found.setdefault(database(*ref.names[:2]), {})[ref.name] = None
    return found


def _outsides(both: Sides) -> tuple[Ref, ...]:
    ends = (place for side in both for place in side.way.ends)
    led = (place for side in both for place in _places(both, (*side.way.forth, *side.way.back)))
    return tuple(dict.fromkeys(place for place in (*ends, *led) if place.kind == OUTSIDE))


def _columns(both: Sides, start: Ref) -> dict[Ref, int]:
    """Return how many sends lead to each box, at the least; to one that only answers pass, from where they begin."""
    sends: dict[Ref, dict[Ref, None]] = {}
    for side in both:
        for taken in (side.way.forth, side.way.back):
            for ref, places in taken.items():
                sends.setdefault(instance_ref(ref.names[0]), {}).update(places)
    columns = {start: 0}
    for here in (queue := [start]):
        new = [place for place in sends.get(here, ()) if place not in columns]
        columns.update((place, columns[here] + 1) for place in new)
        queue += new
    return columns


def _edited(marks: DraftMarks, here: Ref) -> Iterator[Ref]:
    """The routes of a database that a draft adds, alters or drops."""
    changed = (ref for ref in marks.changed if ref.kind == ROUTE and ref.names[:2] == here.names)
    return chain(marks.dropped_in.get(here, ()), changed)


def _places(both: Iterable[WaySide], routes: Iterable[Ref]) -> Iterable[Ref]:
    """Where routes lead on either side."""
    for ref in routes:
        for side in both:
            found = _route(side.estate, ref)
            if found is not None:
                yield from _leads(side.estate, found)


def _leads(estate: Estate, found: Route) -> tuple[Ref, ...]:
    addresses = (found.address, found.mirror_address) if found.address.is_network else ()
    return tuple(dict.fromkeys(place_of(estate, address) for address in addresses if address is not None))


def _database(estate: Estate, instance: str, name: str) -> Database | None:
    found = estate.instances.get(instance)
    return found.databases.get(name) if found is not None else None


def _route(estate: Estate, ref: Ref) -> Route | None:
    found = _database(estate, *ref.names[:2])
    return found.table.routes.get(ref.name) if found is not None else None


class _Planner:
    """Makes the plan of one side, with the boxes, databases and rows of both."""

    def __init__(self, side: WaySide, other: WaySide, parts: _Parts, at: datetime) -> None:
        self.side = side
        self.other = other
        self.parts = parts
        self.at = at

    def plan(self) -> MapPlan:
        plan = MapPlan(DETAIL, is_draft=True)
        for name, databases in self.parts.tables.items():
            plan.boxes[instance_ref(name)] = self._box(name, databases)
        for place in self.parts.outsides:
            plan.boxes[place] = self._outside(place)
        for ref, box in plan.boxes.items():
            box.column = self.parts.columns.get(ref, 1)
        for row in plan.rows():
            row.to = tuple(place for place in row.to if place in plan.boxes)
        return plan

    def _outside(self, place: Ref) -> MapBox:
        box = outside_box(place.name)
        end, box.look = self._end(place)
        box.notes = (end.text,) if end else box.notes
        return box

    def _box(self, name: str, databases: Iterable[str]) -> MapBox:
        ref, found = instance_ref(name), self.side.estate.instances.get(name)
        cells = [self._cell(name, one) for one in databases]
        if found is None:
            return MapBox(ref, name, (self.side.lacks,), cells, look=self.side.gone)
        return MapBox(ref, name, (forwarding(found),), cells, change=self.side.changes.get(ref, ""))

    def _cell(self, instance: str, name: str) -> MapCell:
        here = database(instance, name)
        found = _database(self.side.estate, instance, name)
        routes = self.parts.routes.get(here, {})
        rows = [self._row(here, one) for one in routes]
        rest = [self._rest(here, estate, len(routes)) for estate in (self.side.estate, self.other.estate)]
        if any(rest):
            rows.append(rest[0] or MapRow(here, REST, "", (), look="absent"))
        if found is None:
            return MapCell(here, name, (self.side.lacks,), rows=rows, look=self.side.gone)
        sign, look = self._end(here)
        step = self.side.way.tables.get(here, 0)
        notes = (f"{step}.",) if step else ()
        look = f"{look} {'asked' if here in self.side.way.tables else ''}"
        return MapCell(here, name, notes, rows=rows, sign=sign, look=look, change=self.side.changes.get(here, ""))

    def _rest(self, here: Ref, estate: Estate, shown: int) -> MapRow | None:
        """The row of the routes that neither way takes."""
        found = _database(estate, *here.names)
        taken = self.parts.routes.get(here, {})
        count = sum(name not in taken for name in found.table.routes) if found is not None else 0
        if not count:
            return None
        text = say_counted(count, "one more route", "{count} more routes") if shown else _only_routes(count)
        return MapRow(here, REST, text, (), routes=count)

    def _row(self, here: Ref, name: str) -> MapRow:
        ref = Ref(ROUTE, (*here.names, name))
        found = _route(self.side.estate, ref)
        if found is None:
            return MapRow(ref, NAMED, name, (self.side.lacks,), look=self.side.gone)
        row = row_of(ref.names[0], ref.names[1], _leads(self.side.estate, found), [found], self.at)
        row.notes = () if row.kind == NAMED else row.notes
        row.change = self.side.changes.get(ref, "")
        taken = ref in self.side.way.forth, ref in self.side.way.back
        row.look = " ".join(look for look, is_so in zip(("forth", "back"), taken, strict=True) if is_so)
        row.stands_back = not any(taken)
        if any(taken) and self._goes(self.side, ref) != self._goes(self.other, ref):
            row.sign, row.look = Badge(DIFFERS, ""), f"{row.look} differs"
        return row

    def _goes(self, side: WaySide, ref: Ref) -> tuple[object, ...]:
        """Whether and where a side takes a route, forth and back."""
        return tuple(frozenset(taken[ref]) if ref in taken else None for taken in (side.way.forth, side.way.back))

    def _end(self, place: Ref) -> tuple[Badge | None, str]:
        """The badge of what ends at a place, and the look where it ends otherwise on the other side."""
        end, other = self.side.way.end_at(place), self.other.way.end_at(place)
        if end is None:
            return None, ""
        kind, words = end
        text = reduce(lambda one, other: say("{one}, {other}", one=one, other=other), words)
        return Badge(kind, text), "" if end == other else "differs"


def _only_routes(count: int) -> Sentence:
    return say_counted(count, "one route", "{count} routes")
