"""The effect of a change on one class of traffic: the entry points that end otherwise, found where it can reach."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from functools import cached_property

from routing.classes.class_evaluator import ClassEvaluator, HopResult
from routing.classes.default_behaviour import BehaviourChange, EquivalenceClass, changed_behaviour, reached_from
from routing.classes.traffic_class import UNKNOWN_IDENTIFIER, Node, TrafficClass
from routing.diff.default_change import DefaultChange
from routing.diff.per_name import NameContext
from routing.diff.result import DiffGroup, GroupMembers, Outcomes


class ClassChange:
    """One class of traffic, before and after."""

    def __init__(
        self, name: NameContext, traffic: TrafficClass, near: ClassChange | None, default: DefaultChange | None
    ) -> None:
        self.name = name
        self.comparing = name.comparing
        self.traffic = traffic
        self.near = near
        """A class from which this one differs at few nodes."""
        self._default = default
        self.replying = self.comparing.specials.replying(traffic)
        self.special = name.special | self.replying if self.replying and near is None else name.special
        backgrounds = name.evaluators if near is None else (near.before, near.after)
        self.telling = telling = self._telling()
        self.before: ClassEvaluator
        self.after: ClassEvaluator
        self.before, self.after = (
            ClassEvaluator(common.estate, traffic, self.comparing.at, common, telling) for common in backgrounds
        )
        self.found: dict[tuple[Outcomes, Outcomes], DiffGroup] = {}
        self._dirty: Set[Node] = frozenset()
        self._cells: dict[frozenset[str], list[EquivalenceClass]] = {}
        self.changes: dict[frozenset[str], list[BehaviourChange]] = {}
        """The changes of `cells_towards`, kept for near classes."""
        self._passed: dict[frozenset[str], Set[str]] = {}

    def _telling(self) -> Set[Node]:
        """The nodes to decide here: at all others neither identifier nor direction matters."""
        telling = self.name.telling
        if self.near is not None:
            apart = self.name.apart(self.traffic.to_broker_instance)
            return {node for node in apart if node in telling or node in self.replying}
        return telling | self.replying if self.replying else telling

    def evaluate(self, answered: Set[Node]) -> None:
        """Find the groups of this class, with these entry points of one estate only; none if it does not change."""
        one_sided = self.comparing.delta.one_sided
        suspects, plain = self._suspects()
        changed = {node for node in suspects if self.before.onward(node) != self.after.onward(node)}
        self._dirty = dirty = changed.union(plain)
        goals = frozenset(name for name, database in dirty if database is None) | self.comparing.limited
        self.after.decides_like(self.before, dirty | one_sided)
        if goals:
            self._share(goals)
        for node in answered:
            self._add(self._ends(self.before, node), self._ends(self.after, node), node)
        for node in changed | self._add_plain(plain):
            self._answer(node)
        if goals:
            self._answer_others(goals, dirty | one_sided)

    def _suspects(self) -> tuple[Iterable[Node], Set[Node]]:
        """The nodes that may decide otherwise, and those that do and treat the class by default."""
        delta, identifier = self.comparing.delta, self.traffic.to_broker_instance
        if self._default is None:
            return self._there(delta.nodes(self.traffic.to_service, identifier)), frozenset()
        own = {*delta.by_name.get(self.traffic.to_service, ()), *delta.by_identifier.get(identifier or "", ())}
        own |= self.replying
        special, plain = self._default.parted(self.name)
        return special | set(self._there(own)), plain - own

    def _there(self, nodes: Iterable[Node]) -> list[Node]:
        return [node for node in nodes if self.before.has(node) and self.after.has(node)]

    def _add_plain(self, plain: Set[Node]) -> Set[Node]:
        """Add the ends of entry points that follow the default all the way; return those that may not."""
        if self._default is None or not plain:
            return frozenset()
        leading = self._default.leading_to(self.name.outside.union(name for name, _ in self.replying))
        left = plain - leading
        for pair, nodes in self._default.changed_entries():
            found = nodes if len(left) == len(self._default.dirty) else [node for node in nodes if node in left]
            if found:
                self._group(*pair).members.single += found
        return plain & leading

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

    def _share(self, goals: frozenset[str]) -> None:
        if self.near is not None:
            passed = self.near.passed(goals)
            if all(database is not None or name not in passed for name, database in self.telling):
                self.before.shared = self.after.shared = passed
            return
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
            self._add_cells(self._changes_as_near(self.near, goals), answered | apart | self.replying)
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

    def passed(self, goals: frozenset[str]) -> Set[str]:
        """The instances that messages of `cells_towards` may reach."""
        found = self._passed.get(goals)
        if found is None:
            leads = {lead.instance for cell in self.cells_towards(goals) for lead in cell.onward.leads}
            found = self._passed[goals] = reached_from(leads, self.before, self.after)
        return found

    def _changes_as_near(self, near: ClassChange, goals: frozenset[str]) -> list[BehaviourChange]:
        """The changes of the cells of a near class, which are the same if no hop decides otherwise here."""
        if not self.before.shared:
            return changed_behaviour(near.cells_towards(goals), self.before, self.after)
        found = near.changes.get(goals)
        if found is None:
            found = near.changes[goals] = changed_behaviour(near.cells_towards(goals), near.before, near.after)
        return found

    def _answer_background(self, goals: frozenset[str], single: Set[Node]) -> None:
        """Add the cells of entry points that treat the name like one that occurs nowhere."""
        if self.before.shared and self.near is None:
            changed: Iterable[BehaviourChange] = self.comparing.background.changes(goals)
        else:
            towards = goals if self.replying <= self.name.special else goals.union(name for name, _ in self.replying)
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
