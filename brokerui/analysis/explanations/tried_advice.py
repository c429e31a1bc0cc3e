"""The step that an explanation advises, tried: where the conversation ends with it."""

from __future__ import annotations

from brokerui.analysis.explanations.locating_remedy import database_meant, twin_of
from routing.common.sentence import Sentence, say
from routing.model.estate import MIRROR, Estate
from routing.remedies.advice import outcomes_with_forwarding, outcomes_with_target
from routing.rules.decision import (
    DELAYED,
    FORWARDING_DISABLED,
    NO_ROUTE,
    NOT_AN_ADDRESS,
    ROUTE_REQUESTED,
    SERVICE_NOT_FOUND,
    Outcome,
)
from routing.rules.journey_account import HopAccount, Journey, JourneyEnd

BY_ROUTE = frozenset((NO_ROUTE, SERVICE_NOT_FOUND, NOT_AN_ADDRESS, ROUTE_REQUESTED))
"""Reasons for which an explanation advises a route."""


def outcomes_with_advice(journey: Journey, end: JourneyEnd, estate: Estate) -> tuple[Outcome, ...]:
    """Where the conversation ends after the step that is advised; empty where it cannot be tried."""
    conversation = journey.conversation
    if conversation.is_reply and conversation.to_broker_instance is None:
        return ()  # whose identifier is not known
    if end.outcome.detail == FORWARDING_DISABLED:
        return outcomes_with_forwarding(estate, conversation, journey.at, end.instance)
    hop = hop_of(journey, end)
    meant = database_meant(journey, hop, estate) if end.outcome.detail == SERVICE_NOT_FOUND else None
    here = estate.instances[hop.instance]
    if meant is None or meant.mirroring_role == MIRROR or twin_of(meant, here) is not None:
        return ()
    return outcomes_with_target(estate, conversation, journey.at, here, meant)


def with_reason_untried(advice: Sentence, journey: Journey, end: JourneyEnd, estate: Estate) -> Sentence:
    """The advice, and why it was not tried where it is a route to a service that the estate does not have."""
    service = journey.conversation.to_service
    databases = (database for instance in estate.instances.values() for database in instance.databases.values())
    if end.outcome.detail not in BY_ROUTE or any(database.has_service(service) for database in databases):
        return advice
    return say(
        "{advice} No database of this estate has {service}, so that was not tried.", advice=advice, service=service
    )


def hop_of(journey: Journey, end: JourneyEnd) -> HopAccount:
    """Return the hop of the outcome: in the sender's database if delayed, else the one for messages from outside."""
    database = journey.conversation.database if end.outcome.kind == DELAYED else None
    return next(hop for hop in journey.hops if (hop.instance, hop.database) == (end.instance, database))
