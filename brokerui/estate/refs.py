"""References to things on the map, as the address of the page holds them: `KIND/NAME/NAME`, percent-encoded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple
from urllib.parse import quote, unquote

INSTANCE, DATABASE, ROUTE, OUTSIDE, GROUP, BETWEEN = "instance", "database", "route", "outside", "group", "between"
NAMES = {INSTANCE: 1, DATABASE: 2, ROUTE: 3, OUTSIDE: 1, GROUP: 2, BETWEEN: 2}
"""How many names each kind has. A group: the first and the last in alphabetical order."""


class Ref(NamedTuple):
    """One thing on the map."""

    kind: str
    names: tuple[str, ...]

    def __str__(self) -> str:
        return "/".join((self.kind, *(quote(name, safe=":") for name in self.names)))

    @property
    def name(self) -> str:
        """The last of its names: its own."""
        return self.names[-1]


@dataclass(frozen=True, slots=True)
class Listed:
    """The first of some things, and how many there are."""

    shown: tuple[Ref, ...]
    count: int

    @property
    def more(self) -> int:
        return self.count - len(self.shown)


def read_ref(text: str) -> Ref | None:
    """Read a reference; None where the text is none."""
    kind, *quoted = text.split("/")
    names = tuple(unquote(name) for name in quoted)
    return Ref(kind, names) if NAMES.get(kind) == len(names) else None


def instance_ref(name: str) -> Ref:
    return Ref(INSTANCE, (name,))


def database(instance: str, name: str) -> Ref:
    return Ref(DATABASE, (instance, name))


def route(instance: str, table: str, name: str) -> Ref:
    return Ref(ROUTE, (instance, table, name))


def outside(address: str) -> Ref:
    """An address of no instance."""
    return Ref(OUTSIDE, (address,))


ALL_OUTSIDE = outside("")
"""All addresses of no instance, where they are drawn as one."""


def between(source: Ref, target: Ref) -> Ref:
    """All routes from one box of the map to another."""
    return Ref(BETWEEN, (str(source), str(target)))
