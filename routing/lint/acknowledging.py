"""Asks the engine for the way back of acknowledgements, about messages that were sent and never acknowledged."""

from __future__ import annotations

from datetime import datetime

from routing.common.sentence import Sentence, say
from routing.model.collected import TransmissionSum
from routing.model.conversation import Conversation
from routing.model.estate import Database, Estate, Instance
from routing.rules.decision import DELAYED, DELIVERED, DROPPED, EXITS, NO_ROUTE, SERVICE_NOT_FOUND, Outcome
from routing.rules.explanation import Explanation, explain
from routing.rules.reason_words import REASON_WORDS
from routing.rules.return_path import ReturnPath

MAX_ENDS = 3
"""Ends of a way back that a sentence names."""
BLANK = say(
    "A blank status means that they were sent and no acknowledgement comes back: look at the way back; or, where they"
    " are new, that they are about to be sent."
)
_NOT_TOLD = say("Its rows do not tell the target service: collect to_service_name, too, and the way back is asked.")
_NOT_BEGUN = say(
    "Which service sent them is not known, so the way back cannot be asked: collect from_service_name, too."
)
_COMES_BACK = say(
    "By the routes of this estate acknowledgements do come back: see the events Broker:Message Undeliverable on the"
    " target's instance (a missing certificate or permission there is not told to the sender), whether its queue is on,"
    " and whether that server can connect back to this one."
)


def way_back(estate: Estate, instance: Instance, database: Database, row: TransmissionSum, at: datetime) -> Sentence:
    """Say what the estate shows of the way back for these messages, and the next step."""
    if not database.broker_enabled:
        return say(
            "The broker of {database} is disabled in this estate: it sends nothing until ENABLE_BROKER.",
            database=database.name,
        )
    if row.to_service is None:
        return _NOT_TOLD
    conversation = Conversation(
        instance.name, database.name, row.to_service, row.to_broker_instance, from_service=row.from_service
    )
    return _answer(explain(estate, conversation, at), estate)


def _answer(explanation: Explanation, estate: Estate) -> Sentence:
    outcomes = explanation.forward.outcomes
    if not any(outcome.kind == DELIVERED for outcome in outcomes):
        return _not_delivered(outcomes)
    if not explanation.returns:
        return _NOT_BEGUN
    astray = [back for back in explanation.returns if not back.arrives]
    if not astray:
        return _COMES_BACK
    is_all = len(astray) == len(explanation.returns) and not any(back.may_arrive for back in astray)
    return _lost(astray[0], estate, is_all=is_all)


def _not_delivered(outcomes: tuple[Outcome, ...]) -> Sentence:
    first = outcomes[0]
    if first.kind == EXITS:
        return say(
            "They go to {address}, which is no instance of this estate. Import that instance to check the way back.",
            address=first.detail,
        )
    facts = {"reason": REASON_WORDS[first.detail], "instance": first.instance}
    if first.kind == DROPPED:
        return say(
            "By the routes of this estate they are dropped on {instance} ({reason}), and the sender is not told.",
            **facts,
        )
    return say(
        "By the routes of this estate they would not be sent at all ({reason}, on {instance}). The server does not say"
        " so: it has routes or services that this estate lacks; import them, and the way back is asked.",
        **facts,
    )


def _lost(back: ReturnPath, estate: Estate, *, is_all: bool) -> Sentence:
    """Where acknowledgements end instead, and what to do about it."""
    facts = {
        "target": back.target.detail,
        "at": back.target.instance,
        "service": back.journey.conversation.to_service,
        "home": back.home.instance,
    }
    if back.needed is not None:
        return say(
            "Acknowledgements of {target} on {at} to {service} come back only if the identifier of the sender's"
            " database is {needed}, which is not known: import sys.databases of {home}.",
            needed=back.needed,
            **facts,
        )
    if _lacks_route(back):
        address = next((one.key for one in estate.instances[back.home.instance].addresses), back.home.instance)
        return say(
            "No acknowledgement comes back: in {target} on {at}, no route leads to {service}. Create one there, to"
            " {address}.",
            address=address,
            **facts,
        )
    ends = tuple(_end(outcome) for outcome in back.journey.outcomes if outcome != back.home)[:MAX_ENDS]
    if is_all:
        return say(
            "No acknowledgement comes back from {target} on {at} to {service}: it ends {ends}.", ends=ends, **facts
        )
    return say(
        "Not every acknowledgement comes back from {target} on {at} to {service}: it may end {ends}.",
        ends=ends,
        **facts,
    )


def _lacks_route(back: ReturnPath) -> bool:
    if back.target.instance == back.home.instance:
        return False
    ends = back.journey.outcomes
    return all(end.kind == DELAYED and end.detail in (NO_ROUTE, SERVICE_NOT_FOUND) for end in ends)


def _end(outcome: Outcome) -> Sentence:
    if outcome.kind == DELIVERED:
        return say("in {database} on {instance}", database=outcome.detail, instance=outcome.instance)
    if outcome.kind == EXITS:
        return say("out of this estate, at {address}", address=outcome.detail)
    return say("on {instance} ({reason})", instance=outcome.instance, reason=REASON_WORDS[outcome.detail])
