"""What the picture of a path shows, before anything has a place in it: boxes, what is in them, what joins them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from routing.common.sentence import Sentence

Text = str | Sentence
INSTANCE, EXIT, MORE = "instance", "exits", "more"
HOME, PASSES = "home", "passes"


class Key(NamedTuple):
    """Which box: an instance, an address outside the estate, or the rest of a column."""

    kind: str
    """INSTANCE, EXIT or MORE."""
    name: str


@dataclass(slots=True)
class Stop:
    """Where a message ends in a box."""

    kind: str
    """An outcome's kind, or MORE for those that are not drawn one by one."""
    title: Text
    note: Text = ""
    routes: list[str] = field(default_factory=list)
    """The routes that led to it; the rule where none was asked."""
    count: int = 1


@dataclass(slots=True)
class Lead:
    """The sends from a table to another box."""

    to: Key
    routes: list[str] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Asker:
    """A table that was asked, with what it led to."""

    title: Text
    note: Text
    from_outside: bool
    stops: dict[object, Stop] = field(default_factory=dict)
    leads: dict[Key, Lead] = field(default_factory=dict)


@dataclass(slots=True)
class Back:
    """The pieces of a way back that leave a box for one other, or end in it alike."""

    source: str | None
    """The target database whose table sends it; None: it came from outside and goes on."""
    to: Key | None
    """The next box; None: it ends here."""
    kind: str
    """PASSES where it goes on, HOME where it should end, else the kind of outcome where it ends."""
    note: Text
    """The address, or why it ends here."""
    routes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Box:
    """An instance, an address outside the estate, or what is not drawn one by one."""

    key: Key
    column: int
    title: Text
    note: Text = ""
    askers: dict[object, Asker] = field(default_factory=dict)
    backs: dict[object, Back] = field(default_factory=dict)
    stands_for: int = 1


@dataclass(slots=True)
class Graph:
    """Everything that the picture shows."""

    start: Key
    from_outside: bool
    boxes: dict[Key, Box] = field(default_factory=dict)
    hidden_returns: int = 0
    """Ways back from targets that are not drawn one by one."""
