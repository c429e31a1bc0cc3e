"""Remedies of one conversation: each is tried, and mends this very conversation."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from routing.common.errors import Invalid
from routing.documents.conversation_json import conversation_from
from routing.documents.estate_document import read_estate
from routing.lint.obstacles import obstacles
from routing.lint.registry import lint
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.remedies.conversation import ConversationRemedy, conversation_remedies
from routing.rules.decision import DELIVERED
from routing.rules.explanation import explain
from routing.rules.journey import outcomes
from tests.routing.example_helpers import example
from tests.routing.small import database, estate, host, to
from tests.strategies import AT, Case, cases

ID, OTHER = "6f3f0d5e-0000-4000-8000-000000000001", "6f3f0d5e-0000-4000-8000-000000000002"


def remedies(where: Estate, instance: str, begun: str, service: str, **more: str) -> tuple[ConversationRemedy, ...]:
    explanation = explain(where, Conversation(instance, begun, service, **more), AT)
    return conversation_remedies(explanation, where, lint(where, AT))


SENDER = database("D", "Order", routes=[to("LOCAL")], broker_instance=ID)
TARGET = database("E", "Parts", routes=[to("a", "Order")], broker_instance=OTHER)


def test_no_route_is_mended_by_a_route_to_where_the_service_is() -> None:
    where = estate(host("a", SENDER, outside=[to("LOCAL")]), host("b", TARGET, outside=[to("LOCAL")]))
    (one, *_) = conversation_remedies(explain(where, Conversation("a", "D", "Parts"), AT), where)
    assert one.sql == "USE [D];\nCREATE ROUTE [To Parts] WITH SERVICE_NAME = N'Parts', ADDRESS = N'tcp://b:4022';"
    assert (one.instance, [tuple(end) for end in one.after]) == ("a", [("delivered", "b", "E")])


def test_a_disabled_broker_is_enabled() -> None:
    off = database("E", "Parts", routes=[to("LOCAL")], broker_enabled=False)
    (one, *_) = remedies(estate(host("a", SENDER, off, outside=[to("LOCAL")])), "a", "D", "Parts")
    assert "ENABLE_BROKER" in one.sql
    assert [tuple(end) for end in one.after] == [("delivered", "a", "E")]


def test_forwarding_that_is_off_is_switched_on() -> None:
    sender = database("D", "Order", routes=[to("LOCAL"), to("hub", "Parts")])
    hub = host("hub", outside=[to("b", "Parts")], forwarding=False)
    where = estate(host("a", sender, outside=[to("LOCAL")]), hub, host("b", TARGET, outside=[to("LOCAL")]))
    (one, *_) = remedies(where, "a", "D", "Parts")
    assert "MESSAGE_FORWARDING = ENABLED" in one.sql
    assert one.instance == "hub"


def test_the_remedy_of_a_finding_is_preferred_where_it_mends_as_much() -> None:
    (one, *_) = remedies(example("three-servers"), "shop", "Orders", "//example/ledger/Post")
    assert one.finding is not None
    assert (one.finding.code, one.delivers) == ("wrong-port", True)


def test_findings_about_other_conversations_propose_nothing_for_this_one() -> None:
    for one in remedies(example("three-servers"), "shop", "Orders", "//example/ledger/Post"):
        assert "Post" in one.sql


def test_a_way_back_is_made() -> None:
    (one, *_) = remedies(example("2-network-route"), "headquarters", "AdventureWorks", "OrderParts")
    assert (one.is_way_back, one.instance) == (True, "host2")
    assert "Return to OrderEntry" in one.sql


def test_a_queue_that_is_off_is_switched_on() -> None:
    sender = database("D", "Order", routes=[to("b", "Parts")])
    service = {"name": "Parts", "queue": "dbo.Q", "contracts": ["c"]}
    parts = database("E", routes=[to("a", "Order")]) | {"services": [service]}
    parts |= {"queues": [{"name": "dbo.Q", "enabled": False}]}
    where = estate(host("a", sender, outside=[to("LOCAL")]), host("b", parts, outside=[to("LOCAL")]))
    (one, *_) = conversation_remedies(explain(where, Conversation("a", "D", "Parts"), AT), where)
    assert one.sql == "USE [E];\nALTER QUEUE [dbo].[Q] WITH STATUS = ON;"
    assert (one.unblocks, one.left) == (True, ())


@pytest.mark.parametrize(("begun", "service"), [("D", "Order"), ("D", "Nowhere")])
def test_nothing_is_offered_for_what_is_well_or_for_a_service_that_is_nowhere(begun: str, service: str) -> None:
    where = estate(host("a", SENDER, outside=[to("LOCAL")]), host("b", TARGET, outside=[to("LOCAL")]))
    assert remedies(where, "a", begun, service) == ()


@settings(deadline=None)
@given(cases())
def test_each_remedy_mends_the_conversation_in_the_estate_with_it(case: Case) -> None:
    """The engine itself, asked again, delivers or brings back more."""
    where = read_estate(json.dumps(case.estate))
    found = lint(where, AT)
    for document in case.conversations[:4]:
        conversation = conversation_from(document)
        try:
            conversation.check(where)
        except Invalid:
            continue
        explanation = explain(where, conversation, AT)
        for one in conversation_remedies(explanation, where, found):
            assert outcomes(one.estate, conversation, AT) == one.after
            if one.is_way_back:
                ways = sum(back.arrives for back in explain(one.estate, conversation, AT).returns)
                assert ways == sum(back.arrives for back in explanation.returns) + one.ways_back
            elif one.unblocks:
                assert len(one.left) < len(obstacles(explanation, where))
            else:
                assert any(end.kind == DELIVERED for end in one.after)
                assert set(one.after) != set(explanation.forward.outcomes)
