"""The groups of a comparison as rows for readers: those that differ in identifier or direction alone are one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from brokerui.analysis.effect.ends import ENTRIES
from routing.classes.traffic_class import Node
from routing.diff.result import DiffGroup, Outcomes


@dataclass(frozen=True)
class EffectRow:
    """Kinds of conversation from the same entry points to one service, with the same outcomes before and after."""

    groups: tuple[DiffGroup, ...]
    """One for each identifier and direction."""
    entries: tuple[Node, ...]
    """The first entry points."""

    @property
    def service(self) -> str:
        return self.groups[0].traffic.shown_service

    @property
    def is_reply(self) -> bool:
        """Whether all are acknowledgements and replies."""
        return all(group.traffic.is_reply for group in self.groups)

    @property
    def has_replies(self) -> bool:
        return any(group.traffic.is_reply for group in self.groups)

    @property
    def identifiers(self) -> tuple[str | None, ...]:
        return tuple(dict.fromkeys(group.traffic.to_broker_instance for group in self.groups))

    @property
    def before(self) -> Outcomes:
        return self.groups[0].before

    @property
    def after(self) -> Outcomes:
        return self.groups[0].after

    @property
    def verdict(self) -> str:
        return self.groups[0].verdict

    @property
    def kind(self) -> str:
        return self.groups[0].kind

    @property
    def entry_count(self) -> int:
        return len(self.groups[0].members)

    @property
    def count(self) -> int:
        """Kinds of conversation."""
        return self.entry_count * len(self.groups)


def rows_of(groups: Iterable[DiffGroup]) -> Iterator[EffectRow]:
    """Return the rows in the order of their first groups."""
    found: dict[object, tuple[list[DiffGroup], tuple[Node, ...]]] = {}
    for group in groups:
        entries = tuple(islice(group.members, ENTRIES))
        traffic = group.traffic
        key = traffic.to_service, group.before, group.after, len(group.members), entries
        found.setdefault(key, ([], entries))[0].append(group)
    return (EffectRow(tuple(alike), entries) for alike, entries in found.values())
