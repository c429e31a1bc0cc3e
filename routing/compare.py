"""The differential: what a change does to every class of traffic there can be, evaluated only where it can reach.

For each class of traffic the nodes that the change may touch are asked before and after. Where none decides otherwise,
nothing changes anywhere. Else the entry points whose messages may come to such a node are found backwards, most of
them as whole cells of the background, and answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from functools import cached_property

from routing.asked import Asked
from routing.background import Background, Cell
from routing.classes import NOWHERE, Node, TrafficClass, Vocabulary
from routing.comparison import Comparison, Group, Members, Outcomes, in_worst_order
from routing.decision import Decision, Send
from routing.delta import delta
from routing.estate import Estate
from routing.journey import Place
from routing.special import Flow, Specials


def compare(before: Estate, after: Estate, at: datetime) -> Comparison:
    """Every class whose outcomes differ between two estates at a moment, in groups."""
    return _Comparing(before, after, at).result()


class _Comparing:
    def __init__(self, before: Estate, after: Estate, at: datetime) -> None:
        self.before = before
        self.after = after
        self.at = at
        self.vocabulary = Vocabulary(before, after)
        self.delta = delta(before, after, self.vocabulary)
        self.order = {node: index for index, node in enumerate(self.vocabulary.entries)}

    @cached_property
    def specials(self) -> Specials:
        return Specials(self.before, self.after)

    @cached_property
    def flow(self) -> Flow:
        return Flow(self.before, self.after)

    @cached_property
    def background(self) -> Background:
        nowhere = Asked(self.before, TrafficClass(NOWHERE, None, False), self.at)
        return Background(nowhere, filter(nowhere.has, self.vocabulary.entries))

    @cached_property
    def limited(self) -> frozenset[str]:
        """The instances whose messages a change of the hop limit may touch (LOOP-1)."""
        limits = (self.before.hop_limit, self.after.hop_limit)
        return self.flow.forwarding_more_than(min(limits)) if limits[0] != limits[1] else frozenset()

    def result(self) -> Comparison:
        groups = [group for traffic in self._touched() for group in _Class(self, traffic).groups()]
        return Comparison(self.vocabulary.count(), in_worst_order(groups))

    def _touched(self) -> Iterator[TrafficClass]:
        """The classes of traffic that the change may touch at some node."""
        if self.delta.always or self.delta.one_sided or self.limited:
            names: Iterable[str] = self.vocabulary.identifiers
        else:
            names = [name for name in self.vocabulary.identifiers if self._named(name)]
        return (traffic for name in names for traffic in self.vocabulary.of_name(name))

    def _named(self, name: str) -> bool:
        known = self.delta.by_identifier
        return name in self.delta.by_name or bool(known and not known.keys().isdisjoint(self._identifiers(name)))

    def _identifiers(self, name: str) -> set[str]:
        return self.vocabulary.identifiers[name]


class _Class:
    """One class of traffic, before and after."""

    def __init__(self, comparing: _Comparing, traffic: TrafficClass) -> None:
        self.comparing = comparing
        self.traffic = traffic
        self.before = Asked(comparing.before, traffic, comparing.at)
        self.after = Asked(comparing.after, traffic, comparing.at)
        self.found: dict[tuple[Outcomes, Outcomes], Group] = {}

    def groups(self) -> Iterable[Group]:
        """The groups of this class; none when it does not change."""
        one_sided = self.comparing.delta.one_sided
        dirty = {node for node in self._suspects() if self._decides_otherwise(node)}
        dirty |= {(name, None) for name in self.comparing.limited if self._on_both_sides((name, None))}
        for node in one_sided:
            self._add(self._ends(self.before, node), self._ends(self.after, node), node)
        goals = frozenset(instance for instance, database in dirty if database is None)
        special: set[Node] = set()
        if goals:
            special = self.comparing.specials.nodes(self.traffic)
            special = {node for node in special if self._on_both_sides(node)}
        single = dirty | special
        for node in single.difference(one_sided):
            if node in dirty or self._may_reach(node, goals):
                self._add(self._ends(self.before, node), self._ends(self.after, node), node)
        if goals:
            towards = goals | {instance for instance, database in special if database is None}
            self._answer_cells(towards, single.union(one_sided))
        return self.found.values()

    def _suspects(self) -> Iterator[Node]:
        nodes = self.comparing.delta.nodes(self.traffic.to_service, self.traffic.to_broker_instance)
        return (node for node in nodes if self._on_both_sides(node))

    def _on_both_sides(self, node: Node) -> bool:
        return self.before.has(node) and self.after.has(node)

    def _decides_otherwise(self, node: Node) -> bool:
        old = self.before.decide(self.before.start(node))
        new = self.after.decide(self.after.start(node))
        return old != new and set(map(_effect, old)) != set(map(_effect, new))

    def _may_reach(self, node: Node, goals: frozenset[str]) -> bool:
        """Whether a message of this entry point may come to a goal; the node itself decides as before."""
        may = self.comparing.flow.may_reach(goals)
        if node[1] is None:
            return node[0] in may
        return any(isinstance(d, Send) and d.to in may for d in self.before.decide(self.before.start(node)))

    def _answer_cells(self, towards: Iterable[str], single: set[Node]) -> None:
        for cell in self.comparing.background.cells_towards(towards):
            without = frozenset(node for node in single if node in cell.entries)
            if len(without) == len(cell.entries):
                continue
            before, after = self._through(cell, self.before), self._through(cell, self.after)
            if before != after:
                self._group(before, after).members.cells.append((cell, without))

    def _through(self, cell: Cell, asked: Asked) -> Outcomes:
        limit = asked.estate.hop_limit
        places = [Place(lead.instance, None, limit - lead.forwards) for lead in cell.leads]
        return cell.ends.union(*map(asked.ends, places))

    def _ends(self, asked: Asked, node: Node) -> Outcomes:
        return asked.ends(asked.start(node)) if asked.has(node) else frozenset()

    def _add(self, before: Outcomes, after: Outcomes, node: Node) -> None:
        # An msdb that is not written decides for messages from outside, but is no entry point itself.
        if before != after and node in self.comparing.order:
            self._group(before, after).members.single.append(node)

    def _group(self, before: Outcomes, after: Outcomes) -> Group:
        group = self.found.get((before, after))
        if group is None:
            group = Group(self.traffic, before, after, Members(self.comparing.order))
            self.found[before, after] = group
        return group


def _effect(decision: Decision) -> object:
    """What a decision does, whichever route was chosen for it."""
    return (decision.address.key, decision.to) if isinstance(decision, Send) else decision.outcome
