"""Suppositions: unknown facts under which a conversation that is not delivered would be.

Scripts state neither the identifier of a database nor always its mirroring role. To the rules, an unknown fact does
not match; an explanation says which unknown fact would.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from routing.model.conversation import Conversation
from routing.model.estate import PRINCIPAL, Database, Estate, Instance
from routing.model.route import Route
from routing.rules.decision import DELAYED, DELIVERED, DROPPED, NO_PRINCIPAL, SERVICE_NOT_FOUND, Outcome
from routing.rules.journey import Journeys

MAX_TRIED = 20
"""Suppositions that are evaluated for one conversation at most."""


class Supposition(NamedTuple):
    """Unknown facts of a database under which the conversation is delivered to it."""

    instance: str
    database: str
    identifier: str | None
    """Its identifier would have to be this one; None: the identifier is no matter."""
    is_role_unknown: bool
    """True if it would have to be the principal."""
    is_only: bool
    """True if no other database of the instance can be meant."""


def suppositions(
    estate: Estate, conversation: Conversation, at: datetime, outcomes: Iterable[Outcome]
) -> tuple[Supposition, ...]:
    """The suppositions that deliver the conversation, if an unknown fact keeps it from being delivered."""
    reasons = {end.detail for end in outcomes if end.kind in (DELAYED, DROPPED)}
    if reasons.isdisjoint((SERVICE_NOT_FOUND, NO_PRINCIPAL)):
        return ()
    tried = list(dict.fromkeys(_candidates(estate, conversation, at)))[:MAX_TRIED]
    return tuple(one for one in tried if _delivers(estate, conversation, at, one))


def _candidates(estate: Estate, conversation: Conversation, at: datetime) -> Iterator[Supposition]:
    """The databases of unknown identifier or role that have the service, with the facts that are needed of them."""
    service = conversation.to_service
    targets = [(one, unknown) for one in estate.instances.values() if (unknown := _unknown_targets(one, service))]
    if not targets:
        return
    routes = tuple(_routes(estate, conversation, at))
    given = conversation.to_broker_instance
    # None first: where only a role is unknown, the identifier may be no matter.
    identifiers = (given,) if given else tuple(dict.fromkeys((None, *(route.broker_instance for route in routes))))
    partners = {name for route in routes if route.mirror_address is not None for name in _leads_to(estate, route)}
    for instance, unknown in targets:
        for identifier in identifiers:
            yield from _of_instance(instance, unknown, identifier, is_partner=instance.name in partners)


def _of_instance(
    instance: Instance, unknown: list[Database], identifier: str | None, *, is_partner: bool
) -> Iterator[Supposition]:
    holder = instance.identified.get(identifier) if identifier is not None else None
    fitting = [one for one in unknown if one.broker_instance is None] if holder is None else [holder]
    if identifier is None:
        fitting = unknown
    for one in fitting:
        needed = identifier if one.broker_instance is None else None
        is_role_unknown = is_partner and one.mirroring_role is None
        if needed is None and not is_role_unknown:
            continue
        yield Supposition(instance.name, one.name, needed, is_role_unknown, len(fitting) == 1)


def _leads_to(estate: Estate, route: Route) -> Iterator[str | None]:
    for address in (route.address, route.mirror_address):
        if address is not None:
            yield estate.resolve(address)


def _unknown_targets(instance: Instance, service: str) -> list[Database]:
    """The databases with the service whose identifier or role is unknown."""
    targets = instance.targets.get(service, ())
    return [one for one in targets if one.broker_instance is None or one.mirroring_role is None]


def _routes(estate: Estate, conversation: Conversation, at: datetime) -> Iterator[Route]:
    """The live routes for the service of the table that is asked first, and of every msdb."""
    tables = [estate.instances[conversation.instance].tables[conversation.database]]
    tables += [instance.msdb for instance in estate.instances.values()]
    for table in tables:
        named = table.named.get(conversation.to_service)
        for route in (*(named.all_routes() if named is not None else ()), *table.nameless):
            if not route.expired(at):
                yield route


def _delivers(estate: Estate, conversation: Conversation, at: datetime, supposed: Supposition) -> bool:
    instance = estate.instances[supposed.instance]
    database = instance.databases[supposed.database]
    changed = replace(
        database,
        broker_instance=supposed.identifier or database.broker_instance,
        mirroring_role=PRINCIPAL if supposed.is_role_unknown else database.mirroring_role,
    )
    known = estate.with_instance(instance.with_database(changed))
    ends = Journeys(known, at).outcomes(conversation)
    return Outcome(DELIVERED, supposed.instance, supposed.database) in ends
