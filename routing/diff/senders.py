"""Which entry points may send a message towards some instances by a route without a service name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Set

from routing.classes.traffic_class import Node


class Senders:
    """Looks entry points up one by one; all of them, once that has cost as much."""

    def __init__(self, entries: Set[Node], leads: Mapping[Node, Set[str | None]]) -> None:
        self._entries = entries
        self._leads = leads
        """By entry point: the instances to which its routes without a service name may lead."""
        self._all: dict[frozenset[str], frozenset[Node]] = {}
        self._looked_up: Counter[frozenset[str]] = Counter()

    def among(self, nodes: Set[Node], instances: frozenset[str]) -> Set[Node]:
        """Return those of these nodes that are one of the instances, or may send to one from a database."""
        found = self._all.get(instances)
        if found is None:
            self._looked_up[instances] += len(nodes)
            if self._looked_up[instances] < len(self._entries):
                return self._one_by_one(nodes, instances)
            found = self._all[instances] = frozenset(self._one_by_one(self._entries, instances))
        return nodes & found

    def _one_by_one(self, nodes: Iterable[Node], instances: frozenset[str]) -> set[Node]:
        # An msdb that the document omits decides for messages from outside, but is no entry point.
        return {node for node in nodes if node in self._entries and self._sends(node, instances)}

    def _sends(self, node: Node, instances: frozenset[str]) -> bool:
        name, database = node
        return name in instances if database is None else not instances.isdisjoint(self._leads.get(node, ()))
