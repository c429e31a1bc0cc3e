"""An explanation in an operator's words: first the answer, then the way, then the reason.

Pure: imports only `routing`. Every sentence is made with `say` and rendered by the caller in the reader's language.
"""

from __future__ import annotations

from dataclasses import dataclass

from brokerui.analysis.explanations.collected import collected_says, collected_wait
from brokerui.analysis.explanations.hop_wording import hop_decides, hop_title, open_choices
from brokerui.analysis.explanations.local_address import is_local, local_place
from brokerui.analysis.explanations.missing_statements import missing_here
from brokerui.analysis.explanations.outcome_wording import LONGEST_RETRY, outcome_sentences, place, site
from brokerui.analysis.explanations.return_wording import (
    ARRIVES,
    DOES_NOT_ARRIVE,
    ReturnWords,
    depends_on,
    lacks_route,
    no_returns,
    return_words,
    state_of,
)
from routing.common.names import SYSTEM_SERVICES
from routing.common.sentence import Sentence, say
from routing.lint.obstacles import obstacles
from routing.model.estate import Estate
from routing.rules.decision import DELAYED, DELIVERED, DROPPED, EXITS, GOODNESS, Outcome
from routing.rules.explanation import Explanation
from routing.rules.journey_account import Journey, JourneyEnd
from routing.rules.return_path import ReturnPath

ALWAYS, MAY = "always", "may"
GOOD, WARN, BAD, AWAY = "good", "warn", "bad", "away"
LISTED = 3
"""Outcomes named in a title; of more it says how many."""


@dataclass(frozen=True, slots=True)
class Chip:
    """A kind of outcome and its certainty, as word; shape and colour follow from the kind."""

    kind: str
    certainty: str
    """ALWAYS or MAY."""

    @property
    def label(self) -> Sentence:
        return _CHIPS[self.kind, self.certainty]


@dataclass(frozen=True, slots=True)
class Headline:
    """The answer."""

    chips: tuple[Chip, ...]
    """One for each kind of outcome, worst first."""
    tone: str
    """GOOD, WARN, BAD or AWAY: what the whole answer means for the operator, the way back included."""
    title: Sentence
    means: tuple[Sentence, ...]
    """One outcome: why, what it means, what to do. Several: the choices that leave them open."""
    back: tuple[Sentence, ...]
    """Obstacles beside the routes, and what must be known of the way back."""

    @property
    def details(self) -> tuple[Sentence, ...]:
        """Return the most important sentences of it, in order."""
        return self.means + self.back


@dataclass(frozen=True, slots=True)
class OutcomeWords:
    """One outcome: what happens and why, and the next thing to do."""

    end: JourneyEnd
    chip: Chip
    title: Sentence
    details: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class HopWords:
    """One hop: whose table was asked, and what it decided."""

    title: Sentence
    decides: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class Wording:
    """All words for one explanation."""

    headline: Headline
    outcomes: tuple[OutcomeWords, ...]
    returns: tuple[ReturnWords, ...]
    """In the order of `Explanation.returns`."""
    no_returns: Sentence | None
    """Why there is no way back to follow though a target was reached."""
    hops: tuple[HopWords, ...]
    """In the order of `Journey.hops` of the way forth."""


def word(explanation: Explanation, estate: Estate) -> Wording:
    """The words for an explanation."""
    forward = explanation.forward
    return Wording(
        headline=headline(explanation, estate),
        outcomes=tuple(outcome_words(explanation, end, estate) for end in forward.ends),
        returns=tuple(return_words(back, explanation, estate) for back in explanation.returns),
        no_returns=no_returns(explanation),
        hops=hop_words(forward),
    )


def headline(explanation: Explanation, estate: Estate) -> Headline:
    """The answer in a title, and what matters most about it."""
    forward = explanation.forward
    stops = tuple(one.says for one in obstacles(explanation, estate))
    wait = collected_wait(explanation, estate)
    if wait is not None:
        stops = (wait, *stops)
    back = (*stops, *_back(explanation), *missing_here(explanation, estate), *collected_says(explanation, estate))
    tone = _tone(explanation, is_stopped=bool(stops))
    return Headline(chips(explanation), tone, _title(forward), _means(explanation, estate), back)


def chips(explanation: Explanation) -> tuple[Chip, ...]:
    """The kinds of its outcomes, worst first. No kind is called certain where an unknown identifier or role decides."""
    kinds = {outcome.kind for outcome in explanation.forward.outcomes}
    certainty = ALWAYS if len(kinds) == 1 and not explanation.supposed else MAY
    return tuple(Chip(kind, certainty) for kind in sorted(kinds, key=lambda kind: GOODNESS[kind], reverse=True))


def outcome_words(explanation: Explanation, end: JourneyEnd, estate: Estate) -> OutcomeWords:
    """The words for one outcome."""
    journey, supposed = explanation.forward, explanation.supposed
    certainty = ALWAYS if len(journey.ends) == 1 and not supposed else MAY
    chip = Chip(end.outcome.kind, certainty)
    return OutcomeWords(end, chip, site(end.outcome, journey), outcome_sentences(journey, end, estate, supposed))


def hop_words(journey: Journey) -> tuple[HopWords, ...]:
    """The words for each hop."""
    return tuple(HopWords(hop_title(hop), hop_decides(hop)) for hop in journey.hops)


def _title(journey: Journey) -> Sentence:
    outcomes = journey.outcomes
    if len(outcomes) == 1:
        return _TITLES[outcomes[0].kind](outcomes[0], journey)
    if len(outcomes) <= LISTED:
        return _any_of([place(outcome, journey) for outcome in outcomes])
    return say(
        "{count} possible outcomes, {delivered} of them in a database",
        count=len(outcomes),
        delivered=sum(outcome.kind == DELIVERED for outcome in outcomes),
    )


def _any_of(places: list[Sentence]) -> Sentence:
    sentence = places[0]
    for other in places[1:]:
        sentence = say("{one}, or {other}", one=sentence, other=other)
    return sentence


_TITLES = {
    DELIVERED: place,
    EXITS: lambda outcome, journey: (
        local_place(outcome) if is_local(outcome) else say("{address}, outside this estate", address=outcome.detail)
    ),
    DELAYED: lambda outcome, journey: say(
        "Waits in {database} on {instance}", database=journey.conversation.database, instance=outcome.instance
    ),
    DROPPED: lambda outcome, journey: say("Gets as far as {instance}", instance=outcome.instance),
}


def _tone(explanation: Explanation, *, is_stopped: bool) -> str:
    worst = max((outcome.kind for outcome in explanation.forward.outcomes), key=lambda kind: GOODNESS[kind])
    if worst == DELIVERED and (is_stopped or _astray(explanation)):
        return WARN
    return {DELIVERED: GOOD, EXITS: AWAY, DELAYED: WARN, DROPPED: BAD}[worst]


def _means(explanation: Explanation, estate: Estate) -> tuple[Sentence, ...]:
    forward = explanation.forward
    if len(forward.ends) > 1:
        return (*open_choices(forward), say("A conversation keeps the choice once it is made."))
    end = forward.ends[0]
    return () if end.outcome.kind == DELIVERED else outcome_sentences(forward, end, estate, explanation.supposed)


def _back(explanation: Explanation) -> tuple[Sentence, ...]:
    """The way back, and before it that it cannot be, where the database has not the service that was named."""
    own, origin = explanation.forward.conversation.from_service, explanation.origin
    if own is None or origin is None or origin.has_service(own) or own in SYSTEM_SERVICES:
        return _way_back(explanation)
    instance = explanation.forward.conversation.instance
    none = say(
        "{database} on {instance} has no service {service}: no conversation of it can begin there.",
        database=origin.name,
        instance=instance,
        service=own,
    )
    return (none, *_way_back(explanation))


def _way_back(explanation: Explanation) -> tuple[Sentence, ...]:
    """Say what an operator must know of the way back, also that it is unknown or in order, where there is a target."""
    if (unknown := no_returns(explanation)) is not None:
        return (unknown,)
    if not explanation.returns:
        return ()
    lost = _astray(explanation)
    if not lost:
        return (say("Acknowledgements and replies find their way back."), *depends_on(explanation, explanation.returns))
    repeats = say("The sender repeats the first message, at least every {seconds} s.", seconds=LONGEST_RETRY)
    return (_but(explanation, lost), repeats, *depends_on(explanation, explanation.returns))


def _astray(explanation: Explanation) -> tuple[ReturnPath, ...]:
    return tuple(back for back in explanation.returns if state_of(back) != ARRIVES)


def _but(explanation: Explanation, lost: tuple[ReturnPath, ...]) -> Sentence:
    """The fault of the way back in one sentence."""
    targets = tuple(dict.fromkeys(back.target.detail for back in lost))
    if len(lost) == len(explanation.returns):
        if all(lacks_route(back) for back in lost):
            return say("…but no return route: acknowledgements stay in {targets}.", targets=targets)
        if all(state_of(back) == DOES_NOT_ARRIVE for back in lost):
            return say(
                "…but acknowledgements do not come back from {targets}: {ends}.", targets=targets, ends=_ends(lost)
            )
    services = tuple(dict.fromkeys(back.journey.conversation.to_service for back in lost))
    return say(
        "…but not every acknowledgement comes back: from {targets} to {services}, it may end {ends}.",
        targets=targets,
        services=services,
        ends=_ends(lost),
    )


def _ends(lost: tuple[ReturnPath, ...]) -> Sentence:
    """Where they end instead, each place once."""
    places: dict[Outcome, Sentence] = {}
    for back in lost:
        for end in back.journey.ends:
            if end.outcome != back.home:
                places.setdefault(end.outcome, place(end.outcome, back.journey))
    if len(places) > LISTED:
        return say("in {count} other places", count=len(places))
    return _any_of(list(places.values()))


_CHIPS = {
    (DELIVERED, ALWAYS): say("Always delivered"),
    (DELIVERED, MAY): say("May be delivered"),
    (DELAYED, ALWAYS): say("Always delayed"),
    (DELAYED, MAY): say("May be delayed"),
    (DROPPED, ALWAYS): say("Always dropped"),
    (DROPPED, MAY): say("May be dropped"),
    (EXITS, ALWAYS): say("Always exits"),
    (EXITS, MAY): say("May exit"),
}
"""Whole phrases, not words put together: other languages order and inflect them."""
