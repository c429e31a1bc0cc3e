"""Which changed classes of traffic anybody intends: only they decide whether a change is called worse.

A differential covers all possible traffic, most of it unintended: the stand-ins `*` for what occurs nowhere,
and pairs of entry point and service name that no route names. A sound correction changes them as well; a change that
breaks something changes one that a route names, or that was delivered.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Set
from datetime import datetime
from functools import lru_cache
from typing import Protocol

from routing.classes.reachability import routes_by_name
from routing.classes.traffic_class import UNKNOWN_IDENTIFIER, UNKNOWN_SERVICE, Node, TrafficClass
from routing.common.names import is_system_service
from routing.model.estate import Estate
from routing.rules.decision import DELIVERED, EXITS, Outcome

CACHED = 10_000
FEW = 16
"""Members of a group that are looked at one by one, rather than all entry points with a route for the name."""


class Members(Container[object], Iterable[Node], Protocol):
    """The entry points of a group."""

    def __len__(self) -> int: ...
    def unsorted(self) -> Iterable[Node]: ...


class ChangedClasses(Protocol):
    """Classes of one name, identifier and direction with the same outcomes before, and the same after."""

    @property
    def traffic(self) -> TrafficClass: ...
    @property
    def before(self) -> frozenset[Outcome]: ...
    @property
    def after(self) -> frozenset[Outcome]: ...
    @property
    def members(self) -> Members: ...


class Intent:
    """Decides which classes of a differential are intended: those that are delivered before or after, those that an
    unexpired route of the entry point names afterwards, and those that left the estate by such a route before. Every
    database has the services that SQL Server creates: classes to these are intended if a route names them."""

    def __init__(self, before: Estate, after: Estate, at: datetime, routed: Callable[[str], Set[Node]]) -> None:
        self._estates = before, after
        self._at = at
        self._routed = routed
        """The nodes that may have a route for exactly a name, and perhaps others."""

    def members(self, group: ChangedClasses) -> int:
        """How many classes of a group are intended."""
        whole = self._whole(group)
        if whole is not None:
            return len(group.members) if whole else 0
        routed = self._routed(group.traffic.to_service)
        if len(group.members) <= FEW:
            nodes = [node for node in group.members.unsorted() if node in routed]
            return sum(self._is_named(node, group) for node in nodes) if nodes else 0
        return sum(node in group.members and self._is_named(node, group) for node in routed)

    def has(self, node: Node, group: ChangedClasses) -> bool:
        """True if the class of this entry point is intended."""
        whole = self._whole(group)
        return self._is_named(node, group) if whole is None else whole

    def _whole(self, group: ChangedClasses) -> bool | None:
        """True if all classes of the group are intended, False if none; None if only those that a route names."""
        traffic = group.traffic
        if UNKNOWN_SERVICE in traffic.to_service or traffic.to_broker_instance == UNKNOWN_IDENTIFIER:
            return False
        if is_system_service(traffic.to_service):
            return None
        return True if _is_delivered(group.before) or _is_delivered(group.after) else None

    def _is_named(self, node: Node, group: ChangedClasses) -> bool:
        """Whether the entry point has a live route for the name that counts in this group."""
        before, after = self._estates
        service = group.traffic.to_service
        if _names(after, node, service, self._at):
            return True
        return any(end.kind == EXITS for end in group.before) and _names(before, node, service, self._at)


@lru_cache(CACHED)
def _is_delivered(outcomes: frozenset[Outcome]) -> bool:
    return any(end.kind == DELIVERED for end in outcomes)


def _names(estate: Estate, node: Node, service: str, at: datetime) -> bool:
    instance = estate.instances.get(node[0])
    table = instance.tables.get(node[1]) if instance is not None else None
    return table is not None and routes_by_name(table, service, at)
