"""What a step of matching must leave to the others, with the account of the rules and without it."""

from __future__ import annotations

import pytest

from routing.common.names import DYNAMIC_ROUTING_SERVICE
from routing.model.conversation import Conversation
from routing.model.estate import Estate
from routing.rules.decision import Outcome
from routing.rules.journey import outcomes
from routing.rules.journey_account import journey
from tests.routing.small import ELSEWHERE, ID, STRANGER, Json, database, estate, host, to
from tests.strategies import AT

NO_ROUTE = Outcome("delayed", "a", "no_route")
AWAY = Outcome("exits", "a", "tcp://x:4022")


def begun_with(*routes: Json) -> Estate:
    return estate(host("a", database("db", routes=routes)))


def ends(estate: Estate, service: str, identifier: str | None) -> tuple[Outcome, ...]:
    """As both readers of the rules have it: with every step tried, and with those only that may find something."""
    conversation = Conversation("a", "db", service, identifier)
    (event,) = {journey(estate, conversation, AT).outcomes, outcomes(estate, conversation, AT)}
    return event


@pytest.mark.parametrize(("identifier", "outcome"), [(None, AWAY), (ID, AWAY), (STRANGER, NO_ROUTE)])
def test_match_3_is_for_conversations_that_give_no_identifier(identifier: str | None, outcome: Outcome) -> None:
    """One that gives an identifier is led by no route that names another."""
    assert ends(begun_with(to("x", "S", broker_instance=ID)), "S", identifier) == (outcome,)


def test_match_4_asks_the_dynamic_routing_service_for_no_route_to_itself() -> None:
    """Where its routes name another identifier MATCH-5 follows, not a request."""
    dynamic = to("d", DYNAMIC_ROUTING_SERVICE, broker_instance=ELSEWHERE)
    assert ends(begun_with(dynamic), DYNAMIC_ROUTING_SERVICE, STRANGER) == (NO_ROUTE,)
    assert ends(begun_with(dynamic, to("x")), DYNAMIC_ROUTING_SERVICE, STRANGER) == (AWAY,)
    assert ends(begun_with(dynamic, to("x")), "S", STRANGER) == (Outcome("delayed", "a", "route_requested"),)
