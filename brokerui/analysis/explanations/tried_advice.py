"""The step that an explanation advises, tried: where the conversation ends with it."""

from __future__ import annotations

from brokerui.analysis.explanations.locating_remedy import database_meant
from routing.model.estate import MIRROR, Estate
from routing.remedies.advice import outcomes_with_forwarding, outcomes_with_target
from routing.rules.decision import DELAYED, FORWARDING_DISABLED, SERVICE_NOT_FOUND, Outcome
from routing.rules.journey_account import HopAccount, Journey, JourneyEnd


def outcomes_with_advice(journey: Journey, end: JourneyEnd, estate: Estate) -> tuple[Outcome, ...]:
    """Where the conversation ends after the step that is advised; empty where it cannot be tried."""
    conversation = journey.conversation
    if conversation.is_reply and conversation.to_broker_instance is None:
        return ()  # whose identifier is not known
    if end.outcome.detail == FORWARDING_DISABLED:
        return outcomes_with_forwarding(estate, conversation, journey.at, end.instance)
    hop = hop_of(journey, end)
    meant = database_meant(journey, hop, estate) if end.outcome.detail == SERVICE_NOT_FOUND else None
    if meant is None or meant.mirroring_role == MIRROR:
        return ()
    return outcomes_with_target(estate, conversation, journey.at, estate.instances[hop.instance], meant)


def hop_of(journey: Journey, end: JourneyEnd) -> HopAccount:
    """Return the hop of the outcome: in the sender's database if delayed, else the one for messages from outside."""
    database = journey.conversation.database if end.outcome.kind == DELAYED else None
    return next(hop for hop in journey.hops if (hop.instance, hop.database) == (end.instance, database))
