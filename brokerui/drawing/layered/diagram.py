"""Input of the layered layout: boxes with sizes, and the lines between them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from brokerui.drawing.area import Area

LEFT, RIGHT = "left", "right"
"""Sides of a box."""
SOURCE, TARGET = "source", "target"
"""Ends of an edge."""
K = TypeVar("K", bound=Hashable)
"""The key of a box."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NestedBox:
    """A box inside another. Two of `left`, `right` and `width` say where it stands and how wide it is."""

    key: Hashable
    """Its key among those in the same box."""
    top: float
    """Below the top of the outer box."""
    height: float
    left: float | None = None
    """Between the left sides of both boxes."""
    right: float | None = None
    """Between the right sides of both boxes."""
    width: float | None = None

    def within(self, outer: Area) -> Area:
        """Where it stands."""
        left, right, width = self.left, self.right, self.width
        if width is None:
            width = outer.w - (left or 0.0) - (right or 0.0)
        from_left = left if left is not None else outer.w - (right or 0.0) - width
        return Area(outer.x + from_left, outer.y + self.top, width, self.height)


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagramNode(Generic[K]):
    """A box. All measures are in pixels."""

    key: K
    width: float
    height: float
    column: int | None = None
    """Counted from the left. None: the layout chooses the columns of the connected part that holds the box."""
    room_left: float = 0.0
    """Kept free at its left side, for what the caller draws there."""
    nested: Sequence[NestedBox] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagramEdge(Generic[K]):
    """A line from one box to another, or back to the same. Heights are measured from the top of their box."""

    key: Hashable
    source: K
    target: K
    leave_y: float
    enter_y: float
    bundle: Hashable
    """Edges with the same bundle join wherever they meet: those that leave one place, or come to one place."""
    leave_side: str | None = None
    """LEFT or RIGHT; None: the side that faces the target."""
    enter_side: str | None = None
    """LEFT or RIGHT; None: the side that faces the source."""
    label_width: float = 0.0
    """Width of its label, which stands beside a box; 0: no label."""
    label_at: str = TARGET
    """The end at which the label stands: SOURCE or TARGET."""

    @property
    def label_node(self) -> K:
        """The box beside which the label stands."""
        return self.source if self.label_at == SOURCE else self.target


@dataclass(frozen=True, slots=True)
class Diagram(Generic[K]):
    """Everything that is laid out together."""

    nodes: Sequence[DiagramNode[K]]
    edges: Sequence[DiagramEdge[K]]
    is_top_aligned: bool = False
    """True: every column begins at the top. False: low columns stand lower, and every other column a little lower
    still, so that boxes on a grid of STEP never have lines of two columns on one height."""
    has_equal_widths: bool = True
    """Whether all boxes of a column are as wide as the widest."""
