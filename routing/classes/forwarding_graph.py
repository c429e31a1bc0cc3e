"""Which instances may pass messages to which, by routes without a service name. May name too many, never too few."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Iterator
from functools import cached_property

from routing.classes.traffic_class import Node
from routing.model.estate import Estate
from routing.model.route import Route
from routing.model.route_table import RouteTable


class ForwardingGraph:
    """The edges of two estates together."""

    def __init__(self, before: Estate, after: Estate) -> None:
        self._estates = (before, after)
        self._into: dict[str, set[str]] = defaultdict(set)
        self._reach: dict[frozenset[str], frozenset[str]] = {}
        for name, target in _forwards(self._estates, lambda table: table.nameless):
            if target is not None:
                self._into[target].add(name)

    def may_reach(self, goals: frozenset[str]) -> frozenset[str]:
        """The instances from which a message may reach one of the goals, including the goals.

        Instances with routes for the service name itself must be among the goals.
        """
        found = self._reach.get(goals)
        if found is None:
            reached, todo = set(goals), list(goals)
            for goal in todo:
                new = self._into[goal] - reached
                reached |= new
                todo += new
            found = self._reach[goals] = frozenset(reached)
        return found

    @cached_property
    def nameless(self) -> dict[Node, set[str | None]]:
        """By node: the instances to which its routes without a service name may lead."""
        found: dict[Node, set[str | None]] = defaultdict(set)
        for estate in self._estates:
            for name, instance in estate.instances.items():
                for database, table in instance.tables.items():
                    if table.nameless:
                        found[name, database].update(leads_to(estate, table.nameless))
        return found

    def forwarding_more_than(self, hops: int) -> frozenset[str]:
        """The instances from which a message, for whatever name, may be forwarded more often than this."""
        out_of: dict[str, set[str | None]] = defaultdict(set)
        for name, target in _forwards(self._estates, lambda table: table.routes.values()):
            out_of[name].add(target)
        able: set[str | None] = {None, *out_of, *(target for targets in out_of.values() for target in targets)}
        for _ in range(hops + 1):
            able = {name for name, targets in out_of.items() if not able.isdisjoint(targets)}
        return frozenset(name for name in able if name is not None)


def _forwards(
    estates: Iterable[Estate], routes: Callable[[RouteTable], Iterable[Route]]
) -> Iterator[tuple[str, str | None]]:
    """Pairs of a forwarding instance and an instance to which these routes of its msdb lead."""
    for estate in estates:
        for name, instance in estate.instances.items():
            if instance.forwarding:
                for target in leads_to(estate, routes(instance.msdb)):
                    yield name, target


def leads_to(estate: Estate, routes: Iterable[Route]) -> Iterator[str | None]:
    """The instances that these routes may lead to; None for an address of no instance."""
    for route in routes:
        if route.address.is_transport:  # CHOOSE-4: any address that a service name may hold
            yield from (*estate.instances, None)
        for address in (route.address, route.mirror_address):
            if address is not None and address.is_network:
                yield estate.by_address.get(address.key)


def any_in(wanted: Container[str | None], found: Iterable[str | None]) -> bool:
    return any(name in wanted for name in found)
