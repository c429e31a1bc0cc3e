"""Whether a routing test holds on an estate: its outcomes by the rules, and why they break it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from routing.common.sentence import Sentence, listed, say
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.decision import Outcome
from routing.rules.journey_account import journey
from routing.testing.coverage import RouteKey, routes_used
from routing.testing.outcome_pattern import OutcomePattern, outcome_text
from routing.testing.routing_test import RoutingTest


@dataclass(frozen=True, slots=True)
class Judgement:
    """A routing test with its result on an estate."""

    test: RoutingTest
    got: tuple[Outcome, ...]
    """Every outcome of the conversation; empty where the estate lacks its entry point."""
    faults: tuple[Sentence, ...]
    """The conditions that do not hold; empty: the test holds."""
    used: frozenset[RouteKey] = frozenset()
    """The routes that its outcomes use."""

    @property
    def passed(self) -> bool:
        return not self.faults


def judge(test: RoutingTest, conversation: Conversation, estate: Estate, at: datetime) -> Judgement:
    """Judge a test on an estate, at its own moment or else at `at`.

    The conversation is that of the test (`Conversation.check` has passed).
    """
    found = journey(estate, conversation, test.at or at)
    faults = tuple(_faults(test, found.outcomes))
    return Judgement(test, found.outcomes, faults, routes_used(estate, found))


def unknown_places(test: RoutingTest, estate: Estate) -> tuple[OutcomePattern, ...]:
    """The patterns of a test that no outcome on this estate can match, since it lacks their instance or database.

    A `never` with such a pattern holds whatever happens: a name may be misspelt.
    """
    return tuple(one for one in (*test.must, *test.may, *test.never) if not one.is_known(estate))


def unplaced(test: RoutingTest, problem: Sentence) -> Judgement:
    """The judgement of a test whose entry point the estate lacks."""
    return Judgement(test, (), (problem,))


def _faults(test: RoutingTest, got: tuple[Outcome, ...]) -> Iterator[Sentence]:
    beyond = [outcome for outcome in got if test.must and not _is_one_of(outcome, test.must)]
    if beyond:
        yield say("must be {must}, got {got}", must=listed([str(one) for one in test.must]), got=_texts(beyond))
    for pattern in test.may:
        if not any(map(pattern.matches, got)):
            yield say("may be {may}, but no outcome is", may=str(pattern))
    forbidden = [outcome for outcome in got if _is_one_of(outcome, test.never)]
    if forbidden:
        matched = [str(pattern) for pattern in test.never if any(map(pattern.matches, forbidden))]
        yield say("must never be {never}, got {got}", never=listed(matched), got=_texts(forbidden))


def _is_one_of(outcome: Outcome, patterns: tuple[OutcomePattern, ...]) -> bool:
    return any(pattern.matches(outcome) for pattern in patterns)


def _texts(outcomes: list[Outcome]) -> Sentence | tuple[str, ...]:
    return listed([outcome_text(outcome) for outcome in outcomes])
