"""Where everything on the map stands.

Heights are steps of 12. Rows have their lines on a step, entries 4 beyond and slots 4 before one, and every other
column stands 2 lower: so two lines from the two sides of a channel are never on the same height.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import sqrt

from brokerui.drawing.area import Area
from brokerui.estate.refs import Ref
from brokerui.pages.map.columns import WIDER, Edges, Graph, Size, columns_of
from brokerui.pages.map.ways import RIGHT, Slot, Stage, Ways

STEP, ROW, GAP = 12.0, 24.0, 24.0
"""Of all heights; of a row in a box; between boxes."""
TRACK, BESIDE = 9.0, 20.0
"""Between tracks; between tracks and boxes, for an arrow's head."""
ENTRY, SLOT, LOWER = 4.0, -4.0, 2.0
EDGE, APART = 12.0, 36.0
"""Around the picture; between parts that nothing joins."""
DOWN = 48.0
"""So far down a low column may begin."""
ENTERED = ROW / 2
"""At the height of its title."""


@dataclass(slots=True)
class Block:
    """A connected part with places of its own."""

    areas: dict[Ref, Area] = field(default_factory=dict)
    slots: dict[Slot, float] = field(default_factory=dict)
    tracks: dict[Stage, float] = field(default_factory=dict)
    """Of each stage: where it turns."""
    ways: Ways | None = None
    w: float = 0.0
    h: float = 0.0
    x: float = 0.0
    y: float = 0.0


@dataclass(slots=True)
class Layout:
    """All parts with their places."""

    blocks: list[Block]
    w: float
    h: float


def layout_of(sizes: Mapping[Ref, Size], edges: Edges, rows: Mapping[tuple[Ref, Ref], list[float]]) -> Layout:
    """`rows`: from which heights of a box its lines leave for another."""
    roomy = {ref: Size(size.w + 4 * BESIDE, size.h + GAP) for ref, size in sizes.items()}
    graph = Graph(roomy, edges)
    blocks = [_block(graph, part, sizes, rows) for part in graph.parts(sizes)]
    return _packed(blocks)


def _block(
    graph: Graph, part: list[Ref], sizes: Mapping[Ref, Size], rows: Mapping[tuple[Ref, Ref], list[float]]
) -> Block:
    ways = Ways(columns_of(graph, part), graph.edges)
    block = Block(ways=ways)
    tops = _stacked(block, ways, sizes)
    tracks = _Tracks(ways, tops, block, rows)
    x = 0.0
    for index, items in enumerate(ways.items):
        wide = max((sizes[item].w for item in items if not isinstance(item, Slot)), default=0.0)
        for item in items:
            if not isinstance(item, Slot):
                block.areas[item] = Area(x, tops[item], wide, sizes[item].h)
        x += wide
        x += tracks.place(index, x)
    block.w = x
    return block


def _stacked(block: Block, ways: Ways, sizes: Mapping[Ref, Size]) -> dict[Ref, float]:
    """Each column from top to bottom; a low one stands towards the middle, but in sight of who begins at the top."""
    heights = [sum(_height(item, sizes) for item in items) for items in ways.items]
    tops: dict[Ref, float] = {}
    for index, items in enumerate(ways.items):
        y = min((max(heights) - heights[index]) / 2, DOWN) // STEP * STEP + (LOWER if index % 2 else 0.0)
        for item in items:
            if isinstance(item, Slot):
                block.slots[item] = y + SLOT
            else:
                tops[item] = y
                block.h = max(block.h, y + sizes[item].h)
            y += _height(item, sizes)
        block.h = max(block.h, y - STEP)
    return tops


def _height(item: Ref | Slot, sizes: Mapping[Ref, Size]) -> float:
    return STEP if isinstance(item, Slot) else sizes[item].h + GAP


class _Tracks:
    """Where lines turn in each channel: those to the same place together, others beside one another."""

    def __init__(
        self, ways: Ways, tops: Mapping[Ref, float], block: Block, rows: Mapping[tuple[Ref, Ref], list[float]]
    ) -> None:
        self.block = block
        self.tops = tops
        self.spans: dict[int, dict[Stage, tuple[float, float]]] = defaultdict(dict)
        for (source, target), way in ways.ways.items():
            for height in rows[source, target]:
                y = tops[source] + height
                for stage in way:
                    then = self._height(stage)
                    self._widen(stage, min(y, then), max(y, then))
                    y = then

    def place(self, channel: int, x: float) -> float:
        """Gives each stage of a channel its track; the width of the channel."""
        ends: list[float] = []
        for stage, (top, bottom) in sorted(self.spans[channel].items(), key=lambda one: one[1]):
            free = next((index for index, end in enumerate(ends) if end + STEP < top), len(ends))
            ends[free : free + 1] = [bottom]
            self.block.tracks[stage] = x + BESIDE + free * TRACK
        return 2 * BESIDE + (len(ends) - 1) * TRACK if ends else 0.0

    def _height(self, stage: Stage) -> float:
        if isinstance(stage.to, Slot):
            return self.block.slots[stage.to]
        return self.tops[stage.to] + ENTERED + ENTRY

    def _widen(self, stage: Stage, top: float, bottom: float) -> None:
        known = self.spans[stage.channel].get(stage, (top, bottom))
        self.spans[stage.channel][stage] = min(known[0], top), max(known[1], bottom)


def _packed(blocks: list[Block]) -> Layout:
    """Parts in rows, the highest first, each row as wide as the picture should be."""
    area = sum((block.w + APART) * (block.h + APART) for block in blocks)
    room = max([sqrt(area * WIDER), *(block.w for block in blocks)])
    x = y = EDGE
    row = wide = 0.0
    for block in sorted(blocks, key=lambda block: -block.h):
        if x > EDGE and x + block.w > room + EDGE:
            x, y, row = EDGE, y + row + APART, 0.0
        block.x, block.y = x, y
        x += block.w + APART
        row, wide = max(row, block.h), max(wide, x - APART)
    return Layout(blocks, wide + EDGE, y + row + EDGE)


def path_of(block: Block, source: Ref, target: Ref, height: float, inset: float) -> str:
    """The line from this height of a box, from so far in its side, to another, as SVG writes it."""
    assert block.ways is not None
    way = block.ways.ways[source, target]
    here = block.areas[source]
    is_right = block.ways.leaves(source, target) == RIGHT
    side = here.x + here.w - inset if is_right else here.x + inset
    path = f"M{block.x + side:g} {block.y + here.y + height:g}"
    for stage in way:
        path += f"H{block.x + block.tracks[stage]:g}V{block.y + _level(block, stage):g}"
    there = block.areas[target]
    end = there.x if way[-1].going == RIGHT else there.x + there.w
    return f"{path}H{block.x + end:g}"


def _level(block: Block, stage: Stage) -> float:
    if isinstance(stage.to, Slot):
        return block.slots[stage.to]
    return block.areas[stage.to].y + ENTERED + ENTRY
