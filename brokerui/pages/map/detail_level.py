"""Choice of the map: which part of the estate it shows, and in how much detail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from brokerui.estate.refs import GROUP, INSTANCE
from brokerui.pages.map.detail import BUNDLED, Unbundled, detail
from brokerui.pages.map.map_query import MapQuery
from brokerui.pages.map.network import RouteNetwork
from brokerui.pages.map.plan import LOCAL, REST, TRANSPORT, MapPlan
from brokerui.pages.map.scope import Scope, around, concerning, everything, named_between
from brokerui.pages.map.summary import groups, instances

MAX_ELEMENTS, MAX_BOXES = 300, 150
"""The most elements of a map in detail, and the most instances with a box of their own on a map without."""


@dataclass(frozen=True, slots=True)
class MapCounts:
    """Numbers of drawn and of existing objects, so that the page can name all that it leaves out."""

    elements: int
    of_elements: int
    instances: int
    """With a box of their own."""
    grouped: int
    groups: int
    of_instances: int
    databases: int
    of_databases: int
    onward: int
    """Routes of the instances on the map that lead to another address; where a service is asked for, those for it."""
    lines: int
    """Routes that are drawn as lines."""
    stay: int
    """That lead nowhere else: LOCAL, and between instances that share a box."""
    by_name: int
    """That lead to the address in the service's name."""
    rest: int
    """Routes of the drawn instances that are only counted."""
    of_routes: int

    @property
    def elsewhere(self) -> int:
        """Routes of instances that are not drawn."""
        return self.of_routes - self.lines - self.stay - self.by_name - self.rest

    @property
    def is_everything(self) -> bool:
        return not (self.rest or self.elsewhere or self.groups) and self.instances == self.of_instances


def scope_of(network: RouteNetwork, page_query: MapQuery) -> Scope:
    """The scope that a query asks for; the whole estate if it names nothing that the estate has."""
    scope = _whole_scope(network, page_query)
    if page_query.first or page_query.last:
        scope = named_between(scope, page_query.first, page_query.last)
    return scope if scope.instances else everything(network)


def _whole_scope(network: RouteNetwork, page_query: MapQuery) -> Scope:
    if page_query.focus in network.estate.instances:
        return around(network, page_query.focus, page_query.hops)
    if page_query.service and network.elements > MAX_ELEMENTS:
        return concerning(network, page_query.service)
    return everything(network)


def plan_of(network: RouteNetwork, scope: Scope, at: datetime, unbundled: Unbundled = BUNDLED) -> MapPlan:
    """The map with as much detail as can be read."""
    estate = network.estate
    if sum(1 + len(estate.instances[name].databases) for name in scope.instances) <= MAX_ELEMENTS:
        plan = detail(network, scope, at, unbundled)
        if plan.elements <= MAX_ELEMENTS:
            return plan
    summary = instances if len(scope.instances) <= MAX_BOXES else groups
    return summary(network, scope, at, unbundled)


def counts_of(network: RouteNetwork, scope: Scope, plan: MapPlan) -> MapCounts:
    """Counted from what the plan draws."""
    boxes = plan.boxes.values()
    alone = sum(box.ref.kind == INSTANCE for box in boxes)
    grouped = [box.stands_for for box in boxes if box.ref.kind == GROUP]
    rows = list(plan.rows())
    lines = sum(row.routes for row in rows if row.to)

    def routes(test: Callable[[str], bool]) -> int:
        return sum(row.routes for row in rows if not row.to and test(row.kind))

    return MapCounts(
        elements=plan.elements,
        of_elements=network.elements,
        instances=alone,
        grouped=sum(grouped),
        groups=len(grouped),
        of_instances=len(network.estate.instances),
        databases=sum(len(network.estate.instances[name].databases) for name in scope.instances),
        of_databases=network.databases,
        onward=lines if scope.service is not None else sum(map(network.onward, scope.instances)),
        lines=lines,
        stay=routes(lambda kind: kind == LOCAL),
        by_name=routes(lambda kind: kind == TRANSPORT),
        rest=routes(lambda kind: kind == REST),
        of_routes=network.routes,
    )
