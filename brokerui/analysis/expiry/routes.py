"""Routes of the live estate that expire: when, which conversations then end otherwise, and the remedy.

The effect is that of dropping the route just before: an expired route is ignored (RT-TABLE), as one that is not there.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from heapq import nsmallest
from typing import Final

from django.db.models import Count

from brokerui.analysis.effect.change import change_of_edits
from brokerui.analysis.effect.effect import Effect, effect_of
from brokerui.estate.selectors import LiveEstate
from brokerui.messaging.models import ConversationEndpoint
from routing.classes.traffic_class import UNKNOWN_IDENTIFIER, TrafficClass
from routing.dialog.states import CD
from routing.diff.result import BETTER, DiffGroup
from routing.lint.remedy import made_again
from routing.model.edits import DropRoute
from routing.model.estate import Estate
from routing.model.route import Route
from routing.rules.decision import DELAYED, DELIVERED, DROPPED, EXITS

WORST: Final = (DROPPED, DELAYED, EXITS, DELIVERED)
BEFORE: Final = timedelta(milliseconds=1)
COMPARE_S: Final = 0.2
"""Seconds that a request compares in all; a comparison that is done is kept."""


@dataclass(frozen=True, slots=True)
class ExpiringRoute:
    """A route with the end of its lifetime."""

    instance: str
    database: str
    route: Route
    at: datetime
    effect: Effect | None = None
    """None: others took the time of the request."""
    conversations: Mapping[str, int] = field(default_factory=dict)
    """Conversations of hosted instances that then end otherwise, by the kind of the worst outcome."""

    @property
    def place(self) -> str:
        return f"{self.instance}/{self.database}"

    @property
    def is_settled(self) -> bool:
        return self.effect is not None and self.effect.is_settled

    def remedy_sql(self, at: datetime) -> str | None:
        """The statements that make the route again without a lifetime; None where SQL Server would refuse them."""
        return made_again(self.database, self.route, at, lifetime=None)


def expiring_routes(live: LiveEstate, at: datetime, until: datetime, most: int) -> tuple[list[ExpiringRoute], int]:
    """The routes that expire first within a time, with their effects; and how many more there are."""
    number = sum(1 for _ in _expiring(live.estate, at, until))
    first = nsmallest(most, _expiring(live.estate, at, until), key=lambda one: (one.at, one.place, one.route.name))
    compared = _compared(live, first)
    return _with_conversations(compared), number - len(first)


def _expiring(estate: Estate, at: datetime, until: datetime) -> Iterator[ExpiringRoute]:
    for instance in estate.instances.values():
        for database in instance.databases.values():
            for route in database.table.routes.values():
                if route.lifetime is not None and at < route.lifetime <= until:
                    yield ExpiringRoute(instance.name, database.name, route, route.lifetime)


def _compared(live: LiveEstate, routes: Sequence[ExpiringRoute]) -> list[ExpiringRoute]:
    """With the effect of each, as far as the time of the request goes."""
    deadline, found = time.monotonic() + COMPARE_S, []
    for one in routes:
        left = deadline - time.monotonic()
        found.append(replace(one, effect=_effect(live, one).work(left)) if left > 0 else one)
    return found


def _effect(live: LiveEstate, one: ExpiringRoute) -> Effect:
    change = change_of_edits(live, (DropRoute(one.instance, one.database, one.route.name),))
    return effect_of(change, one.at - BEFORE)


def _with_conversations(routes: Sequence[ExpiringRoute]) -> list[ExpiringRoute]:
    """Count the conversations of hosted instances in the groups of each effect; one query for all of them."""
    groups = [_by_class(one.effect.ends.groups if one.effect and one.is_settled else ()) for one in routes]
    services = {traffic.to_service for by_class in groups for traffic in by_class}
    rows = list(_counted(services)) if services else []
    return [replace(one, conversations=_kinds(by_class, rows)) for one, by_class in zip(routes, groups, strict=True)]


def _by_class(groups: Sequence[DiffGroup]) -> dict[TrafficClass, list[DiffGroup]]:
    found: dict[TrafficClass, list[DiffGroup]] = {}
    for group in groups:
        if group.verdict != BETTER:
            found.setdefault(group.traffic, []).append(group)
    return found


_Row = tuple[str, str, str, str | None, bool, int]


def _counted(services: set[str]) -> Iterator[_Row]:
    rows = ConversationEndpoint.objects.filter(far_service__in=services).exclude(state=CD)
    by = rows.values_list("instance__name", "database", "far_service", "far_broker_instance", "is_initiator")
    return iter(by.annotate(number=Count("conversation_handle")).order_by())


def _kinds(by_class: Mapping[TrafficClass, Sequence[DiffGroup]], rows: Sequence[_Row]) -> Mapping[str, int]:
    found = Counter[str]()
    for instance, database, service, identifier, is_initiator, number in rows if by_class else ():
        known = by_class.get(TrafficClass(service, identifier, not is_initiator))
        unknown = by_class.get(TrafficClass(service, UNKNOWN_IDENTIFIER, not is_initiator), ()) if identifier else ()
        group = next((one for one in known or unknown if (instance, database) in one.members), None)
        if group is not None:
            found[min((outcome.kind for outcome in group.after), key=WORST.index)] += number
    return found
