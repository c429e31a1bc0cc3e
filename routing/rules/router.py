"""The decision of one hop: RT-REPLY first, then match, choose and locate (RT-STEPS)."""

from __future__ import annotations

from collections.abc import Container
from datetime import datetime

from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.choosing import Decisions, choose
from routing.rules.decision import (
    NO_ROUTE,
    ROUTE_REQUESTED,
    SERVICE_NOT_FOUND,
    Decision,
    Deliver,
    StickyChoice,
)
from routing.rules.hop import NO_CHOICE, NOTHING_PENDING, Hop, PrincipalLookup
from routing.rules.locating import takes
from routing.rules.locating_account import reply_account
from routing.rules.matching import Alternatives, match
from routing.rules.trace import Trace


def route(
    estate: Estate,
    conversation: Conversation,
    at: datetime,
    *,
    pending: Container[str] = NOTHING_PENDING,
    kept: StickyChoice = NO_CHOICE,
    trace: Trace | None = None,
    roles: PrincipalLookup | None = None,
) -> Decisions:
    """Return every decision of the instance on the conversation's messages that the rules leave open, each once.

    `at` is an aware datetime. `pending` are services with a pending request to the dynamic routing service (MATCH-4),
    `kept` the earlier choices of the conversation's endpoint (RT-STICKY), `roles` the lookup of principals at run
    time. `trace` collects the explanation. The conversation's instance and database must be in the estate
    (`Conversation.check`).
    """
    return decide(
        Hop(
            estate,
            conversation.instance,
            conversation.database,
            conversation.to_service,
            conversation.to_broker_instance,
            conversation.is_reply,
            at,
            pending,
            kept,
            trace,
            roles,
        )
    )


def decide(hop: Hop) -> Decisions:
    """The decisions of one hop."""
    if hop.is_reply and hop.database is None and (replied := _reply(hop)):
        return replied
    rule, alternatives = match(hop)
    if len(alternatives) == 1:
        return choose(hop, alternatives[0])
    if not alternatives:
        reason = ROUTE_REQUESTED if rule == "MATCH-4" else NO_ROUTE
        return (hop.stop(reason),)  # MATCH-4 or MATCH-7 has already written the trace
    return _each(hop, alternatives)


def _each(hop: Hop, alternatives: Alternatives) -> Decisions:
    """MATCH-3 left several identifiers open: the decisions for each, without duplicates."""
    decisions: dict[Decision, None] = {}
    for alternative in alternatives:
        if hop.trace is not None:
            hop.trace.branch = alternative.routes[0].broker_instance
        decisions.update(dict.fromkeys(choose(hop, alternative)))
    if hop.trace is not None:
        hop.trace.branch = None
    return tuple(decisions)


def _reply(hop: Hop) -> Decisions:
    """RT-REPLY: a reply from outside whose identifier is in this instance is delivered here or dropped."""
    database = hop.instance.identified.get(hop.identifier) if hop.identifier else None
    found = database is not None and takes(hop, database)
    if hop.trace is not None:
        hop.trace.add("RT-REPLY", database is not None, reply_account(hop, database, found=found))
    if database is None:
        return ()
    if not found:
        return (hop.stop(SERVICE_NOT_FOUND),)
    return (Deliver(hop.instance.name, database.name, None, hop.identifier),)
