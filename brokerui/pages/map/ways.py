"""The way of each line: from its row past the columns between to the box that it leads to.

All lines to a box come together: they share a track in the channel beside it, and a slot in each column that
they pass. A slot is room for one line between two boxes. So lines never run through a box, nor upon one another
unless they lead to the same place.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from brokerui.estate.refs import Ref
from brokerui.pages.map.columns import Column, Edges

RIGHT, LEFT = "right", "left"
SWEEPS = 4


@dataclass(frozen=True, slots=True)
class Slot:
    """Room in a column for the lines that pass it on their way to a box."""

    to: Ref
    column: int
    going: str


Item = Ref | Slot
"""What stands in a column."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A piece of a way: through a channel to the slot beside it, or to the box where it ends."""

    channel: int
    """That between the column of this number and the next."""
    to: Item
    going: str
    """From which column of the channel it enters `to`."""


Way = tuple[Stage, ...]


class Ways:
    """The ways of all lines of a connected part, and its columns with the slots that they take."""

    def __init__(self, columns: Sequence[Column], edges: Edges) -> None:
        self.column = {ref: index for index, column in enumerate(columns) for ref in column}
        self.ways: dict[tuple[Ref, Ref], Way] = {
            (source, target): self._way(source, target) for source in self.column for target in edges.get(source, ())
        }
        self.items: list[list[Item]] = [list(column) for column in columns]
        slots = dict.fromkeys(stage.to for way in self.ways.values() for stage in way if isinstance(stage.to, Slot))
        for slot in slots:
            self.items[slot.column].append(slot)
        self._sort()

    def leaves(self, source: Ref, target: Ref) -> str:
        """At which side a line leaves its box."""
        return LEFT if self.column[target] < self.column[source] else RIGHT

    def _way(self, source: Ref, target: Ref) -> Way:
        here, there = self.column[source], self.column[target]
        if there == here:
            return (Stage(here, target, LEFT),)
        if there > here:
            passed = [Stage(column - 1, Slot(target, column, RIGHT), RIGHT) for column in range(here + 1, there)]
            return (*passed, Stage(there - 1, target, RIGHT))
        passed = [Stage(column, Slot(target, column, LEFT), LEFT) for column in range(here - 1, there, -1)]
        return (*passed, Stage(there, target, LEFT))

    def _sort(self) -> None:
        """Each column in the order of what its items are joined to in the columns beside it."""
        near = self._near()
        for sweep in range(SWEEPS):
            order = range(len(self.items)) if sweep % 2 == 0 else reversed(range(len(self.items)))
            for index in order:
                heights = self._heights()
                means = {item: _mean(near[item], item, heights) for item in self.items[index]}
                self.items[index].sort(key=means.__getitem__)

    def _heights(self) -> dict[Item, float]:
        """Where each item stands in its column, from 0 to 1."""
        return {item: (index + 0.5) / len(items) for items in self.items for index, item in enumerate(items)}

    def _near(self) -> dict[Item, list[Item]]:
        near: dict[Item, list[Item]] = defaultdict(list)
        for (source, _), way in self.ways.items():
            before: Item = source
            for stage in way:
                near[before].append(stage.to)
                near[stage.to].append(before)
                before = stage.to
        return near


def _mean(near: Sequence[Item], item: Item, heights: Mapping[Item, float]) -> float:
    return fmean(heights[other] for other in near) if near else heights[item]
