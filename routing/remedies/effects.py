"""The effect of a change on conversations, in a few examples: of every differential the groups that anybody intends.

A differential of all traffic takes as long as the change touches many service names: a route for one service a tenth of
a second in the largest estates, one for any service on a hub a minute. Where that is too long, the conversations that
the change is about are asked instead: from the changed tables to the services of the changed routes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from routing.classes.traffic_class import Node, TrafficClass
from routing.common.names import MSDB
from routing.diff.intent import Intent
from routing.diff.result import BETTER, WORSE, DiffGroup, Outcomes, in_worst_order, verdict_of_change
from routing.diff.run import compare, compare_stepwise
from routing.model.conversation import Conversation
from routing.model.estate import Estate, Instance
from routing.rules.decision import DELIVERED
from routing.rules.journey import Journeys

MAX_NAMES = 100
"""Service names that a change may touch for all its traffic to be compared in a large estate."""
MAX_ASKED = 200
"""Conversations that are asked about one change where not all traffic is compared."""


@dataclass(frozen=True, slots=True)
class ClassEffect:
    """Classes of traffic that end otherwise, by one of them."""

    verdict: str
    node: Node
    """The first of their entry points."""
    traffic: TrafficClass
    before: Outcomes
    after: Outcomes
    count: int
    """How many classes."""

    @property
    def breaks(self) -> bool:
        """True if something was delivered, and ends worse."""
        return self.verdict == WORSE and any(end.kind == DELIVERED for end in self.before)

    @property
    def delivers(self) -> bool:
        """True if it ends better, and some or all of it is delivered then."""
        return self.verdict == BETTER and any(end.kind == DELIVERED for end in self.after)


def effects(before: Estate, after: Estate, at: datetime) -> tuple[ClassEffect, ...]:
    """The effect of a change on all traffic that anybody intends."""
    found = compare(before, after, at)
    return tuple(_shown(found.groups, found.intent))


def _shown(groups: Iterable[DiffGroup], intent: Intent) -> Iterator[ClassEffect]:
    for group in groups:
        for node in islice((node for node in group.members if intent.has(node, group)), 1):
            yield ClassEffect(group.verdict, node, group.traffic, group.before, group.after, intent.members(group))


def effects_within(before: Estate, after: Estate, at: datetime, most_names: int) -> tuple[ClassEffect, ...] | None:
    """The effect on all traffic that anybody intends, of a change that touches at most `most_names` service names;
    None of a larger change. Without entry points that only one of the estates has."""
    found = compare_stepwise(before, after, at)
    if found.names > most_names:
        return None
    groups = in_worst_order([group for step in found.steps for alike in step.alike for group in alike.groups()])
    return tuple(_shown(groups, found.intent))


def effects_nearby(before: Estate, after: Estate, at: datetime, instance: str) -> tuple[ClassEffect, ...]:
    """The effect on conversations from the changed tables of an instance to the services of the changed routes."""
    old, new = Journeys(before, at), Journeys(after, at)
    conversations = islice(_conversations(before.instances[instance], after.instances[instance]), MAX_ASKED)
    return tuple(effect for one in conversations if (effect := _effect(one, old, new)) is not None)


def _effect(conversation: Conversation, old: Journeys, new: Journeys) -> ClassEffect | None:
    ends = frozenset(old.outcomes(conversation)), frozenset(new.outcomes(conversation))
    if ends[0] == ends[1]:
        return None
    traffic = TrafficClass(conversation.to_service, conversation.to_broker_instance, conversation.is_reply)
    return ClassEffect(verdict_of_change(*ends), (conversation.instance, conversation.database), traffic, *ends, 1)


def _conversations(old: Instance, new: Instance) -> Iterator[Conversation]:
    for database in new.databases:
        entries = (database, None) if database == MSDB else (database,)
        for service, identifiers in _changed(old, new, database).items():
            for entry in entries:
                yield from (Conversation(new.name, entry, service, one) for one in (None, *identifiers))
    if old.forwarding != new.forwarding:
        yield from (Conversation(new.name, None, service) for service in new.msdb.named)
    for services in _able(old) ^ _able(new):
        yield from (Conversation(new.name, None, service) for service in services[1])


def _changed(old: Instance, new: Instance, database: str) -> dict[str, tuple[str, ...]]:
    """The services of routes that one of the tables has and the other has not, with their identifiers."""
    if database not in old.tables or old.tables[database] == new.tables[database]:
        return {}
    rows = set(old.tables[database].routes.values()) ^ set(new.tables[database].routes.values())
    found: dict[str, tuple[str, ...]] = {}
    for row in rows:
        for service in _services(new, row.remote_service_name):
            given = (row.broker_instance,) if row.broker_instance else ()
            found[service] = tuple(dict.fromkeys((*found.get(service, ()), *given)))
    return found


def _services(here: Instance, service: str | None) -> Iterable[str]:
    """The service of a route; of one for any service, those of its instance."""
    return (service,) if service is not None else tuple(here.targets)


def _able(instance: Instance) -> set[tuple[str, tuple[str, ...]]]:
    """The databases that can be targets, with their services."""
    return {(d.name, tuple(s.name for s in d.services)) for d in instance.databases.values() if d.can_be_target}
