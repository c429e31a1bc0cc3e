"""The check of conversation endpoints that no program ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from routing.common.finding import WARNING, Finding
from routing.common.moment import format_second
from routing.common.sentence import Sentence, say, say_counted
from routing.dialog.states import CD, CO, DI, DO, ER, SI, SO, STATES
from routing.lint.context import LintContext
from routing.model.collected import CollectedEndpoints, EndpointSum

MANY = 1_000
"""Endpoints of one service in one state that are more than conversations under way."""
LEAK = "conversation-leak"
MEANS: Mapping[str, Sentence] = {
    SO: say("Begun, and nothing was sent on them yet."),
    SI: say("The first message is incomplete, or a later one came before it."),
    CO: say("Under way: neither side has ended."),
    DI: say("The other side has ended, and the application here has not."),
    DO: say("This side has ended, and the other side has not acknowledged it."),
    ER: say("An error ended them, and the application here has not."),
    CD: say("Ended on both sides; SQL Server keeps them against repeated messages."),
}
"""The meaning of a state for the conversations in it."""
STEPS: Mapping[str, Sentence] = {
    SO: say("Where an application begins dialogs that it does not use, let it send or end them."),
    SI: say("See whether the sender still has their messages in its transmission queue, and with which status."),
    CO: say(
        "Where these are requests that were answered long ago, one side must end first, the target where it can; give"
        " dialogs a LIFETIME."
    ),
    DI: say(
        "Let the procedure that reads the queue END CONVERSATION at each EndDialog message; then end those that are"
        " there by a loop in small batches, each by END CONVERSATION with its handle, without CLEANUP."
    ),
    DO: say(
        "See the way back of acknowledgements; END CONVERSATION … WITH CLEANUP only for those whose other side is gone."
    ),
    ER: say(
        "Let the procedure that reads the queue END CONVERSATION at each Error message; then end those that are there"
        " by a loop in small batches, without CLEANUP."
    ),
    CD: say(
        "They go half an hour after the last message; those with security_timestamp 1900-01-01 stay for their lifetime,"
        " as where the initiator sends and ends at once. Let the target end first, and give dialogs a LIFETIME;"
        " these go by END CONVERSATION … WITH CLEANUP in small batches."
    ),
}
"""The next step against too many of them."""
_DESCRIPTIONS: Mapping[str, str] = {str(state): words for state, words in STATES.items()}
_ELSE = say("See state_desc in sys.conversation_endpoints.")


def left_over(scene: LintContext) -> Iterator[Finding]:
    """Many conversation endpoints of a service in one state, when their server was asked: an application does not end
    its conversations, and the database grows."""
    for held in scene.databases:
        endpoints = held.database.conversation_endpoints
        for row in endpoints.rows if endpoints is not None else ():
            if row.endpoints >= MANY:
                reason = say(
                    "{open} {means} {step}",
                    open=opened(row, endpoints or CollectedEndpoints()),
                    means=MEANS.get(row.state, _ELSE),
                    step=STEPS.get(row.state, _ELSE),
                )
                place = held.instance.name, held.database.name
                yield Finding(LEAK, WARNING, *place, row.service or row.far_service, reason)


def opened(row: EndpointSum, endpoints: CollectedEndpoints) -> Sentence:
    """The sentence about the endpoints of a service in one state, and the time of the collection."""
    state = _DESCRIPTIONS.get(row.state, row.state)
    values = {"state": state, "services": _services(row)}
    if endpoints.collected_at is None:
        return say_counted(
            row.endpoints,
            "{count} conversation{services} is {state}.",
            "{count} conversations{services} are {state}.",
            **values,
        )
    return say_counted(
        row.endpoints,
        "{count} conversation{services} was {state} at {collected}.",
        "{count} conversations{services} were {state} at {collected}.",
        collected=format_second(endpoints.collected_at),
        **values,
    )


def _services(row: EndpointSum) -> Sentence | str:
    if row.service and row.far_service:
        return say(" of {service} with {far}", service=row.service, far=row.far_service)
    if row.service:
        return say(" of {service}", service=row.service)
    return say(" with {far}", far=row.far_service) if row.far_service else ""
