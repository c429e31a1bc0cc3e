"""Where everything in a picture stands: columns by hop, from left to right.

A column of boxes has a channel at its left. The right part of a channel holds the labels of the lines into and out
of the boxes beside it, each on a height of its own; the left part holds the tracks on which lines change their
height. A line that does not go to the next column runs below all boxes. So no text meets another, or a line.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from brokerui.pages.where.graph import Box, Graph, Key, Lead
from brokerui.pages.where.lettering import FROM_OUTSIDE, Lettering, Worded, back_labels, lead_labels
from brokerui.pages.where.spots import Spot, measured

EDGE, GAP, TRACK, BELOW = 10.0, 22.0, 9.0, 14.0
"""Around the picture; between boxes; between tracks, and between lines below the boxes."""
MARGIN, BARE = 34.0, 30.0
"""Of labels in a channel, for an arrow's head; and the width of a channel without labels."""


class Layout:
    """A graph with places."""

    def __init__(self, graph: Graph, letters: Lettering) -> None:
        self.graph = graph
        self.letters = letters
        self.bottom = 0.0
        self.right = 0.0
        self._below = 0
        self._tracks: dict[int, int] = defaultdict(int)
        self._track_of: dict[object, tuple[int, int]] = {}
        self._channel_x: dict[int, float] = {}
        self._labels: dict[Key, Worded] = defaultdict(list)
        entries = self._entries()
        self.spots = {key: measured(box, entries[key], letters) for key, box in graph.boxes.items()}
        self._reserve_tracks()
        self._place()

    def leads(self) -> Iterator[tuple[Spot, object, Lead]]:
        """Every send between boxes, with its box and table."""
        for spot in self.spots.values():
            for name, asker in spot.box.askers.items():
                yield from ((spot, name, lead) for lead in asker.leads.values())

    def has_track(self, name: object) -> bool:
        return name in self._track_of

    def track_x(self, name: object) -> float:
        """Where the track is that was reserved under this name."""
        channel, index = self._track_of[name]
        return self._channel_x[channel] + 10 + index * TRACK

    def below_y(self) -> float:
        """The height of one more line below all boxes."""
        self._below += 1
        return self.bottom + self._below * BELOW

    @property
    def height(self) -> float:
        return self.bottom + self._below * BELOW + EDGE

    def _entries(self) -> dict[Key, int]:
        """How many lines come to each box."""
        entries: dict[Key, int] = defaultdict(int)
        if self.graph.from_outside:
            entries[self.graph.start] += 1
        for box in self.graph.boxes.values():
            for asker in box.askers.values():
                for to in asker.leads:
                    entries[to] += 1
        return entries

    def _reserve_tracks(self) -> None:
        """Which track of which channel each line takes, and which labels stand in which channel."""
        if self.graph.from_outside:
            self._labels[self.graph.start].append((FROM_OUTSIDE, "note"))
        for spot, name, lead in self.leads():
            self._labels[lead.to] += lead_labels(lead)
            here, there = spot.box.column, self.spots[lead.to].box.column
            self._reserve(("out", spot.box.key, name), here + 1)
            if there != here + 1:
                self._reserve(("in", spot.box.key, name, lead.to), there)
        for spot in self.spots.values():
            self._reserve_back(spot.box)

    def _reserve_back(self, box: Box) -> None:
        for name, back in box.backs.items():
            self._labels[box.key] += back_labels(back)
            if back.to is None:
                continue
            there = self.spots[back.to].box.column
            if there != box.column - 1:
                self._reserve(("back", box.key, name), box.column)
            # All that come back to a box share the track before it.
            self._reserve(("into", back.to), there + 1)

    def _reserve(self, name: object, channel: int) -> None:
        if name not in self._track_of:
            self._track_of[name] = channel, self._tracks[channel]
            self._tracks[channel] += 1

    def _place(self) -> None:
        """Columns from left to right, boxes in each from top to bottom."""
        columns: dict[int, list[Spot]] = defaultdict(list)
        for spot in self.spots.values():
            columns[spot.box.column].append(spot)
        x = EDGE
        for column in range(max(columns) + 1):
            self._channel_x[column] = x
            x += self._channel(column, columns[column])
            self._stack(columns[column], x)
            x += max((spot.w for spot in columns[column]), default=0.0)
        last = max(columns) + 1
        self._channel_x[last] = x
        self.right = x + self._room_for_tracks(last) + EDGE

    def _stack(self, spots: list[Spot], x: float) -> None:
        y = EDGE
        for spot in spots:
            spot.x, spot.y = x, y
            y += spot.h + GAP
        self.bottom = max(self.bottom, y - GAP)

    def _channel(self, column: int, spots: list[Spot]) -> float:
        """Room for its tracks, then for the labels of the boxes at its right."""
        wide = self.letters.widest([one for spot in spots for one in self._labels[spot.box.key]])
        bare = 0.0 if column == 0 else BARE
        return self._room_for_tracks(column) + (wide + MARGIN if wide else bare)

    def _room_for_tracks(self, channel: int) -> float:
        return self._tracks[channel] * TRACK + 14 if self._tracks[channel] else 0.0
