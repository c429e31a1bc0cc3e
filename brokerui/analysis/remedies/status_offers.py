"""Remedies for the status of waiting messages, in words; tried by the engine where it can run the statement.

Pure: imports only `routing` and wording.
"""

from __future__ import annotations

import shlex

from brokerui.analysis.explanations.holding import routing_does
from brokerui.analysis.explanations.outcome_wording import place
from brokerui.analysis.lint.remedy_offer import ConversationOffer
from routing.common.sentence import Sentence, say
from routing.lint.obstacles import obstacles
from routing.model.collected import TransmissionSum
from routing.model.estate import Estate
from routing.remedies.applying import applied, with_msdb
from routing.remedies.statuses import StatusStatement, status_statement
from routing.rules.decision import DELIVERED
from routing.rules.explanation import Explanation, explain
from routing.security.policy import NO_BINDING


def status_offer(
    explanation: Explanation, estate: Estate, number: int, row: TransmissionSum
) -> ConversationOffer | None:
    """The T-SQL for the status, of this number, of messages on a real server; None where there is none."""
    statement = status_statement(explanation, estate, number, row.status, row.from_service)
    if statement is None:
        return None
    says = _says(statement, explanation, estate)
    return ConversationOffer(statement.instance, statement.sql, (says,), is_tried=statement.can_be_tried)


def key_offer(explanation: Explanation, number: int) -> ConversationOffer | None:
    """The command that gives a hosted database the key of the service that it sends to; None for another status."""
    if number != NO_BINDING:
        return None
    conversation = explanation.forward.conversation
    where = shlex.quote(f"{conversation.instance}/{conversation.database}")
    command = f"brokerui keys import {where} KEY_FILE --service {shlex.quote(conversation.to_service)}"
    says = say(
        "KEY_FILE has the public key of the database behind the service, as `brokerui keys export` prints it there."
        " Once it is imported, {goes}.",
        goes=routing_does(explanation),
    )
    return ConversationOffer(conversation.instance, command, (says,), is_command=True, is_tried=False)


def _says(statement: StatusStatement, explanation: Explanation, estate: Estate) -> Sentence:
    if statement.is_query:
        return say(
            "It changes nothing and shows where to look. Once that is mended, {goes}.", goes=routing_does(explanation)
        )
    if not statement.can_be_tried:
        return say(
            "It was not tried: no estate has keys, certificates, permissions and files. Once that is mended, {goes}.",
            goes=routing_does(explanation),
        )
    conversation, at = explanation.forward.conversation, explanation.forward.at
    after = applied(with_msdb(estate, statement.instance), statement.instance, statement.sql, at)
    if after is None:
        return say("It could not be tried here: BrokerUI cannot run all of its statements.")
    return _tried(explain(after, conversation, at), after)


def _tried(then: Explanation, after: Estate) -> Sentence:
    if any(end.kind != DELIVERED for end in then.forward.outcomes):
        return say("With this, {goes}.", goes=routing_does(then))
    if left := obstacles(then, after):
        return say("With this, {goes} {left}", goes=routing_does(then), left=left[0].says)
    places = tuple(place(end, then.forward) for end in then.forward.outcomes)
    if len(places) == 1:
        return say("With this: delivered in {places}.", places=places)
    return say("With this: delivered in one of {places}.", places=places)
