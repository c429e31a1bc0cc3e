"""Content of the picture of a path, without coordinates: boxes, their contents, and their connections."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from routing.common.sentence import Sentence

Text = str | Sentence
INSTANCE, EXIT, MORE = "instance", "exits", "more"
HOME, PASSES = "home", "passes"


class BoxKey(NamedTuple):
    """Which box: an instance, an address outside the estate, or the rest of a column."""

    kind: str
    """INSTANCE, EXIT or MORE."""
    name: str


@dataclass(slots=True)
class PathEnd:
    """Where a message ends in a box."""

    kind: str
    """An outcome's kind, or MORE for those that are not drawn one by one."""
    title: Text
    note: Text = ""
    routes: list[str] = field(default_factory=list)
    """The routes that led to it; the rule where none was asked."""
    count: int = 1


@dataclass(slots=True)
class PathSend:
    """The sends from a table to another box."""

    to: BoxKey
    routes: list[str] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)


@dataclass(slots=True)
class AskedTable:
    """A table that was asked, with what it led to."""

    title: Text
    note: Text
    from_outside: bool
    stops: dict[object, PathEnd] = field(default_factory=dict)
    leads: dict[BoxKey, PathSend] = field(default_factory=dict)


@dataclass(slots=True)
class ReturnPiece:
    """The pieces of a return path that leave one box for the same other box, or end in it alike."""

    source: str | None
    """The target database whose table sends it; None: it came from outside and goes on."""
    to: BoxKey | None
    """The next box; None: it ends here."""
    kind: str
    """PASSES where it goes on, HOME where it should end, else the kind of outcome where it ends."""
    note: Text
    """The address, or why it ends here."""
    routes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class PathBox:
    """An instance, an address outside the estate, or the instances that are not drawn one by one."""

    key: BoxKey
    column: int
    title: Text
    note: Text = ""
    askers: dict[object, AskedTable] = field(default_factory=dict)
    backs: dict[object, ReturnPiece] = field(default_factory=dict)
    stands_for: int = 1


@dataclass(slots=True)
class PathGraph:
    """Everything that the picture shows."""

    start: BoxKey
    from_outside: bool
    boxes: dict[BoxKey, PathBox] = field(default_factory=dict)
    hidden_returns: int = 0
    """Return paths of targets that are not drawn one by one."""
