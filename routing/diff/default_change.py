"""The effect of a change on the many service names that no changed node, and no hop beyond one, treats specially.

For such a name the changed nodes and all that follows behave as for a name that occurs nowhere, which is evaluated once
for all of them. Each name is then evaluated only from the entry points that send it to a changed node.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence, Set
from functools import cached_property

from routing.classes.class_evaluator import ClassEvaluator, HopResult
from routing.classes.default_behaviour import EquivalenceClass, outcomes_beyond, reached_from
from routing.classes.traffic_class import UNKNOWN_SERVICE, Node, TrafficClass
from routing.diff.context import DiffContext
from routing.diff.group_set import AlikeClasses, GroupSet
from routing.diff.per_name import NameContext
from routing.diff.result import DiffGroup, GroupMembers, Pair

Ends = dict[Pair, list[Node]]
"""Entry points by their outcomes."""
_ANY = TrafficClass(UNKNOWN_SERVICE, None, False)


class DefaultChange:
    """The change for a name that occurs nowhere."""

    def __init__(self, comparing: DiffContext) -> None:
        self.comparing = comparing
        self.before, self.after = before, after = comparing.nowhere
        self._there = {node for node in comparing.delta.always if before.has(node) and after.has(node)}
        self.dirty = frozenset(node for node in self._there if before.onward(node) != after.onward(node))
        self.goals = frozenset(name for name, database in self.dirty if database is None)
        self._behind: dict[HopResult, Pair] = {}
        self._last: tuple[NameContext, Set[Node], Set[Node]] | None = None
        self._led: tuple[Set[str], Set[Node]] = frozenset(), frozenset()

    @cached_property
    def _leading(self) -> dict[str, set[Node]]:
        """By instance: the changed nodes from which a message may reach it, before or after."""
        found: dict[str, set[Node]] = defaultdict(set)
        for node in self.dirty:
            leads = {lead.instance for one in self.comparing.nowhere for lead in one.onward(node).leads}
            for instance in reached_from(leads, *self.comparing.nowhere):
                found[instance].add(node)
        return found

    def leading_to(self, instances: Set[str]) -> Set[Node]:
        """The changed nodes from which a message may reach one of these instances."""
        known, found = self._led
        if known != instances:
            met = (self._leading[one] for one in instances if one in self._leading)
            self._led = known, found = instances, set[Node]().union(*met)
        return found

    def parted(self, name: NameContext) -> tuple[Set[Node], Set[Node]]:
        """The nodes that may decide otherwise for any name: those special for this one, and others that do."""
        if self._last is None or self._last[0] is not name:
            self._last = name, self._there & name.special, self.dirty - name.special
        return self._last[1:]

    @cached_property
    def entries(self) -> GroupSet:
        """The changed entry points by their outcomes for a name that occurs nowhere."""
        order = self.comparing.order
        groups = {
            pair: DiffGroup(_ANY, *pair, GroupMembers(order, single=nodes))
            for pair, (_, nodes) in self._parts.items()
            if nodes
        }
        return GroupSet(own=groups, of_any_name=True)

    @cached_property
    def _passed(self) -> Set[str]:
        """The instances that messages of any cell may reach; none where no cell is affected."""
        return self.comparing.background.reached_by.keys() if self.goals else frozenset()

    @cached_property
    def _met(self) -> Set[Node]:
        """The nodes that the change, or a hop beyond it, meets."""
        outside = {(name, None) for name in (*self._passed, *self._leading)}
        return self.comparing.delta.always | outside

    def reaches(self, name: NameContext) -> bool:
        """Whether the change, or a hop beyond it, meets a node that treats the name specially."""
        return name.name in self.comparing.delta.by_name or not self._met.isdisjoint(name.special)

    def has(self, name: NameContext, traffic: TrafficClass) -> bool:
        """Whether a class of a name that is not reached is answered here: the change does not touch its identifier."""
        identifier = traffic.to_broker_instance
        if identifier is None:
            return True
        if identifier in self.comparing.delta.by_identifier:
            return False
        return not traffic.is_reply or self.comparing.specials.replying(traffic) <= name.special

    def alike(self, name: NameContext, traffics: Sequence[TrafficClass]) -> list[AlikeClasses]:
        """Return these classes of a name that is not reached, those that end alike together."""
        found: list[tuple[Ends, AlikeClasses]] = []
        common, apart = self._sending(name) if self.goals else ({}, ())
        for traffic in traffics if apart else traffics[:1]:
            ends = self._special_ends(name, traffic, apart)
            classes = next((alike for known, alike in found if known == ends), None)
            if classes is None:
                classes = AlikeClasses([], self._groups(name, _together(common, ends)))
                found.append((ends, classes))
            classes.traffics.append(traffic)
        if not apart:
            found[0][1].traffics[:] = traffics
        return [alike for _, alike in found if alike.found]

    def _sending(self, name: NameContext) -> tuple[Ends, Collection[Node]]:
        """The special entry points that may send to a changed node: those that end otherwise and alike for all classes,
        by their outcomes, and those to look at for each class."""
        sending = name.sending(self.goals) - self.comparing.delta.one_sided
        apart = set(sending & name.telling) if sending else set[Node]()
        common: Ends = {}
        may = name.may_reach(self.goals)
        for node in sending - apart:
            onward = name.evaluators[0].onward(node)
            if _is_led_on(onward, may):
                ends = self._ends_by_default(onward)
                if ends is None:
                    apart.add(node)
                elif ends[0] != ends[1]:
                    common.setdefault(ends, []).append(node)
        return common, apart

    def _special_ends(self, name: NameContext, traffic: TrafficClass, sending: Collection[Node]) -> Ends:
        """The special entry points of a class, among these, that end otherwise, by their outcomes."""
        found: Ends = {}
        if not sending:
            return found
        may = name.may_reach(self.goals)
        before = ClassEvaluator(self.before.estate, traffic, self.comparing.at, name.evaluators[0], name.telling)
        for node in sending:
            onward = before.onward(node)
            if _is_led_on(onward, may):
                ends = self._ends_by_default(onward) or self._ends_beyond(onward, before, name, traffic)
                if ends[0] != ends[1]:
                    found.setdefault(ends, []).append(node)
        return found

    def _ends_by_default(self, onward: HopResult) -> Pair | None:
        """The outcomes of a first hop beyond which no node treats the name specially; None if one may."""
        ends = self._behind.get(onward)
        if ends is None and all(lead.instance in self._passed for lead in onward.leads):
            ends = self._behind[onward] = outcomes_beyond(onward, self.before), outcomes_beyond(onward, self.after)
        return ends

    def _ends_beyond(self, onward: HopResult, before: ClassEvaluator, name: NameContext, traffic: TrafficClass) -> Pair:
        after = ClassEvaluator(self.after.estate, traffic, self.comparing.at, name.evaluators[1], name.telling)
        after.decides_like(before, self.comparing.delta.one_sided.union(self.dirty))
        return outcomes_beyond(onward, before), outcomes_beyond(onward, after)

    def _groups(self, name: NameContext, ends: Ends) -> GroupSet:
        """The groups of a class whose special entry points end like this."""
        inside = self._special_by_cell(name)
        if not ends and not inside:
            return self._plain
        pairs = dict.fromkeys((*self._parts, *ends))
        groups = {pair: self._group(pair, inside, ends.get(pair, [])) for pair in pairs}
        return GroupSet(own={pair: group for pair, group in groups.items() if group.members})

    def _special_by_cell(self, name: NameContext) -> dict[EquivalenceClass, frozenset[Node]]:
        """The special entry points of a name that are in cells that end otherwise, by their cell."""
        nodes = name.special & self._cell_of.keys() if self._cell_of else ()
        found: dict[EquivalenceClass, list[Node]] = {}
        for node in nodes:
            found.setdefault(self._cell_of[node], []).append(node)
        return {cell: frozenset(nodes) for cell, nodes in found.items()}

    def _group(self, pair: Pair, inside: dict[EquivalenceClass, frozenset[Node]], special: list[Node]) -> DiffGroup:
        cells, single = self._parts.get(pair, ((), ()))
        parts = [(cell, inside.get(cell, frozenset())) for cell in cells]
        whole = [(cell, without) for cell, without in parts if len(without) < len(cell.entries)]
        return DiffGroup(_ANY, *pair, GroupMembers(self.comparing.order, whole, [*single, *special]))

    @cached_property
    def _plain(self) -> GroupSet:
        """The groups of a name without special entry points among those that end otherwise."""
        return GroupSet(own={pair: self._group(pair, {}, []) for pair in self._parts}, of_any_name=True)

    @cached_property
    def _cell_of(self) -> dict[Node, EquivalenceClass]:
        """The cells that end otherwise, by their entry points."""
        return {node: cell for cells, _ in self._parts.values() for cell in cells for node in cell.entries}

    @cached_property
    def _parts(self) -> dict[Pair, tuple[list[EquivalenceClass], list[Node]]]:
        """By outcomes: the cells, and the changed entry points."""
        found: dict[Pair, tuple[list[EquivalenceClass], list[Node]]] = {}
        for cell, before, after in self.comparing.background.changes(self.goals) if self.goals else ():
            found.setdefault((before, after), ([], []))[0].append(cell)
        for node in self.dirty:
            ends = self.before.ends(self.before.start(node)), self.after.ends(self.after.start(node))
            if ends[0] != ends[1] and node in self.comparing.order:
                found.setdefault(ends, ([], []))[1].append(node)
        return found


def _is_led_on(onward: HopResult, may: frozenset[str]) -> bool:
    """Whether a message with this first hop comes to one of these instances."""
    return any(lead.instance in may for lead in onward.leads)


def _together(common: Ends, ends: Ends) -> Ends:
    if not common or not ends:
        return common or ends
    return {pair: [*common.get(pair, ()), *ends.get(pair, ())] for pair in dict.fromkeys((*common, *ends))}
