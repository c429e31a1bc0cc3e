"""Values that a comparison computes once: changed nodes, special nodes, the forwarding graph, the default behaviour."""

from __future__ import annotations

from collections.abc import Mapping, Set
from datetime import datetime
from functools import cached_property

from routing.classes.class_evaluator import ClassEvaluator
from routing.classes.default_behaviour import DefaultBehaviour
from routing.classes.forwarding_graph import ForwardingGraph
from routing.classes.indexed_estate import IndexedEstate
from routing.classes.name_index import NameIndex
from routing.classes.traffic_class import UNKNOWN_SERVICE, Node, TrafficClass
from routing.diff.delta import delta
from routing.diff.intent import Intent
from routing.diff.senders import Senders
from routing.model.estate import Estate


class DiffContext:
    """Two estates at one time, and everything that is computed once for all classes of traffic."""

    def __init__(self, before: Estate | IndexedEstate, after: Estate, at: datetime) -> None:
        self._indexed = before if isinstance(before, IndexedEstate) else IndexedEstate(before)
        self.before = before = self._indexed.estate
        self.after = after
        self.at = at
        self.vocabulary = self._indexed.vocabulary_with(after)
        self.delta = delta(before, after, self.vocabulary)
        self.order = {node: index for index, node in enumerate(self.vocabulary.entries)}

    @cached_property
    def specials(self) -> NameIndex:
        return self._indexed.specials_with(self.after, self.names)

    def intent(self) -> Intent:
        """Tell the intended classes of this comparison apart."""
        return Intent(self.before, self.after, self.at, self.specials.routed)

    @cached_property
    def flow(self) -> ForwardingGraph:
        return ForwardingGraph(self.before, self.after)

    @cached_property
    def senders(self) -> Senders:
        return Senders(self.order.keys(), self.flow.nameless)

    @cached_property
    def address_books(self) -> tuple[Mapping[str, str | None], ...]:
        """By address: the instances of both estates, once where they are the same."""
        before, after = self.before.by_address, self.after.by_address
        return (before,) if before is after else (before, after)

    @cached_property
    def nowhere(self) -> tuple[ClassEvaluator, ClassEvaluator]:
        """The evaluators of both estates for a name that occurs nowhere."""
        traffic = TrafficClass(UNKNOWN_SERVICE, None, False)
        return ClassEvaluator(self.before, traffic, self.at), ClassEvaluator(self.after, traffic, self.at)

    @cached_property
    def background(self) -> DefaultBehaviour:
        before, after = self.nowhere
        suspects = self.delta.nodes(UNKNOWN_SERVICE, None) | self.delta.one_sided
        changed = {node for node in suspects if not _alike(before, after, node)}
        # With hop limit 0, messages from outside are never sent on.
        outside = min(self.before.hop_limit, self.after.hop_limit) > 0
        return DefaultBehaviour(
            before,
            after,
            (node for node in self.vocabulary.entries if node not in changed and (outside or node[1] is not None)),
        )

    @cached_property
    def limited(self) -> frozenset[str]:
        """The instances whose messages a change of the hop limit may affect (LOOP-1)."""
        limits = (self.before.hop_limit, self.after.hop_limit)
        return self.flow.forwarding_more_than(min(limits)) if limits[0] != limits[1] else frozenset()

    @cached_property
    def is_even(self) -> bool:
        """Whether both estates send messages from outside on, up to the same limit."""
        return self.before.hop_limit == self.after.hop_limit > 0

    @cached_property
    def names(self) -> Set[str]:
        """The service names for which the change may matter at some node."""
        return self.vocabulary.identifiers.keys() if self.delta.one_sided else self.names_of_both

    @cached_property
    def names_of_both(self) -> Set[str]:
        """The service names for which the change may matter at some entry point that both estates have."""
        if self.delta.always or self.limited:
            return self.vocabulary.identifiers.keys()
        return {name for name in self.vocabulary.identifiers if self._named(name)}

    def _named(self, name: str) -> bool:
        known = self.delta.by_identifier
        return name in self.delta.by_name or bool(known and not known.keys().isdisjoint(self._identifiers(name)))

    def _identifiers(self, name: str) -> set[str]:
        return self.vocabulary.identifiers[name]


def _alike(before: ClassEvaluator, after: ClassEvaluator, node: Node) -> bool:
    return before.has(node) and after.has(node) and before.onward(node) == after.onward(node)
