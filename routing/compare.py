"""The differential: what a change does to every class of traffic there can be, evaluated only where it can reach.

For each class of traffic the nodes that the change may touch are asked before and after. Where none decides otherwise,
nothing changes anywhere. Else the entry points whose messages may come to such a node are found backwards, most of
them as whole cells of the background, and answered.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from datetime import datetime
from functools import cached_property

from routing.asked import Asked
from routing.background import Background, Change, changes
from routing.classes import NOWHERE, Node, TrafficClass, Vocabulary
from routing.comparison import Comparison, Group, Members, Outcomes, in_worst_order
from routing.delta import delta
from routing.estate import Estate
from routing.flow import Flow, any_in, leads_to
from routing.route import Route
from routing.special import Specials


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
        return Specials(self.before, self.after, self.names)

    @cached_property
    def flow(self) -> Flow:
        return Flow(self.before, self.after)

    @cached_property
    def nowhere(self) -> tuple[Asked, Asked]:
        """Both estates, asked for a name that occurs nowhere."""
        traffic = TrafficClass(NOWHERE, None, False)
        return Asked(self.before, traffic, self.at), Asked(self.after, traffic, self.at)

    @cached_property
    def background(self) -> Background:
        before, after = self.nowhere
        suspects = self.delta.nodes(NOWHERE, None) | self.delta.one_sided
        changed = {node for node in suspects if not _alike(before, after, node)}
        # With no hop to spare, what reaches an instance from outside is never sent on.
        outside = min(self.before.hop_limit, self.after.hop_limit) > 0
        return Background(
            before,
            after,
            (node for node in self.vocabulary.entries if node not in changed and (outside or node[1] is not None)),
        )

    @cached_property
    def limited(self) -> frozenset[str]:
        """The instances whose messages a change of the hop limit may touch (LOOP-1)."""
        limits = (self.before.hop_limit, self.after.hop_limit)
        return self.flow.forwarding_more_than(min(limits)) if limits[0] != limits[1] else frozenset()

    def result(self) -> Comparison:
        groups = [group for name in self.names for group in self._groups(name)]
        return Comparison(self.vocabulary.count(), in_worst_order(groups))

    def _groups(self, name: str) -> Iterator[Group]:
        common = _Name(self, name)
        for traffic in self.vocabulary.of_name(name):
            yield from _Class(common, traffic).groups()

    @cached_property
    def names(self) -> Set[str]:
        """The service names for which the change may matter at some node."""
        if self.delta.always or self.delta.one_sided or self.limited:
            return self.vocabulary.identifiers.keys()
        return {name for name in self.vocabulary.identifiers if self._named(name)}

    def _named(self, name: str) -> bool:
        known = self.delta.by_identifier
        return name in self.delta.by_name or bool(known and not known.keys().isdisjoint(self._identifiers(name)))

    def _identifiers(self, name: str) -> set[str]:
        return self.vocabulary.identifiers[name]


def _alike(before: Asked, after: Asked, node: Node) -> bool:
    return before.has(node) and after.has(node) and before.onward(node) == after.onward(node)


class _Name:
    """What the classes of one service name have in common."""

    def __init__(self, comparing: _Comparing, name: str) -> None:
        self.comparing = comparing
        self.name = name
        self._estates = (comparing.before, comparing.after)
        self.special = comparing.specials.nodes(name)
        self._sending: dict[frozenset[str], set[Node]] = {}

    def sending(self, goals: frozenset[str]) -> set[Node]:
        """Its special entry points whose routes, whichever is chosen, may lead a message towards a goal."""
        found = self._sending.get(goals)
        if found is None:
            # An msdb that is not written decides for messages from outside, but is no entry point itself.
            entries = self.special & self.comparing.order.keys()
            found = self._sending[goals] = {node for node in entries if self._sends(node, goals)}
        return found

    def _sends(self, node: Node, goals: frozenset[str]) -> bool:
        instance, database = node
        may = self.comparing.flow.may_reach(goals)
        if database is None:
            return instance in may
        if node in self.comparing.flow.nameless_may_reach(goals):
            return True
        return any(any_in(may, leads_to(estate, self._routes(estate, instance, database))) for estate in self._estates)

    def _routes(self, estate: Estate, instance: str, database: str) -> Iterable[Route]:
        table = estate.instances[instance].tables.get(database) if instance in estate.instances else None
        named = table.named.get(self.name) if table is not None else None
        return named.routes() if named is not None else ()


class _Class:
    """One class of traffic, before and after."""

    def __init__(self, name: _Name, traffic: TrafficClass) -> None:
        self.name = name
        self.comparing = name.comparing
        self.traffic = traffic
        self.replying = self.comparing.specials.replying(traffic)
        self.special = name.special | self.replying if self.replying else name.special
        self.before, self.after = (
            Asked(nowhere.estate, traffic, self.comparing.at, nowhere, self.special)
            for nowhere in self.comparing.nowhere
        )
        self.found: dict[tuple[Outcomes, Outcomes], Group] = {}

    def groups(self) -> Iterable[Group]:
        """The groups of this class; none when it does not change."""
        one_sided = self.comparing.delta.one_sided
        dirty = {node for node in self._suspects() if self.before.onward(node) != self.after.onward(node)}
        goals = frozenset(name for name, database in dirty if database is None) | self.comparing.limited
        if goals:
            self._share()
        for node in one_sided:
            self._add(self._ends(self.before, node), self._ends(self.after, node), node)
        for node in dirty:
            self._answer(node)
        if goals:
            self._answer_others(goals, dirty | one_sided)
        return self.found.values()

    def _suspects(self) -> Iterator[Node]:
        nodes = self.comparing.delta.nodes(self.traffic.to_service, self.traffic.to_broker_instance)
        return (node for node in nodes if self.before.has(node) and self.after.has(node))

    def _share(self) -> None:
        outside = {name for name, database in self.special if database is None}
        self.before.shared = self.after.shared = self.comparing.background.shared_from(outside)

    def _answer(self, node: Node) -> None:
        self._add(self.before.ends(self.before.start(node)), self.after.ends(self.after.start(node)), node)

    def _answer_others(self, goals: frozenset[str], answered: Set[Node]) -> None:
        """The entry points that decide as before and may send towards a goal: the special ones singly, then cells."""
        limited = {(name, None) for name in self.comparing.limited}
        may = self.comparing.flow.may_reach(goals)
        for node in (self.name.sending(goals) | self.replying | limited) - answered:
            # The node itself decides as before; where it sends the message decides whether anything may change.
            if node[1] is None or any(lead.instance in may for lead in self.before.onward(node).leads):
                self._answer(node)
        background = self.comparing.background
        if self.before.shared:
            changed = background.changes(goals)
        else:
            towards = goals.union(name for name, database in self.special if database is None)
            changed = changes(background.cells_towards(towards), self.before, self.after)
        self._add_cells(changed, answered | self.special | limited)

    def _add_cells(self, changed: Iterable[Change], single: Set[Node]) -> None:
        for cell, before, after in changed:
            without = frozenset(node for node in single if node in cell.entries)
            if len(without) < len(cell.entries):
                self._group(before, after).members.cells.append((cell, without))

    def _ends(self, asked: Asked, node: Node) -> Outcomes:
        return asked.ends(asked.start(node)) if asked.has(node) else frozenset()

    def _add(self, before: Outcomes, after: Outcomes, node: Node) -> None:
        if before != after and node in self.comparing.order:
            self._group(before, after).members.single.append(node)

    def _group(self, before: Outcomes, after: Outcomes) -> Group:
        group = self.found.get((before, after))
        if group is None:
            group = Group(self.traffic, before, after, Members(self.comparing.order))
            self.found[before, after] = group
        return group
