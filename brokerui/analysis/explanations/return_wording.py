"""The way back in an operator's words: whether acknowledgements and replies come home, and if not, why."""

from __future__ import annotations

from dataclasses import dataclass

from brokerui.analysis.explanations.outcome_wording import exit_sentences, meaning, place, remedy, why
from routing.common.sentence import Sentence, say
from routing.model.estate import Estate
from routing.rules.decision import DELAYED, DELIVERED, DROPPED, EXITS, GOODNESS, NO_ROUTE, SERVICE_NOT_FOUND
from routing.rules.explanation import Explanation
from routing.rules.journey_account import JourneyEnd
from routing.rules.return_path import ReturnPath

ARRIVES, MAY_ARRIVE, DOES_NOT_ARRIVE = "arrives", "may_arrive", "does_not_arrive"


@dataclass(frozen=True, slots=True)
class ReturnWords:
    """The words for one way back."""

    state: str
    """ARRIVES, MAY_ARRIVE or DOES_NOT_ARRIVE."""
    title: Sentence
    details: tuple[Sentence, ...]
    """Why it does not arrive, or what the answer depends on."""


def return_words(back: ReturnPath, explanation: Explanation, estate: Estate) -> ReturnWords:
    """The words for one way back."""
    state = state_of(back)
    title = _TITLES[state]
    facts = {
        "target": back.target.detail,
        "at": back.target.instance,
        "service": back.journey.conversation.to_service,
        "origin": back.home.detail,
        "instance": back.home.instance,
    }
    details = tuple(sentence for end in astray(back) for sentence in _astray(back, end, estate))
    return ReturnWords(state, Sentence(title.text, facts), details + depends_on(explanation, (back,)))


def state_of(back: ReturnPath) -> str:
    """Whether acknowledgements come home always, in some outcomes, or never."""
    if back.arrives:
        return ARRIVES
    return MAY_ARRIVE if back.may_arrive else DOES_NOT_ARRIVE


def astray(back: ReturnPath) -> tuple[JourneyEnd, ...]:
    """The ends of a way back that are not home."""
    return tuple(end for end in back.journey.ends if end.outcome != back.home)


def kind_astray(back: ReturnPath) -> str:
    """The worst of them; a delivery to a database that did not begin it is as good as dropped."""
    kinds = [DROPPED if end.outcome.kind == DELIVERED else end.outcome.kind for end in astray(back)]
    return max(kinds, key=lambda kind: GOODNESS[kind], default=DELIVERED)


def lacks_route(back: ReturnPath) -> bool:
    """Whether acknowledgements never leave the target's database: it has no route to the other instance."""
    ends = back.journey.ends
    if back.target.instance == back.home.instance:
        return False
    return all(end.outcome.kind == DELAYED and end.outcome.detail in (NO_ROUTE, SERVICE_NOT_FOUND) for end in ends)


def depends_on(explanation: Explanation, returns: tuple[ReturnPath, ...]) -> tuple[Sentence, ...]:
    """Return the facts that are missing for a certain answer about these return paths."""
    origin = explanation.origin
    needed = tuple(dict.fromkeys(back.needed for back in returns if back.needed is not None))
    if origin is None or not needed:
        return ()
    return (
        say(
            "They arrive if the identifier of {database} is {needed}, which is not known: import sys.databases of "
            "{instance}.",
            needed=needed,
            database=origin.name,
            instance=explanation.forward.conversation.instance,
        ),
    )


def no_returns(explanation: Explanation) -> Sentence | None:
    """Why there is no way back to follow though a target was reached; None where there is one, or no target."""
    if explanation.returns or not any(end.outcome.kind == DELIVERED for end in explanation.forward.ends):
        return None
    if explanation.origin is None:
        return say("It came from outside: nothing is known of the way back.")
    return say(
        "{database} has no service that may begin this conversation, so there is no way back to follow.",
        database=explanation.origin.name,
    )


_TITLES = {
    ARRIVES: say("From {target} on {at}, acknowledgements and replies to {service} reach {origin} on {instance}."),
    MAY_ARRIVE: say(
        "From {target} on {at}, acknowledgements and replies to {service} may reach {origin} on {instance}."
    ),
    DOES_NOT_ARRIVE: say(
        "From {target} on {at}, acknowledgements and replies to {service} do not reach {origin} on {instance}."
    ),
}


def _astray(back: ReturnPath, end: JourneyEnd, estate: Estate) -> tuple[Sentence, ...]:
    """Where they end instead, and why."""
    if end.outcome.kind == EXITS:
        return exit_sentences(back.journey, end.outcome, estate)
    if end.outcome.kind == DELIVERED:
        return (
            say("They end in {place}, which did not begin the conversation.", place=place(end.outcome, back.journey)),
        )
    if lacks_route(back):
        return _route_wanted(back, end)
    return why(back.journey, end), meaning(back.journey, end), remedy(back.journey, end, estate)


def _route_wanted(back: ReturnPath, end: JourneyEnd) -> tuple[Sentence, ...]:
    facts = {"target": back.target.detail, "at": back.target.instance}
    service, instance = back.journey.conversation.to_service, back.home.instance
    return (
        say("No route of {target} leads from {at} to {service}.", service=service, **facts),
        meaning(back.journey, end),
        say("Create a route in {target} on {at} that leads to {instance}.", instance=instance, **facts),
    )
