"""Content of the map without coordinates: boxes, their contents, and the targets of their rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from brokerui.estate.refs import DATABASE, Ref
from routing.common.sentence import Sentence

Text = str | Sentence
DETAIL, INSTANCES, GROUPS = "detail", "instances", "groups"
"""Every database and route; instances with numbers; groups of instances with numbers."""
NAMED, ANY, LOCAL, TRANSPORT, REST, SUM = "named", "any", "local", "transport", "rest", "sum"
"""Kinds of rows: routes for one service, for any service, LOCAL, TRANSPORT, not drawn, added up."""
DIFFERS = "differs"
"""The shape of a badge on a route that one of two ways takes."""
BUNDLES, OPENED = "bundles", "opened"
"""A database with routes or services that are bundled; a database whose routes and services are drawn one by one."""


@dataclass(frozen=True, slots=True)
class Badge:
    """The worst severity of the findings about something, with their number; on the map of a way, how it ends there."""

    severity: str
    """ERROR or WARNING; a kind of outcome; or DIFFERS."""
    text: Text


@dataclass(slots=True)
class MapRow:
    """Routes of one table, or of one box, that lead to the same place."""

    ref: Ref
    kind: str
    text: Text
    notes: tuple[Text, ...]
    to: tuple[Ref, ...] = ()
    """The boxes to which lines are drawn."""
    routes: int = 1
    about: frozenset[Ref] = frozenset()
    """Everything that it stands for."""
    mirrored: bool = False
    expired: bool = False
    weight: int = 1
    """1 to 4: how wide the line is."""
    sign: Badge | None = None
    change: str = ""
    """`added`, `altered` or `dropped` by the draft that the map shows; of cells and boxes likewise."""
    was: tuple[Ref, ...] = ()
    """The boxes to which its lines led before the draft altered it."""
    stands_back: bool = False
    """Whether its lines are grey, because the map is about other ones."""
    look: str = ""
    """Further CSS classes; of cells and boxes likewise."""


@dataclass(slots=True)
class MapCell:
    """A database, or the numbers of a box that is not drawn in detail."""

    ref: Ref
    title: Text
    notes: tuple[Text, ...]
    services: list[Text] = field(default_factory=list)
    rows: list[MapRow] = field(default_factory=list)
    about: frozenset[Ref] = frozenset()
    sign: Badge | None = None
    change: str = ""
    fold: str = ""
    """BUNDLES or OPENED, where there is something to open or to close."""
    look: str = ""


@dataclass(slots=True)
class MapBox:
    """An instance, an address outside the estate, or several of either."""

    ref: Ref
    title: Text
    notes: tuple[Text, ...]
    cells: list[MapCell] = field(default_factory=list)
    about: frozenset[Ref] = frozenset()
    stands_for: int = 1
    address: str = ""
    """For an instance: its first address."""
    sign: Badge | None = None
    change: str = ""
    look: str = ""
    column: int | None = None
    """Counted from the left; None: the layout chooses it."""

    def rows(self) -> Iterator[MapRow]:
        for cell in self.cells:
            yield from cell.rows


@dataclass(slots=True)
class MapPlan:
    """A map without coordinates."""

    level: str
    boxes: dict[Ref, MapBox] = field(default_factory=dict)
    is_draft: bool = False
    """Whether it shows a draft: what the draft leaves as it is stands back then."""
    shared: str = ""
    """The beginning of all names of services: rows show `…/` in its place."""

    def rows(self) -> Iterator[MapRow]:
        for box in self.boxes.values():
            yield from box.rows()

    @property
    def lines(self) -> int:
        return sum(len(row.to) for row in self.rows())

    @property
    def elements(self) -> int:
        """Boxes, databases in them, and lines."""
        cells = sum(cell.ref.kind == DATABASE for box in self.boxes.values() for cell in box.cells)
        return len(self.boxes) + cells + self.lines
