"""The groups of a class of traffic: most are shared with other classes, and only those that differ are made anew."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cached_property

from routing.classes.traffic_class import Node, TrafficClass
from routing.diff.result import DiffGroup, GroupMembers, Pair


class GroupSet:
    """Groups by their outcomes: those of another set without some, and own ones. Another set is complete by then."""

    def __init__(
        self, base: GroupSet | None = None, own: dict[Pair, DiffGroup] | None = None, *, of_any_name: bool = False
    ) -> None:
        self.base = base
        self.own = {} if own is None else own
        self.replaced: set[Pair] = set()
        """The outcomes for which the groups of the base do not count."""
        self.of_any_name = of_any_name
        """True for groups that many names have in common, at entry points that treat none of them specially."""

    def __bool__(self) -> bool:
        return bool(self.own) or len(self) > 0

    def __len__(self) -> int:
        return len(self.own) + (len(self.base) - len(self.replaced) if self.base is not None else 0)

    def __iter__(self) -> Iterator[DiffGroup]:
        yield from self.own.values()
        if self.base is not None:
            yield from (group for group in self.base if (group.before, group.after) not in self.replaced)

    def get(self, pair: Pair) -> DiffGroup | None:
        """Return the group with these outcomes."""
        found = self.own.get(pair)
        if found is not None or self.base is None or pair in self.replaced:
            return found
        return self.base.get(pair)

    def without(self) -> Iterator[DiffGroup]:
        """Yield the groups of the base that do not count."""
        if self.base is not None:
            yield from filter(None, map(self.base.get, self.replaced))

    def leave_out(self, nodes: Set[Node]) -> None:
        """Leave entry points out of the own groups of the base; no other group has them."""
        places = self.base.places if self.base is not None else {}
        for pair in {places[node] for node in nodes if node in places}:
            group = self._replace(pair)
            if group is not None:
                group.members.single = [node for node in group.members.single if node not in nodes]
                if not group.members.single:
                    del self.own[pair]

    def group(self, pair: Pair, traffic: TrafficClass, members: GroupMembers) -> DiffGroup:
        """Return the own group with these outcomes, to which entry points may be added; at first it is that of the
        base, and a new one of these members if there is none."""
        found = self.own.get(pair) or self._replace(pair)
        if found is None:
            found = self.own[pair] = DiffGroup(traffic, *pair, members)
        return found

    def _replace(self, pair: Pair) -> DiffGroup | None:
        """Make the group of the base an own one."""
        known = self.base.get(pair) if self.base is not None and pair not in self.replaced else None
        if known is None:
            return None
        self.replaced.add(pair)
        members = GroupMembers(known.members.order, [*known.members.cells], [*known.members.single])
        found = self.own[pair] = DiffGroup(known.traffic, *pair, members)
        return found

    @cached_property
    def places(self) -> dict[Node, Pair]:
        """The outcomes of the single entry points of own groups."""
        return {node: pair for pair, group in self.own.items() for node in group.members.single}


@dataclass(slots=True)
class AlikeClasses:
    """Classes of one name that end alike at every entry point."""

    traffics: list[TrafficClass]
    """The name with each identifier and direction."""
    found: GroupSet
    """The groups of one of them; those of the others differ in traffic alone."""

    def groups(self) -> Iterable[DiffGroup]:
        """Yield the groups of all."""
        return (group.same_for(traffic) for traffic in self.traffics for group in self.found)
