"""Heights in a connected part: its columns from top to bottom."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic

from brokerui.drawing.layered.diagram import DiagramEdge, DiagramNode, K
from brokerui.drawing.layered.edge_routing import EdgeRoute, LayoutLane
from brokerui.drawing.layered.spacing import BOX_GAP, LANE_Y, MAX_DROP, STAGGER, STEP


@dataclass(slots=True)
class Heights(Generic[K]):
    """The top of each box and the line of each lane, from the top of the part."""

    boxes: dict[K, float] = field(default_factory=dict)
    lanes: dict[LayoutLane, float] = field(default_factory=dict)

    def of_edge(self, edge: DiagramEdge[K], route: EdgeRoute) -> list[float]:
        """The heights of its horizontal pieces, from the source to the target."""
        lanes = [self.lanes[lane] for lane in route.lanes]
        return [self.boxes[edge.source] + edge.leave_y, *lanes, self.boxes[edge.target] + edge.enter_y]


def stacked(
    columns: Sequence[Sequence[K | LayoutLane]], nodes: Mapping[K, DiagramNode[K]], *, is_top_aligned: bool
) -> Heights[K]:
    """Place the boxes and lanes of each column one under another."""
    heights: Heights[K] = Heights()
    totals = [sum(_height(item, nodes) for item in column) for column in columns]
    for index, column in enumerate(columns):
        top = 0.0 if is_top_aligned else _top(max(totals) - totals[index]) + index % 2 * STAGGER
        _stack(heights, column, nodes, top)
    return heights


def _top(spare: float) -> float:
    """Return the top of a column that is `spare` pixels shorter than the highest: centred, but not far from the top."""
    return min(spare / 2, MAX_DROP) // STEP * STEP


def _stack(heights: Heights[K], column: Iterable[K | LayoutLane], nodes: Mapping[K, DiagramNode[K]], y: float) -> None:
    for item in column:
        if isinstance(item, LayoutLane):
            heights.lanes[item] = y + LANE_Y
        else:
            heights.boxes[item] = y
        y += _height(item, nodes)


def _height(item: K | LayoutLane, nodes: Mapping[K, DiagramNode[K]]) -> float:
    return STEP if isinstance(item, LayoutLane) else nodes[item].height + BOX_GAP
