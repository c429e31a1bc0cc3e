"""The remedies of one conversation in words: each tried, with where the conversation ends and what ends worse."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

from brokerui.analysis.explanations.collected import collected_here
from brokerui.analysis.explanations.outcome_wording import place
from brokerui.analysis.lint.remedy_offer import ConversationOffer
from brokerui.analysis.remedies.status_offers import status_offer
from brokerui.analysis.remedies.wording import harm
from routing.common.finding import Finding
from routing.common.sentence import Sentence, say
from routing.diff.result import WORSE
from routing.lint.obstacles import obstacles
from routing.lint.registry import lint_around
from routing.model.estate import Estate
from routing.remedies.applying import with_msdb
from routing.remedies.conversation import ConversationRemedy, conversation_remedies
from routing.remedies.effects import MAX_NAMES
from routing.remedies.trial import effects_of, is_compared
from routing.rules.decision import DELIVERED
from routing.rules.explanation import Explanation

MAX_LOOKED_AT = 6
"""Instances on the ways of a conversation whose findings are asked for."""


def conversation_offers(
    explanation: Explanation, estate: Estate, found: Iterable[Finding]
) -> tuple[ConversationOffer, ...]:
    """Return remedies: first those for the statuses that its messages had on their server, then those that the engine
    tried, the best first; nothing where it is delivered and its replies come back."""
    offers = list(_of_statuses(explanation, estate))
    if not is_well(explanation, estate):
        offers += routing_offers(explanation, estate, found)
    distinct = {(offer.instance, offer.sql): offer for offer in reversed(offers)}
    return tuple(reversed(distinct.values()))


def routing_offers(explanation: Explanation, estate: Estate, found: Iterable[Finding]) -> tuple[ConversationOffer, ...]:
    """The remedies that the engine tried."""
    remedies = conversation_remedies(explanation, estate, found)
    return tuple(_offer(remedy, explanation, estate) for remedy in remedies)


def _of_statuses(explanation: Explanation, estate: Estate) -> Iterator[ConversationOffer]:
    for one in collected_here(explanation, estate):
        offer = status_offer(explanation, estate, one.number, one.row) if one.number is not None else None
        if offer is not None:
            yield offer


def is_well(explanation: Explanation, estate: Estate) -> bool:
    """True if the conversation is delivered with nothing in its way, and its acknowledgements and replies come back."""
    delivered = all(end.kind == DELIVERED for end in explanation.forward.outcomes)
    return delivered and all(back.arrives for back in explanation.returns) and not obstacles(explanation, estate)


def findings_of_way(explanation: Explanation, estate: Estate) -> Iterator[Finding]:
    """The findings about the instances on the ways of a conversation that is not well; none on a large estate, where
    they take longer than all the rest."""
    if is_well(explanation, estate) or not is_compared(estate):
        return
    journeys = (explanation.forward, *(back.journey for back in explanation.returns))
    names = dict.fromkeys(hop.instance for journey in journeys for hop in journey.hops)
    for name in list(names)[:MAX_LOOKED_AT]:
        yield from lint_around(estate, explanation.forward.at, name)


def _offer(remedy: ConversationRemedy, explanation: Explanation, estate: Estate) -> ConversationOffer:
    says = [_gain(remedy, explanation)]
    if worse := _worse(remedy, estate, explanation.forward.at):
        says.append(worse)
    found = remedy.finding
    where = (found.instance, found.database, found.object) if found else ()
    return ConversationOffer(remedy.instance, remedy.sql, tuple(says), found.code if found else None, where)


def _gain(remedy: ConversationRemedy, explanation: Explanation) -> Sentence:
    if remedy.is_way_back:
        conversation = explanation.forward.conversation
        return say(
            "With this, acknowledgements and replies arrive in {database} on {instance}.",
            database=conversation.database,
            instance=conversation.instance,
        )
    places = tuple(place(end, explanation.forward) for end in remedy.after)
    facts = {"places": places}
    if remedy.left and remedy.unblocks:
        return say("With this, one of the things that hold the messages is gone. {left}", left=remedy.left[0])
    if remedy.left:
        return say("With this, the routes lead to {places}. {left}", left=remedy.left[0], **facts)
    if len(places) == 1:
        found = say("With this: delivered in {places}.", **facts)
        return found if remedy.delivers else say("With this, it ends otherwise: {places}.", **facts)
    if remedy.delivers:
        return say("With this: delivered in one of {places}.", **facts)
    return say("With this it may be delivered; it ends in one of {places}.", **facts)


def _worse(remedy: ConversationRemedy, estate: Estate, at: datetime) -> Sentence | None:
    """Say which conversations end worse with it; on a large estate, only those that it touches."""
    names = None if is_compared(estate) else MAX_NAMES
    found, _ = effects_of(with_msdb(estate, remedy.instance), remedy.estate, at, remedy.instance, names)
    worse = [effect for effect in found if effect.verdict == WORSE]
    return harm(sorted(worse, key=lambda effect: not effect.breaks)) if worse else None
