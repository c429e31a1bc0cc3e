"""Everything that the page shows of one answer."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from brokerui.analysis.explanations.hop_wording import hop_table, listed
from brokerui.analysis.explanations.return_wording import ReturnWords, kind_astray
from brokerui.analysis.explanations.rules import RULES
from brokerui.analysis.explanations.suggested_changes import SuggestedChange, changes_of
from brokerui.analysis.explanations.wording import OutcomeWords, Wording, word
from brokerui.pages.where.choices import route_named, routes_on_path
from brokerui.pages.where.drawing import picture_of
from brokerui.pages.where.graph_builder import graph_of
from brokerui.pages.where.picture import PathPicture
from routing.common.sentence import Sentence, Translate, say
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.decision import GOODNESS
from routing.rules.explanation import Explanation, explain
from routing.rules.journey_account import HopAccount, Journey
from routing.rules.return_path import ReturnPath
from routing.rules.trace import RuleStep
from routing.rules.why_not import WhyNot, why_not

MAX_HOPS = 12
MAX_RETURNS = 12
MAX_OUTCOMES = 12
"""How many are written out; further outcomes are listed, further hops and return paths are counted."""


@dataclass(frozen=True, slots=True)
class Branch:
    """Steps that follow one identifier of MATCH-3, or none."""

    identifier: str | None
    steps: tuple[RuleStep, ...]


@dataclass(frozen=True, slots=True)
class HopView:
    """One hop with its rules."""

    instance: str
    table: Sentence
    branches: tuple[Branch, ...]
    decides: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True)
class JourneyView:
    """The hops of a way, forth or back."""

    hops: tuple[HopView, ...]
    more: int
    applied: int
    decided: int


@dataclass(frozen=True, slots=True)
class ReturnView:
    """The return path of one target, for all services that have the same one."""

    state: str
    kind: str
    """The worst kind of outcome that is not home."""
    title: Sentence
    details: tuple[Sentence, ...]
    shown_service: str
    """The service whose rules are shown, if the way back is the same for several."""
    journey: JourneyView


@dataclass(frozen=True, slots=True)
class WhyNotView:
    """The answer to `why not` for one route."""

    route: str
    answers: tuple[WhyNot, ...]
    is_known: bool


@dataclass(frozen=True, slots=True)
class WhereAnswer:
    """The answer to one question."""

    explanation: Explanation
    words: Wording
    at: datetime
    picture: PathPicture
    outcomes: tuple[OutcomeWords, ...]
    """Worst first."""
    other_outcomes: tuple[OutcomeWords, ...]
    forward: JourneyView
    hops: tuple[HopAccount, ...]
    """The hops of the way forth, all of them."""
    returns: tuple[ReturnView, ...]
    more_returns: int
    changes: tuple[SuggestedChange, ...]
    rules: dict[str, Sentence]
    """The applied rules, with their sentences."""
    routes: list[str]
    """For `why not`."""
    why_not: WhyNotView | None

    @property
    def count(self) -> int:
        return len(self.words.outcomes)


def answer(estate: Estate, conversation: Conversation, at: datetime, route: str, translate: Translate) -> WhereAnswer:
    """Ask the engine; word the explanation and draw its picture."""
    explanation = explain(estate, conversation, at)
    words = word(explanation, estate)
    backs = _grouped(explanation, words)
    ends = sorted(words.outcomes, key=lambda one: -GOODNESS[one.chip.kind])
    return WhereAnswer(
        explanation=explanation,
        words=words,
        at=at,
        picture=way_picture(explanation, words, estate, translate),
        outcomes=tuple(ends[:MAX_OUTCOMES]),
        other_outcomes=tuple(ends[MAX_OUTCOMES:]),
        forward=journey_view(explanation.forward, words),
        hops=explanation.forward.hops,
        returns=tuple(_return_view(alike) for alike in backs[:MAX_RETURNS]),
        more_returns=max(0, len(backs) - MAX_RETURNS),
        changes=changes_of(explanation, estate),
        rules=_rules_applied(explanation),
        routes=routes_on_path(explanation, estate),
        why_not=_why_not(estate, conversation, at, route) if route else None,
    )


def way_picture(explanation: Explanation, words: Wording, estate: Estate, translate: Translate) -> PathPicture:
    """The ways forth and back as a picture."""
    return picture_of(graph_of(explanation, estate), _sentence(explanation, words, translate), translate)


def journey_view(journey: Journey, words: Wording | None = None) -> JourneyView:
    """The hops of a way; of the way forth with what each decided."""
    shown = journey.hops[:MAX_HOPS]
    decides = [hop.decides for hop in words.hops] if words else [()] * len(shown)
    steps = [step for hop in journey.hops for step in hop.steps]
    return JourneyView(
        hops=tuple(_hop_view(hop, decisions) for hop, decisions in zip(shown, decides, strict=False)),
        more=len(journey.hops) - len(shown),
        applied=len(steps),
        decided=sum(step.taken for step in steps),
    )


def _hop_view(hop: HopAccount, decides: tuple[Sentence, ...]) -> HopView:
    branches = tuple(Branch(name, tuple(steps)) for name, steps in groupby(hop.steps, key=lambda step: step.branch))
    return HopView(hop.instance, hop_table(hop), branches, decides)


def _grouped(explanation: Explanation, words: Wording) -> list[list[tuple[ReturnPath, ReturnWords]]]:
    """Ways back from the same target that decide alike at every hop, whatever the service."""
    groups: dict[object, list[tuple[ReturnPath, ReturnWords]]] = defaultdict(list)
    for back, words_of_back in zip(explanation.returns, words.returns, strict=True):
        way = tuple((hop.instance, hop.database, hop.decisions) for hop in back.journey.hops)
        groups[back.target, way].append((back, words_of_back))
    return list(groups.values())


def _return_view(alike: list[tuple[ReturnPath, ReturnWords]]) -> ReturnView:
    back, words = alike[0]
    services = tuple(other.journey.conversation.to_service for other, _ in alike)
    return ReturnView(
        words.state,
        kind_astray(back),
        _for_all(words.title, services),
        tuple(_for_all(sentence, services) for sentence in words.details),
        services[0] if len(services) > 1 else "",
        journey_view(back.journey),
    )


def _for_all(sentence: Sentence, services: tuple[str, ...]) -> Sentence:
    """The sentence about one service, said of all of them."""
    if sentence.values.get("service") != services[0]:
        return sentence
    return Sentence(sentence.text, {**sentence.values, "service": listed(services)})


def _rules_applied(explanation: Explanation) -> dict[str, Sentence]:
    journeys = [explanation.forward, *(back.journey for back in explanation.returns)]
    applied = {step.rule for journey in journeys for hop in journey.hops for step in hop.steps}
    return {rule: sentence for rule, sentence in RULES.items() if rule in applied}


def way_steps(explanation: Explanation, words: Wording) -> list[Sentence]:
    """The way in words: its hops, where it ends, how answers return."""
    hops = [say("{title}.", title=hop.title) for hop in words.hops[:MAX_HOPS]]
    ends = [say("{chip}: {title}.", chip=one.chip.label, title=one.title) for one in words.outcomes[:MAX_OUTCOMES]]
    backs = [_return_view(alike).title for alike in _grouped(explanation, words)[:MAX_RETURNS]]
    return [*hops, *ends, *backs]


def _sentence(explanation: Explanation, words: Wording, translate: Translate) -> str:
    """The description of the picture for screen readers."""
    return " ".join(part.render(translate) for part in way_steps(explanation, words))


def _why_not(estate: Estate, conversation: Conversation, at: datetime, text: str) -> WhyNotView:
    named = route_named(estate, text)
    if named is None:
        return WhyNotView(text, (), is_known=False)
    instance, database, route = named
    answers = why_not(estate, conversation, at, instance=instance, database=database, route=route)
    return WhyNotView(text, answers, is_known=True)
