"""The ways back in the picture: dashed, below the tables of each box that they pass, with where they end."""

from __future__ import annotations

from collections.abc import Iterator

from brokerui.pages.where.graph import HOME, Back, Key
from brokerui.pages.where.layout import Layout
from brokerui.pages.where.lettering import back_labels, end_labels
from brokerui.pages.where.picture import Line
from brokerui.pages.where.spots import GUTTER, ICON, LANE, Spot
from routing.common.sentence import say
from routing.rules.decision import DELIVERED, EXITS

BEFORE_BOX = 22
FROM_TARGET, TO_ORIGIN = 10.0, 12.0
"""Below the middle of a cell, so that ways back do not touch the ways forth."""


Drawn = dict[Key, tuple[float, float]]
"""From where to where the track before each box is drawn already: dashes drawn twice would look like none."""


def draw_backs(layout: Layout) -> Iterator[Line]:
    """Every piece of every way back."""
    drawn: Drawn = {}
    for spot in layout.spots.values():
        for name, back in spot.box.backs.items():
            y = spot.y + spot.back_at[name]
            yield _piece(layout, spot, name, back, y, drawn)


def _piece(layout: Layout, spot: Spot, name: object, back: Back, y: float, drawn: Drawn) -> Line:
    path = _leaving(spot, back, y)
    if back.to is not None:
        return _passing(layout, spot, name, back, path, drawn)
    if back.kind == HOME:
        return _coming_home(layout, spot, back, path, y)
    if back.kind == EXITS:
        return _exiting(layout, spot, back, path, y)
    return _ending(layout, spot, back, path, y)


def _leaving(spot: Spot, back: Back, y: float) -> str:
    """From the target, or from where it came into the box, to the height on which it goes on."""
    if back.source is None:
        return f"M{spot.x + spot.w:g} {spot.backs_in:g}H{spot.x + spot.w - 8:g}V{y:g}"
    start = spot.y + _target_at(spot, back.source) + FROM_TARGET
    sources = list(dict.fromkeys(one.source for one in spot.box.backs.values() if one.source is not None))
    x = spot.x + spot.w - 19 + 5 * (sources.index(back.source) % 3)
    return f"M{spot.x + spot.w - GUTTER:g} {start:g}H{x:g}V{y:g}"


def _target_at(spot: Spot, database: str) -> float:
    """The middle of a target's cell; the last of the box where the target is not drawn by itself."""
    for asker, one in spot.box.askers.items():
        for key, stop in one.stops.items():
            if stop.kind == DELIVERED and stop.title == database:
                return spot.stop_at[asker, key]
    return max(spot.stop_at.values(), default=spot.h - LANE)


def _passing(layout: Layout, spot: Spot, name: object, back: Back, path: str, drawn: Drawn) -> Line:
    """On to another box: the next at the left, or below all boxes to any other."""
    assert back.to is not None
    y = spot.y + spot.back_at[name]
    worded = back_labels(back)
    labels = layout.letters.beside(spot.x - BEFORE_BOX - layout.letters.widest(worded), y, worded)
    below = ("back", spot.box.key, name)
    if layout.has_track(below):
        y = layout.below_y()
        path += f"H{layout.track_x(below):g}V{y:g}"
    path += f"H{layout.track_x(('into', back.to)):g}" + _joining(layout.spots[back.to], y, drawn)
    return Line(path, "back", "", labels, _says(layout, spot, back))


def _joining(to: Spot, y: float, drawn: Drawn) -> str:
    """On the track before a box: as far as it is drawn already, the first to the box itself."""
    key, into = to.box.key, to.backs_in
    if key not in drawn:
        drawn[key] = min(y, into), max(y, into)
        return f"V{into:g}H{to.x + to.w:g}"
    top, bottom = drawn[key]
    drawn[key] = min(y, top), max(y, bottom)
    return f"V{min(max(y, top), bottom):g}"


def _coming_home(layout: Layout, spot: Spot, back: Back, path: str, y: float) -> Line:
    """Up the left side to the database that began the conversation."""
    begun = [at for name, at in spot.asker_at.items() if not spot.box.askers[name].from_outside]
    origin = spot.y + (begun[0] if begun else LANE) + TO_ORIGIN
    labels = layout.letters.beside(spot.x + GUTTER, y, end_labels(back))
    path += f"H{spot.x + 16:g}V{origin:g}H{spot.x + GUTTER:g}"
    return Line(path, "back", HOME, labels, _says(layout, spot, back))


def _exiting(layout: Layout, spot: Spot, back: Back, path: str, y: float) -> Line:
    worded = back_labels(back)
    x = spot.x - BEFORE_BOX - layout.letters.widest(worded)
    labels = layout.letters.beside(x, y, worded)
    return Line(f"{path}H{x - 6:g}", "back", EXITS, labels, _says(layout, spot, back))


def _ending(layout: Layout, spot: Spot, back: Back, path: str, y: float) -> Line:
    """In this box, as shape and word."""
    label = layout.letters.label(spot.x + GUTTER + ICON, y + 4, back.note, "end")
    path += f"H{label.area.x + label.area.w + 8:g}"
    return Line(path, "back", back.kind, (label,), _says(layout, spot, back), (spot.x + GUTTER, y - 6))


def _says(layout: Layout, spot: Spot, back: Back) -> str:
    instance = spot.box.title
    if back.to is not None:
        routes = tuple(back.routes)
        text = say("Way back: from {instance} to {to} by {route}.", instance=instance, to=back.to.name, route=routes)
    elif back.kind == HOME:
        text = say("Way back: it comes home on {instance}.", instance=instance)
    else:
        text = say("Way back: it ends at {instance}: {why}.", instance=instance, why=back.note)
    return layout.letters.said(text)
