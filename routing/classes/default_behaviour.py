"""How entry points treat a service name that occurs nowhere, so that thousands of them are evaluated at once.

For most names, most nodes have neither a route for the name nor a database with the service, and so behave as for a
name that occurs nowhere. Entry points whose first hop gives the same result form an equivalence class (a cell); its
outcomes are evaluated once for all of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Set
from dataclasses import dataclass
from typing import NamedTuple

from routing.classes.class_evaluator import ClassEvaluator, HopResult
from routing.classes.traffic_class import Node
from routing.rules.decision import Outcome
from routing.rules.journey import Position


@dataclass(frozen=True, slots=True, eq=False)
class EquivalenceClass:
    """Entry points whose first hop gives the same result."""

    onward: HopResult
    """The result of the first hop."""
    entries: dict[Node, None]


class BehaviourChange(NamedTuple):
    """A cell, and the outcomes of its entry points before and after."""

    cell: EquivalenceClass
    before: frozenset[Outcome]
    after: frozenset[Outcome]


class DefaultBehaviour:
    """The cells of two estates for a name that occurs nowhere, and the paths of messages between instances.

    `entries` are the entry points that decide the same in both estates.
    """

    def __init__(self, before: ClassEvaluator, after: ClassEvaluator, entries: Iterable[Node]) -> None:
        self.before = before
        self.after = after
        cells: dict[HopResult, dict[Node, None]] = defaultdict(dict)
        for node in entries:
            onward = before.onward(node)
            if onward.leads:
                cells[onward][node] = None
        self._by_lead: dict[str, list[EquivalenceClass]] = defaultdict(list)
        for onward, members in cells.items():
            cell = EquivalenceClass(onward, members)
            for instance in {lead.instance for lead in onward.leads}:
                self._by_lead[instance].append(cell)
        self.reached_by = self._reverse_reach()
        """By instance: the instances, among those to which cells send, from which a message may reach it."""
        self._changes: dict[frozenset[str], list[BehaviourChange]] = {}

    def _reverse_reach(self) -> dict[str, set[str]]:
        reached_by: dict[str, set[str]] = defaultdict(set)
        for start in self._by_lead:
            for instance in reached_from({start}, self.before, self.after):
                reached_by[instance].add(start)
        return reached_by

    def cells_towards(self, instances: Iterable[str]) -> Iterable[EquivalenceClass]:
        """The cells from which a message may reach one of these instances."""
        starts = dict.fromkeys(start for name in instances for start in sorted(self.reached_by.get(name, ())))
        return dict.fromkeys(cell for start in starts for cell in self._by_lead[start])

    def shared_from(self, special: Set[str]) -> Set[str]:
        """The instances to which cells send, if no message from there reaches a special instance; else none."""
        return self._by_lead.keys() if special.isdisjoint(self.reached_by) else frozenset()

    def changes(self, goals: frozenset[str]) -> list[BehaviourChange]:
        """The changed cells for a class that reaches no special node, if the instances `goals` decide differently."""
        found = self._changes.get(goals)
        if found is None:
            found = self._changes[goals] = changed_behaviour(self.cells_towards(sorted(goals)), self.before, self.after)
        return found


def reached_from(starts: Set[str], *estates: ClassEvaluator) -> set[str]:
    """The instances that a message from one of these may reach in one of the estates, including these."""
    reached, todo = set(starts), list(starts)
    for instance in todo:
        node = (instance, None)
        evaluators = [estate for estate in estates if estate.has(node)]
        new = {lead.instance for estate in evaluators for lead in estate.onward(node).leads} - reached
        reached |= new
        todo += new
    return reached


def changed_behaviour(
    cells: Iterable[EquivalenceClass], before: ClassEvaluator, after: ClassEvaluator
) -> list[BehaviourChange]:
    """The cells whose outcomes differ between before and after."""
    met = (BehaviourChange(cell, outcomes_of(cell, before), outcomes_of(cell, after)) for cell in cells)
    return [change for change in met if change.before != change.after]


def outcomes_of(cell: EquivalenceClass, evaluator: ClassEvaluator) -> frozenset[Outcome]:
    """All outcomes of the entry points of a cell, which share them."""
    return outcomes_beyond(cell.onward, evaluator)


def outcomes_beyond(onward: HopResult, evaluator: ClassEvaluator) -> frozenset[Outcome]:
    """All outcomes of a message whose first hop gives this result."""
    limit = evaluator.estate.hop_limit
    places = [Position(lead.instance, None, limit - lead.forwards) for lead in onward.leads]
    return onward.ends.union(*map(evaluator.ends, places))
