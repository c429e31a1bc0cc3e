"""Explains a conversation: every hop with every rule that was evaluated, and the return path of replies."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from datetime import datetime

from routing.model.conversation import Conversation
from routing.model.estate import Database, Estate
from routing.rules.decision import DELIVERED, Outcome
from routing.rules.hop import NOTHING_PENDING
from routing.rules.initiators import possible_initiators
from routing.rules.journey_account import Journey, journey
from routing.rules.return_path import ReturnPath, return_path
from routing.rules.suppositions import Supposition, suppositions


@dataclass(frozen=True, slots=True)
class Explanation:
    """Where a conversation goes and why, with its return paths."""

    forward: Journey
    returns: tuple[ReturnPath, ...]
    """One for each target and each service that may have begun the conversation; empty if nothing is delivered."""
    origin: Database | None
    """The database that began the conversation; None: it came from outside, so the return path is unknown."""
    supposed: tuple[Supposition, ...] = ()
    """The unknown facts that would deliver the conversation, if it is not delivered."""


def explain(
    estate: Estate, conversation: Conversation, at: datetime, *, pending: Container[str] = NOTHING_PENDING
) -> Explanation:
    """Explain a conversation completely. It must be one of the estate (`Conversation.check`)."""
    forward = journey(estate, conversation, at, pending=pending)
    supposed = suppositions(estate, conversation, at, forward.outcomes)
    if conversation.database is None:
        return Explanation(forward, (), None, supposed)
    databases = estate.instances[conversation.instance].databases
    origin = databases.get(conversation.database) or Database(conversation.database)
    targets = {end.outcome: _database(estate, end.outcome) for end in forward.ends if end.outcome.kind == DELIVERED}
    begun_by = {target: own_services(conversation, origin, database) for target, database in targets.items()}
    services = dict.fromkeys(own for names in begun_by.values() for own in names)
    returns = [
        return_path(estate, conversation, origin, target, own, at)
        for own in services
        for target in targets
        if own in begun_by[target]
    ]
    return Explanation(forward, tuple(returns), origin, supposed)


def own_services(conversation: Conversation, origin: Database, target: Database) -> tuple[str, ...]:
    """The services that may have begun the conversation to this target: the one it names, else all that may."""
    if conversation.from_service is not None:
        return (conversation.from_service,)
    return possible_initiators(origin, target, conversation.to_service)


def _database(estate: Estate, delivered: Outcome) -> Database:
    return estate.instances[delivered.instance].databases[delivered.detail]
