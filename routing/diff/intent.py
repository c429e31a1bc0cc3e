"""Which changed classes of traffic anybody intends: only they decide whether a change is called worse.

A differential covers all possible traffic, most of it unintended: the stand-ins `*` for what occurs nowhere,
and pairs of entry point and service name that no route names. A sound correction changes them as well; a change that
breaks something changes one that a route names, or that was delivered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Mapping, Set
from datetime import datetime
from functools import cached_property
from typing import Protocol

from routing.classes.reachability import routes_by_name
from routing.classes.traffic_class import UNKNOWN_IDENTIFIER, UNKNOWN_SERVICE, Node, TrafficClass
from routing.common.names import is_system_service
from routing.model.estate import Estate
from routing.rules.decision import DELIVERED, EXITS, Outcome


class Members(Container[object], Protocol):
    """The entry points of a group."""

    def __len__(self) -> int: ...


class ChangedClasses(Protocol):
    """Classes of one name, identifier and direction with the same outcomes before, and the same after."""

    @property
    def traffic(self) -> TrafficClass: ...
    @property
    def before(self) -> Set[Outcome]: ...
    @property
    def after(self) -> Set[Outcome]: ...
    @property
    def members(self) -> Members: ...


class Intent:
    """Decides which classes of a differential are intended: those that are delivered before or after, those that an
    unexpired route of the entry point names afterwards, and those that left the estate by such a route before. Every
    database has the services that SQL Server creates: classes to these are intended if a route names them."""

    def __init__(self, before: Estate, after: Estate, at: datetime) -> None:
        self._estates = before, after
        self._at = at

    def members(self, group: ChangedClasses) -> int:
        """How many classes of a group are intended."""
        whole = self._whole(group)
        if whole is not None:
            return len(group.members) if whole else 0
        return sum(node in group.members for node in self._naming(group))

    def has(self, node: Node, group: ChangedClasses) -> bool:
        """True if the class of this entry point is intended."""
        whole = self._whole(group)
        return node in self._naming(group) if whole is None else whole

    def _whole(self, group: ChangedClasses) -> bool | None:
        """True if all classes of the group are intended, False if none; None if only those that a route names."""
        traffic = group.traffic
        if UNKNOWN_SERVICE in traffic.to_service or traffic.to_broker_instance == UNKNOWN_IDENTIFIER:
            return False
        if is_system_service(traffic.to_service):
            return None
        return True if any(end.kind == DELIVERED for end in (*group.before, *group.after)) else None

    def _naming(self, group: ChangedClasses) -> set[Node]:
        """The entry points with a live route for the name that counts in this group."""
        service = group.traffic.to_service
        old, new = self._named
        left = any(end.kind == EXITS for end in group.before)
        return new.get(service, set()) | (old.get(service, set()) if left else set())

    @cached_property
    def _named(self) -> tuple[Mapping[str, set[Node]], Mapping[str, set[Node]]]:
        """Before and after, by service name: the entry points with a live route for exactly this name."""
        before, after = self._estates
        return _named(before, self._at), _named(after, self._at)


def _named(estate: Estate, at: datetime) -> Mapping[str, set[Node]]:
    found: dict[str, set[Node]] = defaultdict(set)
    for instance in estate.instances.values():
        for database, table in instance.tables.items():
            for name in table.named:
                if routes_by_name(table, name, at):
                    found[name].add((instance.name, database))
    return found
