"""Statuses that the server of the origin showed of a conversation's messages, beside the answer of the routes.

Pure: imports only `routing`.
"""

from __future__ import annotations

from dataclasses import dataclass

from routing.common.finding import INFO
from routing.common.moment import format_second
from routing.common.sentence import Sentence, say, say_counted
from routing.dialog.status_kind import (
    CONNECTION_FAILED,
    CONVERSATION_OVER,
    DIALOG_SECURITY,
    ENDPOINT_STOPPED,
    NO_ENDPOINT,
    TRANSPORT_SECURITY,
    StatusKind,
)
from routing.dialog.status_texts import status_kind
from routing.lint.collected import status_meaning, waits
from routing.lint.linted_objects import HostedDatabase
from routing.model.collected import CollectedTransmissions, TransmissionSum
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.decision import (
    DELAYED,
    DELIVERED,
    EXITS,
    FORWARDING_DISABLED,
    NO_PRINCIPAL,
    NO_ROUTE,
    NOT_AN_ADDRESS,
    ROUTE_REQUESTED,
    SERVICE_NOT_FOUND,
    Outcome,
)
from routing.rules.explanation import Explanation

SHOWN = 3
"""Statuses of one conversation's messages that an explanation tells of, the most frequent."""
_ROUTING = {
    9750: (NO_ROUTE, SERVICE_NOT_FOUND),
    9793: (NO_ROUTE, SERVICE_NOT_FOUND),
    9796: (SERVICE_NOT_FOUND,),
    9795: (SERVICE_NOT_FOUND,),
    9770: (ROUTE_REQUESTED,),
    9785: (NOT_AN_ADDRESS,),
    9792: (FORWARDING_DISABLED,),
}
"""By number of a status that routing gives: the reasons that are the same."""
_NETWORK = frozenset((CONNECTION_FAILED, TRANSPORT_SECURITY, NO_ENDPOINT, ENDPOINT_STOPPED))
_BEFORE = frozenset((954, 9771, 9780, 9781, 9791, 28075))
"""Statuses of messages that no route was asked about."""
_SAME = say("The routes of this estate say the same.")
_OTHERWISE = say(
    "The routes of this estate say otherwise: those of the server are others, or were changed since; import its catalog"
    " again."
)
_BEHIND = say("The routes lead on; this is what holds the messages.")
_NO_PART = say("Routes play no part in it.")


@dataclass(frozen=True, slots=True)
class CollectedMessages:
    """Messages like those of a conversation that waited when their server was asked."""

    row: TransmissionSum
    number: int | None
    """In sys.messages; None: a blank status, or a text that is not in the catalogue."""
    cause: Sentence
    """Why they waited."""
    passes: bool
    """True if that is no cause for concern: it ends by itself, or they have just been sent."""
    says: Sentence


def collected_here(explanation: Explanation, estate: Estate) -> tuple[CollectedMessages, ...]:
    """The messages that waited in the origin's transmission queue for the conversation's service."""
    journey = explanation.forward
    conversation = journey.conversation
    queue = _queue(estate, conversation)
    rows = [row for row in queue.rows if _is_of(row, conversation)] if queue is not None else []
    return tuple(_messages_of(explanation, estate, queue or CollectedTransmissions(), row) for row in rows[:SHOWN])


def collected_says(explanation: Explanation, estate: Estate) -> tuple[Sentence, ...]:
    """Return the collected messages as sentences; one sentence if none waited, and none if nothing was collected."""
    found = tuple(one.says for one in collected_here(explanation, estate))
    queue = _queue(estate, explanation.forward.conversation)
    if found or queue is None or queue.collected_at is None or queue.left_out:
        return found
    moment = format_second(queue.collected_at)
    return (say("When its server was asked, at {moment}, no message waited for this service.", moment=moment),)


def collected_wait(explanation: Explanation, estate: Estate) -> Sentence | None:
    """Say that routing delivers and that collected messages wait all the same; None where that is not so."""
    if any(outcome.kind != DELIVERED for outcome in explanation.forward.outcomes):
        return None
    held = [one for one in collected_here(explanation, estate) if not one.passes]
    if not held:
        return None
    return say_counted(
        sum(one.row.messages for one in held),
        "Routing delivers, but {count} message that was collected from the server waits: {cause}",
        "Routing delivers, but {count} messages that were collected from the server wait: {cause}",
        cause=held[0].cause,
    )


def _queue(estate: Estate, conversation: Conversation) -> CollectedTransmissions | None:
    instance = estate.instances.get(conversation.instance)
    database = instance.databases.get(conversation.database) if instance and conversation.database is not None else None
    return database.transmission_queue if database is not None else None


def _is_of(row: TransmissionSum, conversation: Conversation) -> bool:
    same_sender = None in (row.from_service, conversation.from_service) or row.from_service == conversation.from_service
    brokers = row.to_broker_instance, conversation.to_broker_instance
    return row.to_service == conversation.to_service and same_sender and (None in brokers or brokers[0] == brokers[1])


def _messages_of(
    explanation: Explanation, estate: Estate, queue: CollectedTransmissions, row: TransmissionSum
) -> CollectedMessages:
    conversation, at = explanation.forward.conversation, explanation.forward.at
    instance = estate.instances[conversation.instance]
    held = HostedDatabase(instance, instance.databases[conversation.database or ""])
    status = status_meaning(estate, held, queue, row, at)
    kind = status_kind(row.status) if row.status else None
    relation = () if kind is None else (_relation(kind, explanation),)
    sentence = waits(row, queue, at)
    for part in (status.cause, *relation, status.next_step):
        sentence = say("{one} {other}", one=sentence, other=part)
    says = say("Collected from its server: {sentence}", sentence=sentence)
    return CollectedMessages(row, status.number, status.cause, status.severity == INFO, says)


def _relation(kind: StatusKind, explanation: Explanation) -> Sentence:
    """Whether a status agrees with what the routes say."""
    outcomes = explanation.forward.outcomes
    if kind.number in _ROUTING:
        return _SAME if any(outcome.detail in _ROUTING[kind.number] for outcome in outcomes) else _OTHERWISE
    if kind.code in (CONVERSATION_OVER, DIALOG_SECURITY) or kind.number in _BEFORE:
        return _NO_PART
    if kind.number == 9753 and any(outcome.detail == NO_PRINCIPAL for outcome in outcomes):
        return _SAME
    return _BEHIND if any(_leads_on(outcome, kind, explanation) for outcome in outcomes) else _OTHERWISE


def _leads_on(outcome: Outcome, kind: StatusKind, explanation: Explanation) -> bool:
    """True if messages that end so can be held by a cause of this kind: one of the network, only if they use it."""
    if outcome.kind == DELIVERED and outcome.instance == explanation.forward.conversation.instance:
        return kind.code not in _NETWORK or any(end.legs for end in explanation.forward.ends if end.outcome == outcome)
    return outcome.kind in (DELIVERED, EXITS) or (outcome.kind != DELAYED and kind.code in _NETWORK)
