"""The map as a picture: plain data with coordinates, which a template writes down as SVG."""

from __future__ import annotations

from dataclasses import dataclass, field

from brokerui.drawing.area import Area
from brokerui.drawing.label import Label
from brokerui.estate.refs import Ref


@dataclass(frozen=True, slots=True)
class BadgeSymbol:
    """The shape before the word of a badge, in the colour of its severity."""

    severity: str
    x: float
    """The coordinates of its middle."""
    y: float


@dataclass(frozen=True, slots=True)
class MapLine:
    """A line from a row to a box."""

    path: str
    to: Ref
    middle: tuple[float, float]
    """The middle of its longest part: there stands the mark of what a draft does to it."""


@dataclass(frozen=True, slots=True)
class Fold:
    """A link that opens the bundled routes and services of a database, or bundles them again."""

    ref: Ref
    area: Area
    is_open: bool
    says: str


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that can be selected: a link in the picture."""

    ref: Ref
    area: Area
    look: str
    """Its CSS classes."""
    labels: tuple[Label, ...]
    says: str
    """Its description for screen readers."""
    lines: tuple[MapLine, ...] = ()
    """Arrow keys follow them."""
    was: tuple[MapLine, ...] = ()
    """Where they led before a draft altered them."""
    change: str = ""
    """`added`, `altered` or `dropped` by a draft: its sign stands before the texts of a row and on its lines."""
    is_itself: bool = True
    """False if it only adds details to a box or database that has a mark of its own."""
    symbol: BadgeSymbol | None = None
    bundles: int = 1
    """The routes for which it stands."""
    address: str = ""
    """For an instance: the address of a new route to it."""
    head: str = "to"
    """Which arrow ends its lines: `to`, or `to-any` of routes for any service; empty: none."""

    @property
    def sign_at(self) -> tuple[float, float]:
        """The middle of the sign of its change."""
        return self.area.x + 12, self.area.y + self.area.h / 2


@dataclass(slots=True)
class MapShape:
    """A box with its contents."""

    head: Mark
    cells: list[Mark] = field(default_factory=list)
    rows: list[Mark] = field(default_factory=list)
    folds: list[Fold] = field(default_factory=list)

    def marks(self) -> list[Mark]:
        return [self.head, *self.cells, *self.rows]


MAX_READABLE_WIDTH = 1150.0


@dataclass(slots=True)
class MapPicture:
    """Everything to draw."""

    width: float
    height: float
    shapes: list[MapShape] = field(default_factory=list)

    @property
    def is_near(self) -> bool:
        """Whether it can still be read when it is scaled to the width of the pane."""
        return self.width <= MAX_READABLE_WIDTH

    def marks(self) -> list[Mark]:
        return [mark for shape in self.shapes for mark in shape.marks()]
