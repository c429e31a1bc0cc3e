"""The routes that the outcomes of routing tests use, from the traces of the rules that decided."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from routing.model.estate import Estate
from routing.rules.journey_account import HopAccount, Journey

RouteKey = tuple[str, str, str]
"""Instance, database and name of a route."""
CHOOSING = ("CHOOSE-1", "CHOOSE-2", "CHOOSE-3", "CHOOSE-4")
"""The rules that choose routes; those of one tier are chosen alike, and CHOOSE-0 counts identical ones as one."""
ASKING = "MATCH-4"
"""The rule that uses the routes to the dynamic routing service, without choosing one."""


@dataclass(frozen=True, slots=True)
class RouteCoverage:
    """How many routes of an estate the outcomes of some tests use."""

    used: int
    total: int

    @property
    def percent(self) -> float:
        """100 where the estate has no route: nothing is left to use."""
        return 100.0 * self.used / self.total if self.total else 100.0

    def is_under(self, percent: float) -> bool:
        """Whether fewer routes are used than this share in percent."""
        return 100 * self.used < percent * self.total


def coverage(estate: Estate, used: Iterable[frozenset[RouteKey]]) -> RouteCoverage:
    """The routes of the estate that are in one of these sets, and the number of all of them."""
    routes = frozenset(_routes(estate))
    return RouteCoverage(len(routes.intersection(frozenset().union(*used))), len(routes))


def routes_used(estate: Estate, journey: Journey) -> frozenset[RouteKey]:
    """The routes that were chosen at some hop of the journey, or that lead to the dynamic routing service it asks."""
    return frozenset(
        (hop.instance, hop.table, name) for hop in journey.hops for name in _names_used(estate, hop, journey.at)
    )


def _names_used(estate: Estate, hop: HopAccount, at: datetime) -> Iterator[str]:
    for step in hop.steps:
        if step.taken and step.rule in CHOOSING:
            yield from step.routes
        elif step.taken and step.rule == ASKING:
            dynamic = estate.instances[hop.instance].tables[hop.database].dynamic
            yield from (route.name for route in (dynamic.all_routes() if dynamic else ()) if not route.expired(at))


def _routes(estate: Estate) -> Iterator[RouteKey]:
    for instance in estate.instances.values():
        for database, table in instance.tables.items():
            if database is not None:
                yield from ((instance.name, database, name) for name in table.routes)
