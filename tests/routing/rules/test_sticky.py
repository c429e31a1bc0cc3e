"""RT-STICKY and MATCH-4: what a conversation has chosen before, and routes that were asked for already."""

from __future__ import annotations

import pytest

from routing.common.names import DYNAMIC_ROUTING_SERVICE
from routing.model.conversation import Conversation
from routing.rules import matching
from routing.rules.decision import Decision, Delay, Deliver, Drop, Send, StickyChoice
from routing.rules.hop import Hop
from routing.rules.journey_account import journey
from routing.rules.router import route
from routing.rules.trace import Trace
from tests.routing.small import ELSEWHERE, ID, database, estate, host, to
from tests.strategies import AT

OPEN = estate(
    host(
        "a",
        database(
            "db",
            "Own",
            routes=[
                to("b", "S"),
                to("c", "S"),
                to("LOCAL", "L"),
                to("b", "L"),
                to("b", "I", broker_instance=ID),
                to("c", "I", broker_instance=ELSEWHERE),
                to("b", "Old", lifetime="2020-01-01T00:00:00Z"),
                to("c", "Old"),
            ],
        ),
        database("one", "Copy", "Here"),
        database("two", "Copy"),
        outside=[to("LOCAL"), to("b", "S"), to("c", "S")],
    ),
    host("b"),
    host("c"),
)
S = Conversation("a", "db", "S")


def decided(conversation: Conversation, kept: StickyChoice = StickyChoice()) -> tuple[Decision, ...]:  # noqa: B008 - a value
    """Its decisions, which an account must not change."""
    decisions = route(OPEN, conversation, AT, kept=kept)
    assert route(OPEN, conversation, AT, kept=kept, trace=Trace()) == decisions
    return decisions


def hosts(decisions: tuple[Decision, ...]) -> set[str | None]:
    assert all(isinstance(decision, Send) for decision in decisions)
    return {decision.to for decision in decisions if isinstance(decision, Send)}


# ---------------------------------------------------------------- the route


def test_without_a_choice_all_that_the_rules_leave_open_is_open() -> None:
    assert hosts(decided(S)) == {"b", "c"}


@pytest.mark.parametrize(
    ("kept", "hosts_left"), [("R0", {"b"}), ("R1", {"c"}), ("R2", {"b", "c"}), ("Gone", {"b", "c"})]
)
def test_a_route_is_kept_while_it_matches(kept: str, hosts_left: set[str]) -> None:
    assert hosts(decided(S, StickyChoice(route=kept))) == hosts_left


def test_a_route_that_expired_is_kept_no_longer() -> None:
    assert hosts(decided(Conversation("a", "db", "Old"), StickyChoice(route="R6"))) == {"c"}


def test_a_local_route_is_kept_only_while_the_service_is_here() -> None:
    assert hosts(decided(Conversation("a", "db", "L"), StickyChoice(route="R2"))) == {"b"}
    assert hosts(decided(Conversation("a", "db", "L"), StickyChoice(route="R3"))) == {"b"}


def test_a_message_from_outside_keeps_its_route_too() -> None:
    assert hosts(decided(Conversation("a", None, "S"), StickyChoice(route="R2"))) == {"c"}


def test_the_account_says_that_the_route_is_kept() -> None:
    trace = Trace()
    route(OPEN, S, AT, kept=StickyChoice(route="R1"), trace=trace)
    (step,) = (step for step in trace.steps if step.rule == "RT-STICKY")
    assert (step.taken, str(step.says)) == (True, "The conversation keeps R1, which it chose before.")


# ---------------------------------------------------------------- the identifier


@pytest.mark.parametrize(
    ("kept", "hosts_left"), [(None, {"b", "c"}), (ID, {"b"}), (ELSEWHERE, {"c"}), ("another", {"b", "c"})]
)
def test_an_identifier_taken_at_match_3_is_kept_while_a_route_has_it(kept: str | None, hosts_left: set[str]) -> None:
    assert hosts(decided(Conversation("a", "db", "I"), StickyChoice(identifier=kept))) == hosts_left


# ---------------------------------------------------------------- the database


@pytest.mark.parametrize(
    ("kept", "databases"),
    [(None, {"one", "two"}), ("one", {"one"}), ("two", {"two"}), ("db", {"one", "two"}), ("gone", {"one", "two"})],
)
def test_a_receiving_instance_prefers_the_database_that_holds_the_conversation(
    kept: str | None, databases: set[str]
) -> None:
    """LOC-2: while it can take the message."""
    found = decided(Conversation("a", None, "Copy"), StickyChoice(database=kept))
    assert {decision.database for decision in found if isinstance(decision, Deliver)} == databases
    assert len(found) == len(databases)


def test_where_only_one_database_has_the_service_there_is_nothing_to_prefer() -> None:
    (found,) = decided(Conversation("a", None, "Here"), StickyChoice(database="two"))
    assert isinstance(found, Deliver)
    assert found.database == "one"


# ---------------------------------------------------------------- MATCH-4

ASKING = estate(host("a", database("db", routes=[to("b", DYNAMIC_ROUTING_SERVICE), to("b")]), outside=[
    to("b", DYNAMIC_ROUTING_SERVICE, broker_instance=ID)]), host("b"))  # fmt: skip


def decision_for(conversation: Conversation, *pending: str) -> Decision:
    (decision,) = route(ASKING, conversation, AT, pending=frozenset(pending))
    return decision


def test_a_missing_route_is_asked_for() -> None:
    assert decision_for(S) == Delay("a", "route_requested")
    assert decision_for(Conversation("a", None, "S")) == Drop("a", "route_requested")


def test_with_a_request_pending_for_this_service_matching_goes_on() -> None:
    decision = decision_for(S, "S")
    assert isinstance(decision, Send)
    assert decision.to == "b"
    assert decision_for(Conversation("a", None, "S"), "S") == Drop("a", "no_route")


def test_a_request_that_is_pending_for_another_service_changes_nothing() -> None:
    assert decision_for(S, "T", DYNAMIC_ROUTING_SERVICE) == Delay("a", "route_requested")


def test_a_conversation_to_the_dynamic_routing_service_asks_for_no_route() -> None:
    assert isinstance(decision_for(Conversation("a", "db", DYNAMIC_ROUTING_SERVICE)), Send)


def test_the_account_says_that_a_request_is_pending() -> None:
    trace = Trace()
    route(ASKING, S, AT, pending={"S"}, trace=trace)
    (step,) = (step for step in trace.steps if step.rule == "MATCH-4")
    assert (step.taken, str(step.says)) == (False, "Dynamic routing: a request for this service is pending already.")


def test_what_is_pending_concerns_the_first_hop_of_a_journey_alone() -> None:
    """The next instance knows nothing of it, and asks itself."""
    chain = estate(
        host("a", database("db", routes=[to("b", DYNAMIC_ROUTING_SERVICE), to("b")])),
        host("b", outside=[to("c", DYNAMIC_ROUTING_SERVICE), to("c")]),
    )
    walked = journey(chain, S, AT, pending={"S"})
    assert [tuple(outcome) for outcome in walked.outcomes] == [("dropped", "b", "route_requested")]


def test_match_7_ends_every_matching(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "_MAY_MATCH", dict.fromkeys(matching._MAY_MATCH, ()))
    with pytest.raises(AssertionError, match="MATCH-7"):
        matching.match(Hop(OPEN, "b", None, service="S", identifier=None, is_reply=False, at=AT))


def test_a_database_chosen_before_is_kept_when_the_origin_gets_the_service_too() -> None:
    """RT-STICKY before LOC-2: the choice was made, and its route still matches."""
    here = estate(host("a", database("own", "S", routes=[to("LOCAL")]), database("other", "S")))
    conversation = Conversation("a", "own", "S")
    assert [decision.outcome.detail for decision in route(here, conversation, AT)] == ["own"]
    kept = route(here, conversation, AT, kept=StickyChoice(database="other"))
    assert [decision.outcome.detail for decision in kept] == ["other"]
