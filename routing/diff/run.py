"""The differential: what a change does to every possible class of traffic, evaluated only where the change can reach.

For each class, the nodes that the change may affect are decided before and after. If all decide as before, the class is
unchanged everywhere. Otherwise the entry points whose messages may reach such a node are found backwards, most of them
as whole cells, and evaluated.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from itertools import chain

from routing.classes.class_evaluator import ClassEvaluator, HopResult
from routing.classes.default_behaviour import BehaviourChange, EquivalenceClass, changed_behaviour
from routing.classes.indexed_estate import IndexedEstate
from routing.classes.traffic_class import UNKNOWN_IDENTIFIER, Node, TrafficClass
from routing.common.gc_control import gc_paused
from routing.common.names import is_system_service
from routing.diff.context import DiffContext
from routing.diff.intent import Intent
from routing.diff.per_name import NameContext
from routing.diff.result import Differential, DiffGroup, GroupMembers, Outcomes, in_worst_order
from routing.model.estate import Estate


def compare(before: Estate | IndexedEstate, after: Estate, at: datetime) -> Differential:
    """Every class whose outcomes differ between two estates at a moment, in groups."""
    with gc_paused():
        comparing = DiffContext(before, after, at)
        one_sided = comparing.delta.one_sided
        groups = [group for name in comparing.names for group in _groups(comparing, name, one_sided)]
        return Differential(comparing.vocabulary.count(), in_worst_order(groups), comparing.intent())


@dataclass(frozen=True, slots=True)
class StepwiseDiff:
    """A comparison that runs one class of traffic at a time: the caller may stop, and keeps the groups it wants."""

    classes: int
    """The number of classes of all names."""
    appeared: int
    """The number of classes of entry points that only the second estate has. Steps leave them out: all are new."""
    vanished: int
    """The number of classes of entry points that only the first estate has; left out likewise."""
    names: int
    """The number of names that the change may affect."""
    total: int
    """The number of steps: one for each service name, identifier and direction."""
    steps: Iterator[list[DiffGroup]]
    """The groups of each step, of entry points that both estates have."""
    intent: Intent


def compare_stepwise(before: Estate | IndexedEstate, after: Estate, at: datetime) -> StepwiseDiff:
    """Like `compare`, but unsorted: first the names of changed routes and services, at the end the system services."""
    with gc_paused():
        comparing = DiffContext(before, after, at)
        named, names = comparing.delta.by_name, comparing.names_of_both
        each = comparing.vocabulary.count_of_entry()
        gone = sum(comparing.nowhere[0].has(node) for node in comparing.delta.one_sided)
        return StepwiseDiff(
            classes=comparing.vocabulary.count(),
            appeared=(len(comparing.delta.one_sided) - gone) * each,
            vanished=gone * each,
            names=len(names),
            total=sum(map(comparing.vocabulary.count_of_name, names)),
            steps=_steps(comparing, sorted(names, key=lambda name: (is_system_service(name), name not in named))),
            intent=comparing.intent(),
        )


def _steps(comparing: DiffContext, names: Iterable[str]) -> Iterator[list[DiffGroup]]:
    for name in names:
        classes = _classes(comparing, name, frozenset())
        for _ in range(comparing.vocabulary.count_of_name(name)):
            with gc_paused():
                step = next(classes)
            yield step


def _groups(comparing: DiffContext, name: str, one_sided: Set[Node]) -> Iterator[DiffGroup]:
    """The groups of all classes of one name, with these entry points of one estate only."""
    return chain.from_iterable(_classes(comparing, name, one_sided))


def _classes(comparing: DiffContext, name: str, one_sided: Set[Node]) -> Iterator[list[DiffGroup]]:
    """The groups of each class of one name.

    A class that behaves like an earlier one is not evaluated again, and one that is near it only where they differ.
    """
    common = NameContext(comparing, name)
    speakers: list[_Class] = []
    for traffic in comparing.vocabulary.of_name(name):
        speaker = next((one for one in speakers if one.speaks_for(traffic)), None)
        if speaker is not None:
            yield [group.same_for(traffic) for group in speaker.found.values()]
            continue
        evaluated = _Class(common, traffic, next((one for one in speakers if one.is_near(traffic)), None))
        yield list(evaluated.groups(one_sided))
        if traffic.to_broker_instance in (None, UNKNOWN_IDENTIFIER):
            speakers.append(evaluated)


class _Class:
    """One class of traffic, before and after."""

    def __init__(self, name: NameContext, traffic: TrafficClass, near: _Class | None) -> None:
        self.name = name
        self.comparing = name.comparing
        self.traffic = traffic
        self.near = near
        """A class from which this one differs at few nodes."""
        self.replying = self.comparing.specials.replying(traffic)
        self.special = name.special | self.replying if self.replying and near is None else name.special
        backgrounds = name.evaluators if near is None else (near.before, near.after)
        telling = self._telling()
        self.before: ClassEvaluator
        self.after: ClassEvaluator
        self.before, self.after = (
            ClassEvaluator(common.estate, traffic, self.comparing.at, common, telling) for common in backgrounds
        )
        self.found: dict[tuple[Outcomes, Outcomes], DiffGroup] = {}
        self._dirty: Set[Node] = frozenset()
        self._cells: dict[frozenset[str], list[EquivalenceClass]] = {}

    def _telling(self) -> Set[Node]:
        """The nodes to decide here: at all others neither identifier nor direction matters."""
        telling = self.name.telling
        if self.near is not None:
            apart = self.name.apart(self.traffic.to_broker_instance)
            return {node for node in apart if node in telling or node in self.replying}
        return telling | self.replying if self.replying else telling

    def groups(self, answered: Set[Node]) -> Iterable[DiffGroup]:
        """The groups of this class, with these entry points of one estate only; empty if it does not change."""
        one_sided = self.comparing.delta.one_sided
        dirty = {node for node in self._suspects() if self.before.onward(node) != self.after.onward(node)}
        goals = frozenset(name for name, database in dirty if database is None) | self.comparing.limited
        self.after.decides_like(self.before, dirty | one_sided)
        self._dirty = dirty
        if goals:
            self._share()
        for node in answered:
            self._add(self._ends(self.before, node), self._ends(self.after, node), node)
        for node in dirty:
            self._answer(node)
        if goals:
            self._answer_others(goals, dirty | one_sided)
        return self.found.values()

    def is_near(self, other: TrafficClass) -> bool:
        """True if another class of the name is decided like this one, but for few nodes: those that hold its identifier
        and those with a route that gives it."""
        identifier = other.to_broker_instance
        return (
            self.traffic.to_broker_instance == UNKNOWN_IDENTIFIER
            and identifier is not None
            and self.comparing.is_even
            and identifier not in self.comparing.delta.by_identifier
            and identifier not in self.comparing.specials.principal_identifiers
            and self.comparing.specials.replying(other) <= self.name.special
        )

    def speaks_for(self, other: TrafficClass) -> bool:
        """True if another class of the name has the same outcomes: no node that could distinguish them was decided."""
        identifier = other.to_broker_instance
        if identifier in self.comparing.delta.by_identifier:
            return False
        if not self.comparing.specials.replying(other) <= self.name.special:
            return False
        if not self._decided:
            return True
        if self.traffic.to_broker_instance is None or identifier is None:
            return False
        return not self.name.tells_apart(identifier, self._decided)

    @cached_property
    def _decided(self) -> Mapping[str, Set[Node]]:
        """The special nodes that were decided, by instance."""
        found: dict[str, set[Node]] = defaultdict(set)
        for node in self.before.decided | self.after.decided:
            found[node[0]].add(node)
        return found

    def _suspects(self) -> Iterator[Node]:
        nodes = self.comparing.delta.nodes(self.traffic.to_service, self.traffic.to_broker_instance)
        return (node for node in nodes if self.before.has(node) and self.after.has(node))

    def _share(self) -> None:
        outside = self.name.outside | {name for name, _ in self.replying}
        shared = self.comparing.background.shared_from(outside)
        for evaluator in (self.before, self.after):
            evaluator.shared = shared

    def _answer(self, node: Node) -> None:
        self._add(self.before.ends(self.before.start(node)), self.after.ends(self.after.start(node)), node)

    def _answer_others(self, goals: frozenset[str], answered: Set[Node]) -> None:
        """Evaluate the entry points that decide as before and may send towards a goal: special ones, then cells."""
        limited = {(name, None) for name in self.comparing.limited}
        if self.near is None:
            singles = self.name.sending(goals) | self.replying | limited
        else:
            apart = self.name.apart(self.traffic.to_broker_instance)
            singles = (apart & self.name.sending(goals)) | self.replying
            alike = changed_behaviour(self.near.cells_towards(goals), self.before, self.after)
            self._add_cells(alike, answered | apart | self.replying)
        for node in singles - answered:
            if self._leads_towards(node, goals):
                self._answer(node)
        self._answer_background(goals, answered | self.replying | limited)

    def _leads_towards(self, node: Node, goals: frozenset[str]) -> bool:
        """Whether an entry point that decides as before sends to where the outcome may change."""
        may = self.name.may_reach(goals)
        return node[1] is None or any(lead.instance in may for lead in self.before.onward(node).leads)

    def cells_towards(self, goals: frozenset[str]) -> list[EquivalenceClass]:
        """The special entry points that decide as before and may send towards a goal, by what their first hop gives."""
        found = self._cells.get(goals)
        if found is None:
            order = self.comparing.order
            cells: dict[HopResult, dict[Node, None]] = defaultdict(dict)
            nodes = self.name.sending(goals) - self._dirty - self.comparing.delta.one_sided
            for node in sorted(filter(order.__contains__, nodes), key=order.__getitem__):
                if self._leads_towards(node, goals):
                    cells[self.before.onward(node)][node] = None
            found = self._cells[goals] = [EquivalenceClass(onward, entries) for onward, entries in cells.items()]
        return found

    def _answer_background(self, goals: frozenset[str], single: Set[Node]) -> None:
        """Add the cells of entry points that treat the name like one that occurs nowhere."""
        if self.before.shared:
            changed: Iterable[BehaviourChange] = self.comparing.background.changes(goals)
        else:
            towards = goals.union(name for name, _ in self.replying)
            changed = changed_behaviour(self.name.cells_towards(towards), self.before, self.after)
        for change in changed:
            self._add_cells([change], self.name.special_in(change.cell) | single)

    def _add_cells(self, changed: Iterable[BehaviourChange], single: Set[Node]) -> None:
        for cell, before, after in changed:
            without = frozenset(node for node in single if node in cell.entries)
            if len(without) < len(cell.entries):
                self._group(before, after).members.cells.append((cell, without))

    def _ends(self, evaluator: ClassEvaluator, node: Node) -> Outcomes:
        return evaluator.ends(evaluator.start(node)) if evaluator.has(node) else frozenset()

    def _add(self, before: Outcomes, after: Outcomes, node: Node) -> None:
        if before != after and node in self.comparing.order:
            self._group(before, after).members.single.append(node)

    def _group(self, before: Outcomes, after: Outcomes) -> DiffGroup:
        group = self.found.get((before, after))
        if group is None:
            group = DiffGroup(self.traffic, before, after, GroupMembers(self.comparing.order))
            self.found[before, after] = group
        return group
