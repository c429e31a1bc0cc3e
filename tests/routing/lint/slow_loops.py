"""Circles of forwarders found the plain way: every name and identifier walked from every start, nothing shared."""

from __future__ import annotations

from collections.abc import Iterator

from routing.classes.traffic_class import UNKNOWN_SERVICE
from routing.lint.cycles import circle, cycles
from routing.lint.linted_objects import lost
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.decision import Send
from routing.rules.journey import outcomes
from routing.rules.router import route
from tests.strategies import AT

Told = tuple[str, str, str, str]


def loops(estate: Estate) -> Iterator[Told]:
    """Severity, instance, route and the way round of each circle, told once."""
    reported = set()
    for service, identifier, starts in _asked(estate):

        def sends(name: str, service: str = service, identifier: str | None = identifier) -> list[tuple[str, str]]:
            decisions = route(estate, Conversation(name, None, service, identifier), AT)
            return [(d.to, d.route) for d in decisions if isinstance(d, Send) and d.to is not None]

        def onward(name: str) -> list[str]:
            return [to for to, _ in sends(name)]

        for component in cycles(starts, onward):
            edges = frozenset((name, by) for name in component for to, by in sends(name) if to in component)
            if edges in reported:
                continue
            reported.add(edges)
            first = next(name for name in estate.instances if name in component)
            way = circle(component, first, onward)
            by = next(by for to, by in sends(first) if to == way[1])
            ends = outcomes(estate, Conversation(first, None, service, identifier), AT)
            severity = "error" if service != UNKNOWN_SERVICE and lost(ends) else "warning"
            yield severity, first, by, " > ".join(way)


def _asked(estate: Estate) -> Iterator[tuple[str, str | None, list[str]]]:
    forwarding = [i for i in estate.instances.values() if i.forwarding]
    yield UNKNOWN_SERVICE, None, [i.name for i in forwarding]
    for service in dict.fromkeys(name for i in forwarding for name in i.msdb.named):
        starts = [i for i in forwarding if service in i.msdb.named]
        identifiers = dict.fromkeys(g for i in starts for g in i.msdb.named[service].by_identifier)
        for identifier in (None, *identifiers):
            yield service, identifier, [i.name for i in starts]
