"""Changes of a layout without a new one: moved boxes and changed lines are drawn anew, all else stays where it is.

For an editor while something is dragged: nothing may jump then. Lines drawn so are direct, and may run through a box;
`lay_out` draws them around the boxes again.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import replace

from brokerui.drawing.area import Area
from brokerui.drawing.layered.diagram import Diagram, DiagramEdge, K
from brokerui.drawing.layered.edge_path import EdgePath
from brokerui.drawing.layered.layout import LayeredLayout
from brokerui.drawing.layered.spacing import CLEARANCE, MARGIN


def redrawn(
    layout: LayeredLayout[K], diagram: Diagram[K], moved: Mapping[K, Area], changed: frozenset[Hashable] = frozenset()
) -> LayeredLayout[K]:
    """The layout with some boxes elsewhere, and the edges as the diagram has them now.

    Draws the edges of moved boxes, edges that the layout does not know, and those whose keys are in `changed`.
    """
    boxes = {**layout.boxes, **moved}
    paths = dict[Hashable, EdgePath]()
    for edge in diagram.edges:
        is_known = edge.key in layout.paths and edge.key not in changed
        if is_known and edge.source not in moved and edge.target not in moved:
            paths[edge.key] = layout.paths[edge.key]
        else:
            paths[edge.key] = direct_path(edge, boxes[edge.source], boxes[edge.target])
    nested = {(node.key, one.key): one.within(boxes[node.key]) for node in diagram.nodes for one in node.nested}
    width = max([layout.width, *(box.x + box.w + MARGIN for box in moved.values())])
    height = max([layout.height, *(box.y + box.h + MARGIN for box in moved.values())])
    return replace(layout, width=width, height=height, boxes=boxes, nested=nested, paths=paths)


def direct_path(edge: DiagramEdge[K], source: Area, target: Area) -> EdgePath:
    """A line with one vertical piece: between the boxes, or at the right of both if they stand one above the other."""
    from_y, to_y = source.y + edge.leave_y, target.y + edge.enter_y
    source_right, target_right = source.x + source.w, target.x + target.w
    if source_right < target.x:
        from_x, to_x = source_right, target.x
        turn_x = (from_x + to_x) / 2
    elif target_right < source.x:
        from_x, to_x = source.x, target_right
        turn_x = (from_x + to_x) / 2
    else:
        from_x, to_x = source_right, target_right
        turn_x = max(from_x, to_x) + CLEARANCE
    return EdgePath(((from_x, from_y), (turn_x, from_y), (turn_x, to_y), (to_x, to_y)))
