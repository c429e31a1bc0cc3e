"""Where everything in the picture stands. Columns by hop; ends beside the table that led to them; ways back below.

A column of boxes has a channel at its left. The right part of a channel holds the labels of the lines into and out
of the boxes beside it, each on a height of its own; the left part holds the tracks on which lines change their
height. A line that does not go to the next column runs below all boxes.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from math import ceil

from brokerui.explain.graph import EXIT, HOME, INSTANCE, PASSES, Asker, Back, Box, Graph, Key, Lead, Stop, Text
from brokerui.explain.measure import shorten, width
from brokerui.explain.picture import FONTS, Area, Cell, Frame, Label, Line, Picture
from routing.decision import DELIVERED, EXITS
from routing.sentence import Sentence, Translate, say

CELL, ROW, HEAD, PAD, GUTTER = 50.0, 64.0, 40.0, 16.0, 26.0
LANE, TRACK, GAP, EDGE = 42.0, 9.0, 22.0, 10.0
ROOM = {"name": 200.0, "note": 190.0, "route": 190.0, "address": 210.0}
"""The most that one text may take."""
ICON = 17.0


@dataclass(slots=True)
class Spot:
    """A box with its measures; heights are from its top until `y` is known."""

    box: Box
    w: float = 0.0
    h: float = 0.0
    x: float = 0.0
    y: float = 0.0
    left: float = 0.0
    """Width of the tables asked."""
    right: float = 0.0
    """Width of the ends."""
    asker_at: dict[object, float] = field(default_factory=dict)
    """Middle of each table asked."""
    stop_at: dict[tuple[object, object], float] = field(default_factory=dict)
    entries: list[float] = field(default_factory=list)
    back_at: dict[object, float] = field(default_factory=dict)

    @property
    def ends_x(self) -> float:
        """Where the ends stand."""
        return self.w - GUTTER - self.right


class Layout:
    """One picture in the making."""

    def __init__(self, graph: Graph, translate: Translate = str) -> None:
        self.graph = graph
        self.translate = translate
        self.spots = {key: Spot(box) for key, box in graph.boxes.items()}
        self.tracks: dict[int, int] = defaultdict(int)
        self.track_of: dict[object, tuple[int, int]] = {}
        self.channel_x: dict[int, float] = {}
        self.below = 0
        self.bottom = 0.0

    def picture(self, sentence: str) -> Picture:
        """Measures, places, draws."""
        self._count_entries()
        for spot in self.spots.values():
            self._measure(spot)
        self._reserve_tracks()
        right = self._place()
        made = Picture(right, 0.0, sentence)
        made.frames = [self._frame(spot) for spot in self.spots.values()]
        made.lines = [*self._forth(), *self._back()]
        made.height = self.bottom + self.below * 14 + (GAP if self.below else EDGE)
        return made

    # -- Measures ------------------------------------------------------------------------------------------

    def _count_entries(self) -> None:
        """A height for each line that comes to a box, in the order in which they are drawn."""
        if self.graph.from_outside:
            self.spots[self.graph.start].entries.append(0.0)
        for spot in self.spots.values():
            for asker in spot.box.askers.values():
                for lead in asker.leads.values():
                    self.spots[lead.to].entries.append(0.0)

    def _measure(self, spot: Spot) -> None:
        box = spot.box
        if box.key.kind == EXIT:
            spot.h = HEAD + 20
            spot.w = max(self._wide(box.title, "name"), self._wide(box.note, "note")) + 2 * PAD + ICON
            entry = spot.h / 2
        else:
            rows = self._measure_rows(spot)
            spot.h = HEAD + max(rows * ROW - (ROW - CELL), 0.0) + PAD
            spot.w = self._width_of(spot)
            entry = spot.asker_at.get(self._from_outside(box), HEAD + CELL / 2)
        spot.entries = [entry + LANE * index for index in range(len(spot.entries))]
        lowest = spot.entries[-1] if spot.entries else 0.0
        spot.h = max(spot.h, lowest + LANE / 2 + 4)
        self._measure_backs(spot, max(spot.h + 6, lowest + LANE))

    def _measure_rows(self, spot: Spot) -> int:
        row = 0
        for name, asker in spot.box.askers.items():
            spot.asker_at[name] = HEAD + row * ROW + CELL / 2
            row += 1 if asker.leads else 0
            for key in asker.stops:
                spot.stop_at[name, key] = HEAD + row * ROW + CELL / 2
                row += 1
            row += 0 if asker.leads or asker.stops else 1
        return row

    def _measure_backs(self, spot: Spot, first: float) -> None:
        for index, key in enumerate(spot.box.backs):
            spot.back_at[key] = first + 8 + index * LANE
        if spot.back_at:
            spot.h = max(spot.back_at.values()) + LANE / 2 + 4

    def _width_of(self, spot: Spot) -> float:
        askers = spot.box.askers.values()
        stops = [stop for asker in askers for stop in asker.stops.values()]
        spot.left = max((self._cell_width(a.title, a.note) for a in askers), default=0.0)
        spot.right = max((self._cell_width(s.title, s.note) + ICON for s in stops), default=0.0)
        between = max((self._wide(self._routes(s.routes), "route") for s in stops), default=-46.0) + 46
        head = self._wide(spot.box.title, "name") + self._wide(spot.box.note, "note") + 3 * PAD
        ends = max((self._wide(t, r) for b in spot.box.backs.values() for t, r in self._end_labels(b)), default=0.0)
        return max(2 * GUTTER + spot.left + between + spot.right, head, ends + 2 * GUTTER + ICON + 30)

    def _cell_width(self, title: Text, note: Text) -> float:
        return max(self._wide(title, "name"), self._wide(note, "note"), 60.0) + 26

    def _wide(self, text: Text, role: str) -> float:
        size, mono = FONTS[role]
        return ceil(min(width(self._said(text), size, mono=mono), ROOM[role]))

    def _said(self, text: Text) -> str:
        return text.render(self.translate) if isinstance(text, Sentence) else text

    def _routes(self, names: list[str]) -> str:
        """The first of the routes, and how many more."""
        return f"{names[0]} +{len(names) - 1}" if len(names) > 1 else "".join(names)

    # -- Places --------------------------------------------------------------------------------------------

    def _from_outside(self, box: Box) -> object:
        return next((name for name, asker in box.askers.items() if asker.from_outside), None)

    def _reserve_tracks(self) -> None:
        """Which track of which channel each line takes, before the channels' widths are known."""
        for key, spot in self.spots.items():
            for name, asker in spot.box.askers.items():
                for lead in asker.leads.values():
                    self._reserve_forth(key, name, lead)
            for name, back in spot.box.backs.items():
                if back.to is not None:
                    self._reserve_back(key, name, back.to)

    def _reserve_forth(self, key: Key, asker: object, lead: Lead) -> None:
        here, there = self.spots[key].box.column, self.spots[lead.to].box.column
        self._track(("out", key, asker), here + 1)
        if there != here + 1:
            self._track(("in", key, asker, lead.to), there)

    def _reserve_back(self, key: Key, name: object, to: Key) -> None:
        here, there = self.spots[key].box.column, self.spots[to].box.column
        self._track(("back", key, name), here)
        if there != here - 1:
            self._track(("home", key, name), there + 1)

    def _track(self, name: object, channel: int) -> None:
        if name not in self.track_of:
            self.track_of[name] = channel, self.tracks[channel]
            self.tracks[channel] += 1

    def _place(self) -> float:
        """Columns from left to right, boxes in each from top to bottom; gives back where the picture ends."""
        columns: dict[int, list[Spot]] = defaultdict(list)
        for spot in self.spots.values():
            columns[spot.box.column].append(spot)
        x = EDGE
        for column in range(max(columns) + 1):
            self.channel_x[column] = x
            x += self._channel(column, columns[column])
            y = EDGE
            for spot in columns[column]:
                spot.x, spot.y = x, y
                y += spot.h + GAP
            self.bottom = max(self.bottom, y - GAP)
            x += max(spot.w for spot in columns[column])
        self.channel_x[max(columns) + 1] = x
        return x + (self.tracks[max(columns) + 1] * TRACK + 14 if self.tracks[max(columns) + 1] else 0) + EDGE

    def _channel(self, column: int, spots: list[Spot]) -> float:
        """Room for its tracks, then for the labels of the boxes at its right."""
        wide = max((self._wide(text, role) for spot in spots for text, role in self._beside(spot)), default=0.0)
        tracks = self.tracks[column] * TRACK + 14 if self.tracks[column] else 0.0
        return tracks + (wide + 34 if wide else 0.0 if column == 0 else 30.0)

    def _beside(self, spot: Spot) -> list[tuple[Text, str]]:
        """The labels at the left of a box."""
        found: list[tuple[Text, str]] = []
        if self.graph.from_outside and spot.box.key == self.graph.start:
            found.append((FROM_OUTSIDE, "note"))
        for other in self.spots.values():
            for asker in other.box.askers.values():
                if lead := asker.leads.get(spot.box.key):
                    found += self._lead_labels(lead)
        for back in spot.box.backs.values():
            if back.to is not None or back.kind == EXITS:
                found += self._back_labels(back)
        return found

    def _lead_labels(self, lead: Lead) -> list[tuple[Text, str]]:
        labels: list[tuple[Text, str]] = [(self._routes(lead.routes), "route")]
        return labels if lead.to.kind == EXIT else [*labels, (self._routes(lead.addresses), "address")]

    def _back_labels(self, back: Back) -> list[tuple[Text, str]]:
        note = say("exits: {address}", address=back.note) if back.kind == EXITS else back.note
        return [(self._routes(back.routes), "route"), (note, "address")]

    def _end_labels(self, back: Back) -> list[tuple[Text, str]]:
        """The labels of a way back that ends in its box."""
        if back.kind in (PASSES, EXITS):
            return []
        if back.kind == HOME:
            return [(self._routes(back.routes), "route")]
        return [(back.note, "note")]

    # -- Boxes ---------------------------------------------------------------------------------------------

    def _frame(self, spot: Spot) -> Frame:
        box, area = spot.box, Area(spot.x, spot.y, spot.w, spot.h)
        if box.key.kind == EXIT:
            return self._exit_frame(spot, area)
        title = self._label(spot.x + PAD, spot.y + 25, box.title, "name")
        note = self._label(title.area.x + title.area.w + 10, spot.y + 25, box.note, "note")
        frame = Frame(area, box.key.kind, (title, note), self._box_says(box))
        for name, asker in box.askers.items():
            frame.cells.append(self._cell(spot, GUTTER, spot.asker_at[name], spot.left, "asks", asker))
            for key, stop in asker.stops.items():
                at = spot.stop_at[name, key]
                frame.cells.append(self._cell(spot, spot.ends_x, at, spot.right, stop.kind, stop))
        return frame

    def _exit_frame(self, spot: Spot, area: Area) -> Frame:
        x = spot.x + PAD + ICON
        title = self._label(x, spot.y + 26, spot.box.title, "name")
        note = self._label(x, spot.y + 46, spot.box.note, "note")
        return Frame(area, EXIT, (title, note), self._box_says(spot.box))

    def _cell(self, spot: Spot, x: float, middle: float, wide: float, kind: str, content: Asker | Stop) -> Cell:
        area = Area(spot.x + x, spot.y + middle - CELL / 2, wide, CELL)
        text = area.x + 13 + (0 if kind == "asks" else ICON)
        name = self._label(text, area.y + 21, content.title, "name")
        return Cell(area, kind, (name, self._label(area.x + 13, area.y + 40, content.note, "note")))

    def _box_says(self, box: Box) -> str:
        parts = [say("{name}: {note}.", name=box.title, note=box.note)]
        for asker in box.askers.values():
            parts.append(say("{table}: {note}.", table=asker.title, note=asker.note))
            parts += [say("{title}: {note}.", title=stop.title, note=stop.note) for stop in asker.stops.values()]
        return " ".join(part.render(self.translate) for part in parts)

    def _label(self, x: float, y: float, text: Text, role: str) -> Label:
        size, mono = FONTS[role]
        full = self._said(text)
        return Label(x, y, shorten(full, ROOM[role], size, mono=mono), full, role)

    # -- Lines ---------------------------------------------------------------------------------------------

    def _x(self, name: object) -> float:
        channel, index = self.track_of[name]
        return self.channel_x[channel] + 10 + index * TRACK

    def _below(self) -> float:
        """The height of the next line below all boxes."""
        self.below += 1
        return self.bottom + self.below * 14

    def _forth(self) -> list[Line]:
        lines: list[Line] = []
        taken: dict[Key, int] = defaultdict(int)
        if self.graph.from_outside:
            lines.append(self._arrival(self.spots[self.graph.start]))
            taken[self.graph.start] = 1
        for key, spot in self.spots.items():
            for name, asker in spot.box.askers.items():
                lines += [self._inner(spot, name, stop_key, stop) for stop_key, stop in asker.stops.items()]
                for lead in asker.leads.values():
                    lines.append(self._send(key, name, asker, lead, taken[lead.to]))
                    taken[lead.to] += 1
        return lines

    def _arrival(self, spot: Spot) -> Line:
        y = spot.y + spot.entries[0]
        start = spot.x - 34 - self._wide(FROM_OUTSIDE, "note")
        label = self._label(start + 8, y - 8, FROM_OUTSIDE, "note")
        says = say("From outside to {instance}.", instance=spot.box.title)
        return Line(f"M{start:g} {y:g}{self._entering(spot, y)}", "forth", "arrives", (label,), self._said(says))

    def _entering(self, spot: Spot, y: float) -> str:
        """From beside a box to the table that is asked in it."""
        if spot.box.key.kind != INSTANCE and not spot.box.askers:
            return f"H{spot.x:g}"
        middle = spot.y + spot.asker_at.get(self._from_outside(spot.box), y - spot.y)
        turn = f"H{spot.x + 10:g}V{middle:g}" if middle != y else ""
        return f"{turn}H{spot.x + GUTTER:g}"

    def _inner(self, spot: Spot, asker: object, key: object, stop: Stop) -> Line:
        """From a table to an end in the same box."""
        x, y = spot.x + GUTTER + spot.left, spot.y + spot.asker_at[asker]
        to_y, to_x = spot.y + spot.stop_at[asker, key], spot.x + spot.ends_x
        turn = f"H{x + 12:g}V{to_y:g}" if to_y != y else ""
        label = self._label(x + 20, to_y - 8, self._routes(stop.routes), "route")
        says = say("{route}: {title}, {note}.", route=self._routes(stop.routes), title=stop.title, note=stop.note)
        return Line(
            f"M{x:g} {y:g}{turn}H{to_x:g}", "forth", stop.kind, (label,) if label.text else (), self._said(says)
        )

    def _send(self, key: Key, name: object, asker: Asker, lead: Lead, entry: int) -> Line:
        """From a table to another box: on to the next column, or below all boxes to any other."""
        spot, to = self.spots[key], self.spots[lead.to]
        y = to.y + to.entries[entry]
        path = f"M{spot.x + GUTTER + spot.left:g} {spot.y + spot.asker_at[name]:g}H{self._x(('out', key, name)):g}"
        if ("in", key, name, lead.to) in self.track_of:
            path += f"V{self._below():g}H{self._x(('in', key, name, lead.to)):g}"
        path += f"V{y:g}{self._entering(to, y)}"
        says = say(
            "By {route} from {table} on {instance} to {to}, {address}.",
            route=tuple(lead.routes),
            table=asker.title,
            instance=spot.box.title,
            to=to.box.title,
            address=tuple(lead.addresses),
        )
        return Line(path, "forth", "sends", self._beside_at(to, y, self._lead_labels(lead)), self._said(says))

    def _beside_at(self, spot: Spot, y: float, labels: list[tuple[Text, str]]) -> tuple[Label, ...]:
        """Labels at the left of a box, above and below a line into or out of it."""
        x = spot.x - 22 - max(self._wide(text, role) for text, role in labels)
        heights = (y - 8, y + 17)
        placed = [self._label(x, at, text, role) for at, (text, role) in zip(heights, labels, strict=False)]
        return tuple(label for label in placed if label.text)

    def _back(self) -> list[Line]:
        return [
            self._piece(key, name, back) for key, spot in self.spots.items() for name, back in spot.box.backs.items()
        ]

    def _piece(self, key: Key, name: object, back: Back) -> Line:
        spot = self.spots[key]
        y = spot.y + spot.back_at[name]
        path = self._leaving(spot, back, y)
        if back.to is not None:
            return self._passing(key, name, back, path)
        if back.kind == HOME:
            return self._coming_home(spot, back, path, y)
        if back.kind == EXITS:
            labels = self._beside_at(spot, y, self._back_labels(back))
            path += f"H{min(label.x for label in labels) - 6:g}"
            return Line(path, "back", EXITS, labels, self._says_back(spot, back))
        label = self._label(spot.x + GUTTER + ICON, y + 4, back.note, "note")
        path += f"H{label.area.x + label.area.w + 8:g}"
        shape = (spot.x + GUTTER, y - 6)
        return Line(path, "back", back.kind, (label,), self._says_back(spot, back), shape)

    def _leaving(self, spot: Spot, back: Back, y: float) -> str:
        """From the target, or from where it came into the box, to the height on which it goes on."""
        if back.source is None:
            return f"M{spot.x + spot.w:g} {self._in_y(spot):g}H{spot.x + spot.w - 8:g}V{y:g}"
        at = [
            (asker, key)
            for asker, one in spot.box.askers.items()
            for key, stop in one.stops.items()
            if stop.kind == DELIVERED and stop.title == back.source
        ]
        start = spot.y + (spot.stop_at[at[0]] + 10 if at else spot.h - LANE)
        return f"M{spot.x + spot.w - GUTTER:g} {start:g}H{spot.x + spot.w - 14:g}V{y:g}"

    def _in_y(self, spot: Spot) -> float:
        """The height at which ways back come into a box from its right."""
        passing = [spot.back_at[name] for name, back in spot.box.backs.items() if back.source is None]
        return spot.y + (passing[0] if passing else spot.h - LANE / 2)

    def _passing(self, key: Key, name: object, back: Back, path: str) -> Line:
        assert back.to is not None
        spot, to = self.spots[key], self.spots[back.to]
        path += f"H{self._x(('back', key, name)):g}"
        if ("home", key, name) in self.track_of:
            path += f"V{self._below():g}H{self._x(('home', key, name)):g}"
        path += f"V{self._in_y(to):g}H{to.x + to.w:g}"
        labels = self._beside_at(spot, spot.y + spot.back_at[name], self._back_labels(back))
        return Line(path, "back", "", labels, self._says_back(spot, back))

    def _coming_home(self, spot: Spot, back: Back, path: str, y: float) -> Line:
        """Up the left side to the table of the database that began the conversation."""
        origin = next((at for name, at in spot.asker_at.items() if name is not None), spot.h / 2)
        label = self._label(spot.x + GUTTER, y - 7, self._routes(back.routes), "route")
        path += f"H{spot.x + 16:g}V{spot.y + origin + 12:g}H{spot.x + GUTTER:g}"
        return Line(path, "back", HOME, (label,) if label.text else (), self._says_back(spot, back))

    def _says_back(self, spot: Spot, back: Back) -> str:
        if back.to is not None:
            text = say(
                "Way back: from {instance} to {to} by {route}.",
                instance=spot.box.title,
                to=back.to.name,
                route=tuple(back.routes),
            )
        elif back.kind == HOME:
            text = say("Way back: it comes home on {instance}.", instance=spot.box.title)
        else:
            text = say("Way back: it ends at {instance}: {why}.", instance=spot.box.title, why=back.note)
        return self._said(text)


FROM_OUTSIDE = say("from outside")
