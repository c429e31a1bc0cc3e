"""Return paths in the picture: dashed, below the tables of each box that they pass, with where they end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from brokerui.drawing.area import Area
from brokerui.drawing.layered.edge_path import PathPoint, svg_path
from brokerui.drawing.layered.spacing import LABEL_GAP
from brokerui.pages.where.box_metrics import GUTTER, LINE_GAP, SYMBOL, PathBoxMetrics
from brokerui.pages.where.graph import HOME, MORE, BoxKey, PathBox, ReturnPiece
from brokerui.pages.where.path_layout import BACK, STUB, PathLayout
from brokerui.pages.where.path_text import end_labels, return_labels
from brokerui.pages.where.picture import PathLine
from routing.common.sentence import say
from routing.rules.decision import DELIVERED, EXITS

BELOW_TARGET, BELOW_ORIGIN = 10.0, 12.0
"""Below the middle of a cell, so that lines back do not touch lines forth."""


class ReturnPathDrawer:
    """Draws every piece of every return path."""

    def __init__(self, placed: PathLayout) -> None:
        self.placed = placed
        self.texts = placed.texts
        self.drawn: dict[tuple[BoxKey, float], tuple[float, float]] = {}
        """How far the track at this x, on the way to this box, is drawn: dashes drawn twice would look solid."""

    def lines(self) -> Iterator[PathLine]:
        for key, metrics in self.placed.metrics.items():
            for name, back in metrics.box.backs.items():
                yield self._piece(metrics, self.placed.layout.boxes[key], name, back)

    def _piece(self, metrics: PathBoxMetrics, area: Area, name: object, back: ReturnPiece) -> PathLine:
        y = area.y + metrics.return_y[name]
        points = self._leaving(metrics, area, back, y)
        if back.to is not None:
            return self._passing(metrics.box, name, back, points)
        if back.kind == HOME:
            return self._coming_home(metrics.box, area, back, points, y)
        if back.kind == EXITS:
            return self._exiting(metrics.box, area, back, points, y)
        return self._ending(metrics.box, area, back, points, y)

    def _leaving(self, metrics: PathBoxMetrics, area: Area, back: ReturnPiece, y: float) -> list[PathPoint]:
        """From the target, or from where it came into the box, to the height at which it goes on."""
        right = area.x + area.w
        if back.source is None:
            start = area.y + metrics.return_entry_y
            return [(right, start), (right - 8, start), (right - 8, y)]
        start = self._target_y(metrics.box, area, back.source) + BELOW_TARGET
        sources = list(dict.fromkeys(one.source for one in metrics.box.backs.values() if one.source is not None))
        x = right - 19 + 5 * (sources.index(back.source) % 3)
        return [(right - GUTTER, start), (x, start), (x, y)]

    def _target_y(self, box: PathBox, area: Area, database: str) -> float:
        """The middle of a target's cell; of the last cell of the box if the target is not drawn by itself."""
        middle = area.y + area.h - LINE_GAP
        for table, asker in box.askers.items():
            for key, stop in asker.stops.items():
                cell = self.placed.end(box, table, key)
                middle = cell.y + cell.h / 2
                if stop.kind == DELIVERED and stop.title == database:
                    return middle
        return middle

    def _passing(self, box: PathBox, name: object, back: ReturnPiece, points: list[PathPoint]) -> PathLine:
        """On to another box."""
        assert back.to is not None
        path = self.placed.layout.paths[BACK, box.key, name]
        labels = self.texts.beside(*path.label, return_labels(back)) if path.label else ()
        points += self._until_drawn(back.to, path.points)
        return PathLine(svg_path(points), "back", "", labels, self._says(box, back))

    def _until_drawn(self, to: BoxKey, points: Sequence[PathPoint]) -> list[PathPoint]:
        """The line as far as the track where it meets one that is drawn already; the first line comes to the box."""
        kept = [points[0]]
        for (from_x, from_y), (x, y) in pairwise(points):
            if from_x == x and (to, x) in self.drawn:
                top, bottom = self.drawn[to, x]
                self.drawn[to, x] = min(top, from_y), max(bottom, from_y)
                return [*kept, (x, min(max(from_y, top), bottom))]
            if from_x == x:
                self.drawn[to, x] = min(from_y, y), max(from_y, y)
            kept.append((x, y))
        return kept

    def _coming_home(self, box: PathBox, area: Area, back: ReturnPiece, points: list[PathPoint], y: float) -> PathLine:
        """Up the left side to the database that began the conversation."""
        begun = [self.placed.table(box, name) for name, asker in box.askers.items() if not asker.from_outside]
        origin = (begun[0].y + begun[0].h / 2 if begun else area.y + LINE_GAP) + BELOW_ORIGIN
        labels = self.texts.beside(area.x + GUTTER, y, end_labels(back))
        points += [(area.x + 16, y), (area.x + 16, origin), (area.x + GUTTER, origin)]
        return PathLine(svg_path(points), "back", HOME, labels, self._says(box, back))

    def _exiting(self, box: PathBox, area: Area, back: ReturnPiece, points: list[PathPoint], y: float) -> PathLine:
        """Out of the estate, at the left."""
        texts = return_labels(back)
        x = area.x - LABEL_GAP - self.texts.widest(texts)
        labels = self.texts.beside(x, y, texts)
        return PathLine(svg_path([*points, (x - STUB, y)]), "back", EXITS, labels, self._says(box, back))

    def _ending(self, box: PathBox, area: Area, back: ReturnPiece, points: list[PathPoint], y: float) -> PathLine:
        """End the line in this box, with a shape and a word; paths that are only counted have no shape."""
        is_counted = back.kind == MORE
        left = area.x + GUTTER
        label = self.texts.label(left if is_counted else left + SYMBOL, y + 4, back.note, "end")
        path = svg_path([*points, (label.area.x + label.area.w + 8, y)])
        shape_at = None if is_counted else (left, y - 6)
        return PathLine(path, "back", back.kind, (label,), self._says(box, back), shape_at)

    def _says(self, box: PathBox, back: ReturnPiece) -> str:
        instance = box.title
        if back.to is not None:
            routes = tuple(back.routes)
            text = say(
                "Way back: from {instance} to {to} by {route}.", instance=instance, to=back.to.name, route=routes
            )
        elif back.kind == HOME:
            text = say("Way back: it comes home on {instance}.", instance=instance)
        else:
            text = say("Way back: it ends at {instance}: {why}.", instance=instance, why=back.note)
        return self.texts.render(text)
