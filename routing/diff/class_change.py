"""The effect of a change on one class of traffic: the entry points that end otherwise, found where it can reach."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Set
from functools import cached_property

from routing.classes.class_evaluator import ClassEvaluator, HopResult
from routing.classes.default_behaviour import BehaviourChange, EquivalenceClass, changed_behaviour, reached_from
from routing.classes.traffic_class import UNKNOWN_IDENTIFIER, Node, TrafficClass
from routing.diff.default_change import DefaultChange
from routing.diff.group_set import GroupSet
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
        self.telling = self._telling()
        backgrounds = name.evaluators if near is None else (near.before, near.after)
        self.before: ClassEvaluator
        self.after: ClassEvaluator
        self.before, self.after = (
            ClassEvaluator(common.estate, traffic, self.comparing.at, common, self.telling) for common in backgrounds
        )
        self.groups = GroupSet()
        """The entry points that end otherwise, by their outcomes; complete once it is evaluated."""
        self._settled = self.groups
        """Those of entry points that decide otherwise themselves."""
        self.suspected: Set[Node] = frozenset()
        """The nodes that may decide otherwise, without those that treat the class by default."""
        self._changed: Set[Node] = frozenset()
        """Those that do."""
        self._single: Set[Node] = frozenset()
        """The entry points that are answered one by one."""
        self._others: list[Node] = []
        """Those that decide as before."""
        self.goals: frozenset[str] = frozenset()
        """The instances that decide otherwise for messages from outside."""
        self._cells: dict[frozenset[str], list[EquivalenceClass]] = {}
        self.changes: dict[frozenset[str], list[BehaviourChange]] = {}
        """The changes of `cells_towards`, kept for near classes."""
        self._passed: dict[frozenset[str], Set[str]] = {}

    def _telling(self) -> Set[Node]:
        """The nodes to decide here: at all others neither identifier nor direction matters."""
        telling = self.name.telling
        if self.near is not None:
            return {node for node in self._apart if node in telling or node in self.replying}
        return telling | self.replying if self.replying else telling

    @cached_property
    def _apart(self) -> set[Node]:
        """The special nodes that may treat the class unlike a near one."""
        return self.name.apart(self.traffic.to_broker_instance)

    def evaluate(self, answered: Set[Node]) -> None:
        """Find the groups of this class, with these entry points of one estate only; none if it does not change."""
        if self.near is not None:
            self._begin_like(self.near)
        else:
            self._begin(answered)
        one_sided, goals = self.comparing.delta.one_sided, self.goals
        self.after.decides_like(self.before, self._changed | one_sided)
        if goals:
            self._share(goals)
        for node in self._single:
            self._answer(node)
        if goals:
            self._settled, self.groups = self.groups, GroupSet(self.groups)
            self._answer_others(goals, self._changed | self._single | one_sided)

    def _begin(self, answered: Set[Node]) -> None:
        """Begin with what becomes of entry points that treat the class by default."""
        self.suspected, plain = self._suspects()
        self._changed = {node for node in self.suspected if self.before.onward(node) != self.after.onward(node)}
        self.goals = _outside(self._changed) | _outside(plain) | self.comparing.limited
        met = self._not_by_default(plain)
        self._single = self._changed | met | answered
        if self._default is not None:
            self._settled = self.groups = GroupSet(self._default.entries)
            self.groups.leave_out((self._default.dirty - plain) | met)

    def _begin_like(self, near: ClassChange) -> None:
        """Begin with what a near class has; answer anew what meets a node where this one may be decided otherwise."""
        own = self._there({*self.replying, *self.identified})
        suspected = [node for node in self.telling if node in near.suspected or node in own]
        changed = {node for node in suspected if self.before.onward(node) != self.after.onward(node)}
        self._changed, self.goals = near._changed, near.goals
        if changed != near._changed & self.telling:
            self._changed = (near._changed - self.telling) | changed
            self.goals = (near.goals - _outside(self.telling)) | _outside(changed)
        met = near.meeting(self.telling)
        self._single = met | changed
        self._settled = self.groups = GroupSet(near._settled)
        self.groups.leave_out(met)

    def _suspects(self) -> tuple[Set[Node], Set[Node]]:
        """The nodes that may decide otherwise, and those that do and treat the class by default."""
        delta, service = self.comparing.delta, self.traffic.to_service
        if self._default is None:
            return self._there(delta.nodes(service, self.traffic.to_broker_instance)), frozenset()
        own = {*self.replying, *delta.by_name.get(service, ()), *self.identified}
        special, plain = self._default.parted(self.name)
        return special | self._there(own), plain - own

    @property
    def identified(self) -> Set[Node]:
        """The nodes that may decide otherwise because of the identifier."""
        return self.comparing.delta.by_identifier.get(self.traffic.to_broker_instance or "", frozenset())

    def _there(self, nodes: Iterable[Node]) -> set[Node]:
        return {node for node in nodes if self._is_there(node)}

    def _is_there(self, node: Node) -> bool:
        return self.before.has(node) and self.after.has(node)

    def _not_by_default(self, plain: Set[Node]) -> Set[Node]:
        """The entry points, of those that treat the class by default, from which a message may meet a node that does
        not."""
        if self._default is None or not plain:
            return frozenset()
        return plain & self._default.leading_to(self.name.outside.union(name for name, _ in self.replying))

    def meeting(self, nodes: Set[Node]) -> set[Node]:
        """The entry points answered one by one that are among these nodes, or from which a message may reach one."""
        passing = self.passing
        met = (passing[name] for name, database in nodes if database is None and name in passing)
        return set().union(self._single & nodes, *met)

    @cached_property
    def passing(self) -> dict[str, set[Node]]:
        """By instance: the entry points answered one by one from which a message may reach it, before or after."""
        by_leads: dict[frozenset[str], list[Node]] = defaultdict(list)
        for node in self._single:
            by_leads[self._led_to(node)].append(node)
        found: dict[str, set[Node]] = defaultdict(set)
        for leads, nodes in by_leads.items():
            for instance in reached_from(leads, self.before, self.after):
                found[instance].update(nodes)
        return found

    def crossed(self) -> set[str]:
        """The instances that messages may reach from entry points that this class, near another one, answers."""
        leads = frozenset().union(*map(self._led_to, (*self._single, *self._others)))
        return reached_from(leads, self.before, self.after) if leads else set()

    def _led_to(self, node: Node) -> frozenset[str]:
        """The instances to which an entry point sends, before or after."""
        there = [evaluator for evaluator in (self.before, self.after) if evaluator.has(node)]
        return frozenset([lead.instance for evaluator in there for lead in evaluator.onward(node).leads])

    def is_near(self, other: TrafficClass) -> bool:
        """True if another class of the name is decided like this one, but for few nodes: those that hold its identifier
        and those with a route that gives it."""
        identifier = other.to_broker_instance
        return (
            self.traffic.to_broker_instance == UNKNOWN_IDENTIFIER
            and identifier is not None
            and self.comparing.is_even
            and identifier not in self.comparing.specials.principal_identifiers
            and self.comparing.specials.replying(other) <= self.name.special
        )

    def speaks_for(self, other: TrafficClass) -> bool:
        """True if another class of the name has the same outcomes: no node that could distinguish them was decided."""
        identifier = other.to_broker_instance
        if identifier in self.comparing.delta.by_identifier:
            return False
        if other.is_reply and not self.comparing.specials.replying(other) <= self.name.special:
            return False
        if self._told_apart is None:
            return True
        return None not in (self.traffic.to_broker_instance, identifier) and identifier not in self._told_apart

    @cached_property
    def _told_apart(self) -> Set[str] | None:
        """The identifiers that may be treated unlike others by a special node that was decided; None if none was."""
        decided = self.before.decided | self.after.decided
        if not decided:
            return None
        return self.name.told_apart(decided) if self.traffic.to_broker_instance is not None else frozenset()

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
        before, after = self._ends(self.before, node), self._ends(self.after, node)
        if before != after and node in self.comparing.order:
            self._group(before, after).members.single.append(node)

    def _answer_others(self, goals: frozenset[str], answered: Set[Node]) -> None:
        """Evaluate the entry points that decide as before and may send towards a goal: special ones, then cells."""
        limited = {(name, None) for name in self.comparing.limited}
        if self.near is None:
            singles = self.name.sending(goals) | self.replying | limited
        else:
            singles = (self._apart & self.name.sending(goals)) | self.replying
            self._add_cells(self._changes_as_near(self.near, goals), answered | self._apart | self.replying)
        for node in singles - answered:
            if self._leads_towards(node, goals):
                self._others.append(node)
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
            nodes = self.name.sending(goals) - self._changed - self.comparing.delta.one_sided
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
        if node in self.comparing.delta.one_sided and not evaluator.has(node):
            return frozenset()
        return evaluator.ends(evaluator.start(node))

    def _group(self, before: Outcomes, after: Outcomes) -> DiffGroup:
        return self.groups.group((before, after), self.traffic, GroupMembers(self.comparing.order))


def _outside(nodes: Set[Node]) -> frozenset[str]:
    """The instances among these nodes, for messages from outside."""
    return frozenset([name for name, database in nodes if database is None])
