"""The return path of acknowledgements and replies: from the target, by its routing tables, to the initiator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from routing.model.conversation import Conversation
from routing.model.estate import Database, Estate, Instance
from routing.model.route import Route
from routing.rules.decision import DELIVERED, Outcome
from routing.rules.journey_account import Journey, journey

ANY_OTHER = "*"
"""Stands for an identifier that no route gives and no database is known to have."""
MAX_SUPPOSED = 20
"""Identifiers that are tried for a database whose own is unknown."""


@dataclass(frozen=True, slots=True)
class ReturnPath:
    """The return path from one target to the initiator's service, for acknowledgements and replies."""

    target: Outcome
    """Where the conversation was delivered."""
    journey: Journey
    """From the target database, by the target's routing tables, to the initiator's service and identifier."""
    home: Outcome
    """The only correct outcome: delivered in the database that began the conversation."""
    needed: str | None = None
    """The identifier of that database is unknown, and the path arrives only if it is this one."""

    @property
    def arrives(self) -> bool:
        """True if `home` is the only outcome."""
        return self.journey.outcomes == (self.home,)

    @property
    def may_arrive(self) -> bool:
        return self.home in self.journey.outcomes


def return_path(
    estate: Estate, conversation: Conversation, origin: Database, target: Outcome, own: str, at: datetime
) -> ReturnPath:
    """Follow the return path to the initiator's identifier (RT-REPLY), which every reply carries.

    If the estate does not know the identifier, it is taken for one that no route gives. If the replies then do not
    arrive, but do with the identifier that a route gives, the path says which one is needed.
    """
    if origin.broker_instance is not None:
        return _follow(estate, conversation, origin, target, own, at)
    path = _suppose(estate, conversation, origin, target, own, at, ANY_OTHER)
    if path.arrives:
        return path
    for identifier in _given(estate, conversation.instance, own):
        if _suppose(estate, conversation, origin, target, own, at, identifier).arrives:
            return replace(path, needed=identifier)
    return path


def _follow(
    estate: Estate, conversation: Conversation, origin: Database, target: Outcome, own: str, at: datetime
) -> ReturnPath:
    back = Conversation(
        instance=target.instance,
        database=target.detail,
        to_service=own,
        to_broker_instance=origin.broker_instance,
        is_reply=True,
        from_service=conversation.to_service,
    )
    home = Outcome(DELIVERED, conversation.instance, origin.name)
    return ReturnPath(target, journey(estate, back, at), home)


def _suppose(
    estate: Estate,
    conversation: Conversation,
    origin: Database,
    target: Outcome,
    own: str,
    at: datetime,
    identifier: str,
) -> ReturnPath:
    """The return path if the origin had this identifier; the path itself does not show the identifier."""
    known = replace(origin, broker_instance=identifier)
    instance = estate.instances[conversation.instance]
    supposed = estate.with_instance(instance.with_database(known)) if origin.name in instance.databases else estate
    path = _follow(supposed, conversation, known, target, own, at)
    shown = replace(path.journey.conversation, to_broker_instance=None)
    return replace(path, journey=replace(path.journey, conversation=shown))


def _given(estate: Estate, instance: str, service: str) -> list[str]:
    """The identifiers that routes for the service to this instance give, and that no database is known to have."""
    known = {identifier for one in estate.instances.values() for identifier in one.identified}
    found = dict.fromkeys(
        route.broker_instance
        for here, route in _routes_for(estate, service)
        if route.broker_instance not in known and _leads_to(estate, here, route, instance)
    )
    return [identifier for identifier in found if identifier is not None][:MAX_SUPPOSED]


def _routes_for(estate: Estate, service: str) -> Iterator[tuple[Instance, Route]]:
    for instance in estate.instances.values():
        for database in instance.databases.values():
            named = database.table.named.get(service)
            yield from ((instance, route) for route in (named.all_routes() if named is not None else ()))


def _leads_to(estate: Estate, here: Instance, route: Route, instance: str) -> bool:
    if route.address.is_local:
        return here.name == instance
    addresses = (route.address, route.mirror_address)
    return any(address is not None and estate.resolve(address) == instance for address in addresses)
