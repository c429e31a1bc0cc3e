"""Journeys with their accounts: the ways to every end, what each hop asked, and the way back."""

from __future__ import annotations

from routing.common.names import MSDB
from routing.model.conversation import Conversation
from routing.rules.decision import Outcome
from routing.rules.explanation import explain
from routing.rules.journey_account import JourneyLeg, journey
from tests.routing.small import ELSEWHERE, ID, STRANGER, database, estate, host, to
from tests.strategies import AT

HOME = database("db", "Own", "Other", routes=[to("b", "S"), to("b", "Loop")], broker_instance=ID)
TARGET = database("target", "S", routes=[to("a")], broker_instance=ELSEWHERE)
MAP = estate(
    host("a", HOME, database("bare", routes=[to("b")]), outside=[to("LOCAL", "Own"), to("b", "Loop")]),
    host("b", TARGET, outside=[to("LOCAL", "S"), to("a", "Loop")]),
    hop_limit=3,
)
S = Conversation("a", "db", "S", from_service="Own")
ARRIVED = Outcome("delivered", "b", "target")
AT_HOME = Outcome("delivered", "a", "db")


def test_an_end_has_a_shortest_way() -> None:
    (end,) = journey(MAP, S, AT).ends
    assert (end.outcome, end.instance) == (ARRIVED, "b")
    (leg,) = end.legs
    assert isinstance(leg, JourneyLeg)
    assert (leg.instance, leg.database, leg.send.route, leg.send.to) == ("a", "db", "R0", "b")


def test_of_several_ways_to_an_end_the_shortest_is_told() -> None:
    """From a straight to b, or by c, or by d and c: the outcome is one, and its way is the first that was found."""
    home = database("db", routes=[to("d", "S"), to("c", "S"), to("b", "S")])
    with_detours = estate(
        host("a", home),
        host("b", TARGET, outside=[to("LOCAL", "S")]),
        host("c", outside=[to("b", "S")]),
        host("d", outside=[to("c", "S")]),
    )
    (end,) = journey(with_detours, S, AT).ends
    assert (end.outcome, end.instance) == (ARRIVED, "b")
    assert [(leg.instance, leg.send.to) for leg in end.legs] == [("a", "b")]


def test_an_end_that_is_found_again_further_on_keeps_its_way() -> None:
    """A circle comes by the same end with fewer hops left."""
    home = database("db", routes=[to("b", "S")])
    circle = estate(host("a", home, outside=[to("b", "S")]), host("b", outside=[to("x", "S"), to("a", "S")]))
    ends = {end.outcome.kind: end for end in journey(circle, S, AT).ends}
    assert [leg.instance for leg in ends["exits"].legs] == ["a"]
    assert len(ends["dropped"].legs) == circle.hop_limit + 1


def test_each_hop_is_told_once_with_the_table_that_was_asked() -> None:
    loop = journey(MAP, Conversation("a", "db", "Loop"), AT)
    assert [(hop.instance, hop.database, hop.table) for hop in loop.hops] == [
        ("a", "db", "db"),
        ("b", None, MSDB),
        ("a", None, MSDB),
    ]


def test_the_hop_where_the_limit_is_reached_says_so() -> None:
    """LOOP-1: begun in a, and forwarded three times: by b, a and b."""
    loop = journey(MAP, Conversation("a", "db", "Loop"), AT)
    assert loop.outcomes == (Outcome("dropped", "a", "hop_limit"),)
    assert [leg.instance for leg in loop.ends[0].legs] == ["a", "b", "a", "b"]
    limits = [(hop.instance, str(step.says)) for hop in loop.hops for step in hop.steps if step.rule == "LOOP-1"]
    assert limits == [("a", "It is dropped here after 3 hops, the limit.")]


# ---------------------------------------------------------------- the way back


def test_the_way_back_leads_to_the_service_and_identifier_of_the_initiator() -> None:
    (back,) = explain(MAP, S, AT).returns
    reply = back.journey.conversation
    assert (reply.instance, reply.database) == ("b", "target")
    assert (reply.to_service, reply.to_broker_instance, reply.is_reply, reply.from_service) == ("Own", ID, True, "S")
    assert (back.target, back.home) == (ARRIVED, AT_HOME)
    assert back.arrives
    assert back.may_arrive


def test_without_its_own_service_each_of_the_database_may_have_begun_it() -> None:
    backs = explain(MAP, Conversation("a", "db", "S"), AT).returns
    assert [back.journey.conversation.to_service for back in backs] == ["Own", "Other"]
    assert all(back.arrives for back in backs)  # RT-REPLY: no route is asked at home


def test_a_database_without_services_has_no_way_back_to_follow() -> None:
    assert explain(MAP, Conversation("a", "bare", "S"), AT).returns == ()


def test_a_service_that_is_not_at_home_is_not_found_there() -> None:
    (back,) = explain(MAP, Conversation("a", "db", "S", from_service="Absent"), AT).returns
    assert back.journey.outcomes == (Outcome("dropped", "a", "service_not_found"),)
    assert not back.may_arrive


def test_acknowledgements_that_may_go_astray_may_arrive() -> None:
    target = database("target", "S", routes=[to("a"), to("x")])
    astray = estate(host("a", HOME), host("b", target, outside=[to("LOCAL", "S")]))
    (back,) = explain(astray, S, AT).returns
    assert (back.arrives, back.may_arrive) == (False, True)


def test_an_initiator_whose_identifier_is_unknown_is_routed_home_by_its_name() -> None:
    unknown = estate(
        host("a", {**HOME, "broker_instance": None}, outside=[to("LOCAL", "Own")]),
        host("b", TARGET, outside=[to("LOCAL", "S")]),
    )
    (back,) = explain(unknown, S, AT).returns
    assert back.journey.conversation.to_broker_instance is None
    assert back.arrives


def test_what_is_not_delivered_has_no_way_back() -> None:
    explanation = explain(MAP, Conversation("a", "db", "S", STRANGER), AT)
    assert explanation.forward.outcomes == (Outcome("dropped", "b", "service_not_found"),)
    assert explanation.returns == ()


def test_of_what_comes_from_outside_nothing_is_known() -> None:
    explanation = explain(MAP, Conversation("b", None, "S"), AT)
    assert (explanation.forward.outcomes, explanation.returns, explanation.origin) == ((ARRIVED,), (), None)


def test_an_msdb_that_is_not_written_may_begin_a_conversation() -> None:
    bare = estate(host("a"))
    explanation = explain(bare, Conversation("a", MSDB, "S"), AT)
    assert explanation.forward.outcomes == (Outcome("delayed", "a", "no_route"),)
    assert explanation.origin is not None
    assert explanation.origin.name == MSDB


def test_many_names_in_a_sentence_are_cut() -> None:
    many = estate(host("a", database("db", routes=[to(f"x{number}", "S") for number in range(12)])))
    (hop,) = journey(many, S, AT).hops
    (step,) = (step for step in hop.steps if step.rule == "MATCH-2")
    assert str(step.says) == "Exactly this name, no identifier: R0, R1, R2, R3, R4, R5, R6, R7 and 4 more."
    assert len(step.routes) == 12


def test_a_mirror_that_an_identifier_names_cannot_take_it() -> None:
    """LOC, fixed: and the explanation says why."""
    mirror = database("db", "S", routes=[{"address": "LOCAL"}], broker_instance=ID, mirroring_role="MIRROR")
    found = explain(estate(host("a", mirror)), Conversation("a", "db", "S", ID), AT)
    assert found.forward.outcomes == (Outcome("delayed", "a", "service_not_found"),)
    assert "its mirroring role is MIRROR" in repr(found)
