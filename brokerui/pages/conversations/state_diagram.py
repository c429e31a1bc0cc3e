"""The states of a conversation as a picture, from the engine's table, with the present states marked. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from brokerui.drawing.area import Area
from brokerui.pages.conversations.wording import STATE_WORDS
from routing.dialog.states import AS_INITIATOR, AS_TARGET, CD, CO, DI, DO, ER, INPUTS, NONE, SI, SO

WIDTH, HEIGHT = 300, 268
BOX_W, BOX_H, COLUMN, ROW = 86, 40, 100, 72
_PLACES: Final[Mapping[str, tuple[int, int]]] = {
    SO: (0, 0),
    SI: (2, 0),
    CO: (1, 1),
    DO: (0, 2),
    ER: (1, 2),
    DI: (2, 2),
    CD: (1, 3),
}
"""Column and row of each state."""


@dataclass(frozen=True, slots=True)
class StateBox:
    """One state."""

    code: str
    words: str
    area: Area
    whose: str
    """`initiator`, `target` or `both`, where sides are in it; empty: no side is."""

    @property
    def middle(self) -> float:
        return self.area.x + self.area.w / 2


@dataclass(frozen=True, slots=True)
class StateEdge:
    """A transition of either role; several inputs are one line."""

    path: str
    is_next: bool
    """Whether a present state leads there."""


@dataclass(frozen=True, slots=True)
class NextState:
    """A state that a side can come to, and the inputs that lead there."""

    code: str
    """Empty: the endpoint is gone."""
    words: str
    inputs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StateDiagram:
    """Everything to draw."""

    boxes: tuple[StateBox, ...]
    edges: tuple[StateEdge, ...]
    width: int = WIDTH
    height: int = HEIGHT


_TABLES: Final = {True: AS_INITIATOR, False: AS_TARGET}
"""By whether the side is the initiator."""


def state_diagram(initiator: str | None, target: str | None) -> StateDiagram:
    """The states with those of both sides marked; None: that side is not known."""
    present = {True: initiator, False: target}
    boxes = {code: _box(code, _whose(code, initiator, target)) for code in _PLACES}
    ways = {(one, to): False for is_initiator in _TABLES for one in _PLACES for to in _followers(one, is_initiator)}
    for is_initiator, state in present.items():
        ways |= {(state, to): True for to in _followers(state or NONE, is_initiator) if state}
    edges = [StateEdge(_path(boxes[one].area, boxes[to].area), is_next) for (one, to), is_next in ways.items()]
    return StateDiagram(tuple(boxes.values()), tuple(sorted(edges, key=lambda edge: edge.is_next)))


def next_states(state: str, *, is_initiator: bool) -> tuple[NextState, ...]:
    """The states that a side can come to; inputs that leave it in its state are left out."""
    found: dict[str, list[str]] = {}
    for (one, given), to in _TABLES[is_initiator].items():
        if one == state and isinstance(to, str) and to != state:
            found.setdefault(to, []).append(INPUTS[given])
    return tuple(NextState(code, str(STATE_WORDS.get(code, "")), tuple(inputs)) for code, inputs in found.items())


def _followers(state: str, is_initiator: bool) -> set[str]:
    """Other states that the table leads to; that the endpoint is gone is not drawn."""
    ways = _TABLES[is_initiator].items()
    return {to for (one, _given), to in ways if one == state and isinstance(to, str) and to not in (state, NONE)}


def _whose(code: str, initiator: str | None, target: str | None) -> str:
    if code == initiator == target:
        return "both"
    return "initiator" if code == initiator else "target" if code == target else ""


def _box(code: str, whose: str) -> StateBox:
    column, row = _PLACES[code]
    area = Area(7 + column * COLUMN, 6 + row * ROW, BOX_W, BOX_H)
    return StateBox(code, str(STATE_WORDS[code]), area, whose)


def _path(start: Area, end: Area) -> str:
    """A curve from below one box to above another one; level ones are joined at their sides."""
    if start.y == end.y:
        x, to_x = (start.x + start.w, end.x) if start.x < end.x else (start.x, end.x + end.w)
        return f"M{x:g} {start.y + start.h / 2:g}H{to_x:g}"
    x, y, to_x, to_y = start.x + start.w / 2, start.y + start.h, end.x + end.w / 2, end.y
    half = (y + to_y) / 2
    return f"M{x:g} {y:g}C{x:g} {half:g} {to_x:g} {half:g} {to_x:g} {to_y:g}"
