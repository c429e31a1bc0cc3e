"""The path as a picture: plain data with coordinates, which a template writes down as SVG."""

from __future__ import annotations

from dataclasses import dataclass, field

from brokerui.drawing.area import Area
from brokerui.drawing.label import Label
from brokerui.pages.where.graph import MORE

READABLE_WIDTH = 1110
"""Pixels. On a page that is 1,280 pixels wide the card has 1,020: letters of 12 pixels keep 11."""


@dataclass(slots=True)
class PathCell:
    """A table that was asked, or an end."""

    area: Area
    kind: str
    """`asks`, or the kind of an outcome, which has its own shape and colour."""
    labels: tuple[Label, ...]


@dataclass(slots=True)
class PathFrame:
    """An instance, an outside address, or the rest of a column, with its contents."""

    area: Area
    kind: str
    labels: tuple[Label, ...]
    says: str
    """Its description for screen readers."""
    cells: list[PathCell] = field(default_factory=list)


@dataclass(slots=True)
class PathLine:
    """A send, or a piece of a return path."""

    path: str
    kind: str
    """`forth` or `back`."""
    ends: str
    """Empty where it goes on; `home`, or the kind of the outcome where it ends."""
    labels: tuple[Label, ...]
    says: str
    shape_at: tuple[float, float] | None = None
    """Where the shape of its end stands, if it has one of its own."""

    @property
    def head(self) -> str:
        """The arrow at its end; none if it goes on in another box, or is only counted."""
        if self.kind == "forth":
            return "forth"
        return "" if self.ends == MORE else self.ends


@dataclass(slots=True)
class PathPicture:
    """Everything to draw."""

    width: float
    height: float
    says: str
    frames: list[PathFrame] = field(default_factory=list)
    lines: list[PathLine] = field(default_factory=list)

    @property
    def fits(self) -> bool:
        """Whether it can be read when a wide page makes it as narrow as its card."""
        return self.width <= READABLE_WIDTH

    def labels(self) -> list[Label]:
        """Every text in it."""
        frames = [label for frame in self.frames for label in frame.labels]
        cells = [label for frame in self.frames for cell in frame.cells for label in cell.labels]
        return frames + cells + [label for line in self.lines for label in line.labels]
