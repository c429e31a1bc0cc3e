"""The engine against a second, literal reading of the rules: not one difference, and every account fits its answer.

`BROKERUI_ESTATES=20000 pytest tests/routing/rules/test_against_naive.py` draws more estates than the usual run.
"""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from routing.documents.conversation_json import conversation_from
from routing.documents.estate_document import read_estate
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.decision import Outcome
from routing.rules.explanation import explain
from routing.rules.journey import Journeys, Position, after, outcomes
from routing.rules.journey_account import HopAccount, Journey, JourneyEnd, journey
from routing.rules.router import route
from routing.rules.trace import Trace
from routing.rules.verdict import verdict
from tests.extent import IS_ALL
from tests.naive import outcomes as naive_outcomes
from tests.strategies import AT, Case, cases, random_case

Json = dict[str, Any]
ESTATES = int(os.environ.get("BROKERUI_ESTATES", "2000" if IS_ALL else "1000"))
PARTS = 8
"""Parts of the bulk run, so that several workers share it."""
RULES = {
    *("RT-REPLY", "RT-STEPS"),
    *(f"MATCH-{number}" for number in range(1, 8)),
    *(f"CHOOSE-{number}" for number in range(1, 5)),
    *("CHOOSE-0", "CHOOSE-FWD", "LOC-1", "LOC-2", "LOOP-1", "LOOP-2", "MIR-2", "MIR-4"),
}
"""The ids of the specification that an account may name."""


def estate_of(case: Case) -> Estate:
    return read_estate(json.dumps(case.estate))


def questions(case: Case) -> list[Conversation]:
    return [conversation_from(conversation) for conversation in case.conversations]


def differences(case: Case) -> list[Json]:
    """The conversations of a case that the two evaluators answer otherwise."""
    together = Journeys(estate_of(case), AT)
    found = []
    for conversation in case.conversations:
        ours = [outcome.as_json() for outcome in together.outcomes(conversation_from(conversation))]
        theirs = naive_outcomes(case.estate, conversation, AT)
        if sorted(map(json.dumps, ours)) != sorted(map(json.dumps, theirs)):
            found.append({"estate": case.estate, "asked": conversation, "engine": ours, "naive": theirs})
    return found


# ---------------------------------------------------------------- the answers


@given(cases())
def test_every_drawn_conversation_ends_as_a_literal_reading_has_it(case: Case) -> None:
    assert differences(case) == []


@pytest.mark.parametrize("part", range(PARTS))
def test_thousands_of_estates_have_not_one_difference(part: int) -> None:
    for seed in range(part, ESTATES, PARTS):
        assert differences(random_case(random.Random(seed))) == [], f"random_case(random.Random({seed}))"


@given(cases())
def test_outcomes_have_no_doubles_and_never_fail_to_exist(case: Case) -> None:
    estate = estate_of(case)
    for conversation in questions(case):
        found = outcomes(estate, conversation, AT)
        assert found
        assert len(set(found)) == len(found)
        assert verdict(found) in {"must_deliver", "may_deliver", "mixed", *(kind for kind, _, _ in found)}


# ---------------------------------------------------------------- the accounts


@given(cases())
def test_a_journey_ends_as_its_outcomes_say(case: Case) -> None:
    estate = estate_of(case)
    for conversation in questions(case):
        expected = outcomes(estate, conversation, AT)
        assert journey(estate, conversation, AT).outcomes == expected
        assert explain(estate, conversation, AT).forward.outcomes == expected


@given(cases())
def test_the_way_of_every_end_leads_there(case: Case) -> None:
    estate = estate_of(case)
    for conversation in questions(case):
        walked = journey(estate, conversation, AT)
        for end in walked.ends:
            assert end.outcome in reached(estate, walked, end)


def reached(estate: Estate, journey: Journey, end: JourneyEnd) -> set[Outcome | Position]:
    """What follows the last place on the way of an end; each of its sends must be one that is decided there."""
    conversation = journey.conversation
    place = Position(conversation.instance, conversation.database, estate.hop_limit)
    for leg in end.legs:
        assert (leg.instance, leg.database) == (place.instance, place.database)
        assert leg.send in decided(estate, conversation, place)
        following = after(place, leg.send)
        assert isinstance(following, Position)
        place = following
    assert end.instance == place.instance
    return {after(place, decision) for decision in decided(estate, conversation, place)}


def decided(estate: Estate, conversation: Conversation, place: Position | HopAccount) -> tuple[Any, ...]:
    """The decisions of one hop, by the public door, without a trace."""
    return route(estate, replace(conversation, instance=place.instance, database=place.database), AT)


@given(cases())
def test_an_account_changes_no_decision(case: Case) -> None:
    estate = estate_of(case)
    for conversation in questions(case):
        assert route(estate, conversation, AT, trace=Trace()) == route(estate, conversation, AT)
        for hop in journey(estate, conversation, AT).hops:
            assert hop.decisions == decided(estate, conversation, hop)


@given(cases())
def test_accounts_name_the_rules_of_the_specification_and_routes_of_the_table(case: Case) -> None:
    estate = estate_of(case)
    for hop in every_hop(estate, questions(case)):
        assert {step.rule for step in hop.steps} <= RULES
        assert hop.steps[-1].taken
        table = estate.instances[hop.instance].tables[hop.table]
        for step in hop.steps:
            assert {*step.routes, *(rejected.route for rejected in step.rejected)} <= table.routes.keys()
            assert str(step.says)


def every_hop(estate: Estate, conversations: list[Conversation]) -> Iterator[HopAccount]:
    """The hops of all conversations, forth and back."""
    for conversation in conversations:
        explanation = explain(estate, conversation, AT)
        for account in (explanation.forward, *(back.journey for back in explanation.returns)):
            yield from account.hops


@given(cases())
def test_the_step_that_matched_accounts_for_every_route_of_the_table(case: Case) -> None:
    """Found, passed over with a reason, or counted as one for another service: none is missing, none is there twice."""
    estate = estate_of(case)
    for hop in every_hop(estate, questions(case)):
        for step in hop.steps:
            if step.rule.startswith("MATCH-") and step.taken:
                routes = [*step.routes, *(rejected.route for rejected in step.rejected)]
                assert len(set(routes)) == len(routes)
                assert len(routes) + step.more_rejected == len(estate.instances[hop.instance].tables[hop.table])


@given(cases())
def test_the_way_back_is_the_journey_of_a_reply_from_the_target(case: Case) -> None:
    estate = estate_of(case)
    for conversation in questions(case):
        explained = explain(estate, conversation, AT)
        if explained.origin is None or explained.origin.broker_instance is None:
            continue  # then every reply carries an identifier that the estate does not know
        for back in explained.returns:
            reply = back.journey.conversation
            assert (reply.instance, reply.database, reply.is_reply) == (back.target.instance, back.target.detail, True)
            assert back.journey.outcomes == outcomes(estate, reply, AT)
            assert back.arrives <= back.may_arrive
