"""Which instances may hand a message to which, over the routes for whatever name: too many perhaps, never too few."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator

from routing.classes import Node
from routing.estate import Estate
from routing.route import Route


class Flow:
    """The ways of two estates together."""

    def __init__(self, before: Estate, after: Estate) -> None:
        self._estates = (before, after)
        self._into: dict[str, set[str]] = defaultdict(set)
        self._out_of: dict[str, set[str | None]] = defaultdict(set)
        """None stands for an address of no instance."""
        self._reach: dict[frozenset[str], frozenset[str]] = {}
        self._nameless: dict[frozenset[str], frozenset[Node]] = {}
        for estate in self._estates:
            for name, instance in estate.instances.items():
                if instance.forwarding:
                    self._add(name, leads_to(estate, instance.msdb.routes.values()))

    def _add(self, name: str, targets: Iterable[str | None]) -> None:
        for target in targets:
            self._out_of[name].add(target)
            if target is not None:
                self._into[target].add(name)

    def may_reach(self, goals: frozenset[str]) -> frozenset[str]:
        """The instances from which a message may come to one of the goals, these among them."""
        found = self._reach.get(goals)
        if found is None:
            reached, todo = set(goals), list(goals)
            for goal in todo:
                new = self._into[goal] - reached
                reached |= new
                todo += new
            found = self._reach[goals] = frozenset(reached)
        return found

    def nameless_may_reach(self, goals: frozenset[str]) -> frozenset[Node]:
        """The nodes whose routes without a service name may lead a message towards a goal."""
        found = self._nameless.get(goals)
        if found is None:
            may = self.may_reach(goals)
            found = self._nameless[goals] = frozenset(
                (name, database)
                for estate in self._estates
                for name, instance in estate.instances.items()
                for database, table in instance.tables.items()
                if any_in(may, leads_to(estate, table.nameless))
            )
        return found

    def forwarding_more_than(self, hops: int) -> frozenset[str]:
        """The instances from which a message may be forwarded more often than this."""
        able: set[str | None] = {None, *self._into, *self._out_of}
        for _ in range(hops + 1):
            able = {name for name, targets in self._out_of.items() if not able.isdisjoint(targets)}
        return frozenset(name for name in able if name is not None)


def leads_to(estate: Estate, routes: Iterable[Route]) -> Iterator[str | None]:
    """The instances that these routes may lead to; None for an address of no instance."""
    for route in routes:
        if route.address.is_transport:  # CHOOSE-4: wherever the service name says
            yield from (*estate.instances, None)
        for address in (route.address, route.mirror_address):
            if address is not None and address.is_network:
                yield estate.by_address.get(address.key)


def any_in(wanted: Container[str | None], found: Iterable[str | None]) -> bool:
    return any(name in wanted for name in found)
