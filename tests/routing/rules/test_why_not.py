"""Why not this route? The first clause that kept it from being used, for each time its table is asked."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from routing.model.address import parse_address
from routing.model.catalog_objects import Service
from routing.model.conversation import Conversation
from routing.model.estate import Database, Estate, Instance
from routing.model.route import Route
from routing.model.route_table import RouteTable
from routing.rules.why_not import WhyNot, why_not

AT = datetime(2026, 6, 1, tzinfo=UTC)
ID1, ID2 = "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d", "81b1d3d0-288e-4d2c-b1d3-456cbb944b4f"


def row(
    name: str,
    address: str,
    service: str | None = None,
    *,
    identifier: str | None = None,
    expires: datetime | None = None,
    mirror: str | None = None,
) -> Route:
    partner = parse_address(mirror) if mirror else None
    return Route(name, service, identifier, expires, parse_address(address), partner)


def estate(*routes: Route, outside: tuple[Route, ...] = (), identifier: str | None = None) -> Estate:
    orders = Database("Orders", services=(Service("Own"),), table=RouteTable(routes))
    parts = Database("Parts", identifier, services=(Service("Here"),))
    msdb = Database("msdb", table=RouteTable(outside))
    here = {"Orders": orders, "Parts": parts, "msdb": msdb}
    return Estate({"here": Instance("here", here, (parse_address("tcp://here"),))})


def ask(made: Estate, route: str, service: str = "Bill", database: str = "Orders", reply: bool = False) -> WhyNot:
    conversation = Conversation("here", None if reply else "Orders", service, ID1 if reply else None, reply)
    (answer,) = why_not(made, conversation, AT, instance="here", database=database, route=route)
    return answer


def facts_of(answer: WhyNot) -> tuple[bool, str | None, str]:
    return answer.used, answer.rule, str(answer.clause)


def test_a_route_that_is_used_says_by_which_rule() -> None:
    made = estate(row("R", "tcp://far", "Bill"))
    assert facts_of(ask(made, "R")) == (True, "CHOOSE-3", "it is used")


@pytest.mark.parametrize(
    ("other", "clause"),
    [
        (row("X", "LOCAL", "Bill", expires=datetime(2020, 1, 1, tzinfo=UTC)), "expired at 2020-01-01T00:00:00Z"),
        (row("X", "LOCAL", "Ship"), "other service: Ship"),
        (row("X", "LOCAL", " bill"), "other service:  bill differs only in case or spaces"),
        (row("X", "LOCAL", "Bill", identifier=ID1), "is asked only at MATCH-3; the matching ended at MATCH-2"),
        (row("X", "LOCAL"), "is asked only at MATCH-5; the matching ended at MATCH-2"),
        (row("X", "LOCAL", identifier=ID1), "has an identifier but no service name: it matches at no step"),
    ],
)
def test_a_route_that_does_not_match_says_why(other: Route, clause: str) -> None:
    made = estate(row("R", "tcp://far", "Bill"), other)
    assert facts_of(ask(made, "X")) == (False, "MATCH-2", clause)


def test_a_route_of_a_lower_tier_says_what_comes_first() -> None:
    made = estate(row("R", "tcp://far", "Bill", mirror="tcp://near"), row("X", "tcp://far", "Bill"))
    assert facts_of(ask(made, "X")) == (False, "CHOOSE-1", "a mirrored route comes first")


def test_a_local_route_without_the_service_says_that_it_is_not_here() -> None:
    made = estate(row("X", "LOCAL", "Bill"), row("R", "tcp://far", "Bill"))
    answer = (False, "CHOOSE-2", "it matches, but the service cannot be located in this instance")
    assert facts_of(ask(made, "X")) == answer
    assert facts_of(ask(made, "R")) == (True, "CHOOSE-3", "it is used")


def test_each_identifier_left_open_is_a_choice_of_its_own() -> None:
    first, second = row("A", "LOCAL", "Here", identifier=ID1), row("B", "LOCAL", "Here", identifier=ID2)
    made = estate(first, second, row("C", "tcp://far", "Here", identifier=ID2), identifier=ID1)
    assert facts_of(ask(made, "A", "Here")) == (True, "CHOOSE-2", "it is used")
    assert not ask(made, "B", "Here").used
    assert facts_of(ask(made, "C", "Here")) == (True, "CHOOSE-3", "it is used")


def test_an_identical_route_says_that_another_stands_for_it() -> None:
    made = estate(row("A", "tcp://far", "Bill"), row("B", "TCP://FAR:4022/", "Bill"))
    assert ask(made, "A").used
    assert facts_of(ask(made, "B")) == (False, "CHOOSE-0", "it is identical to another route, which stands for both")


def test_a_chosen_route_that_leads_nowhere_says_so() -> None:
    answer = ask(estate(row("T", "TRANSPORT")), "T")
    assert (answer.used, answer.rule) == (True, "CHOOSE-4")
    assert "leads no further" in str(answer.clause)


def test_a_table_that_is_never_asked_says_why() -> None:
    made = estate(row("R", "tcp://far", "Bill"), outside=(row("M", "LOCAL"),))
    assert facts_of(ask(made, "M", database="msdb"))[:2] == (False, None)
    conversation = Conversation("here", "Parts", "Bill")
    (answer,) = why_not(made, conversation, AT, instance="here", database="Orders", route="R")
    assert "begins elsewhere" in str(answer.clause)


def test_a_reply_for_this_instance_asks_no_route() -> None:
    made = estate(outside=(row("M", "LOCAL"),), identifier=ID1)
    assert facts_of(ask(made, "M", "Here", "msdb", reply=True))[:2] == (False, "RT-REPLY")


def test_a_route_that_is_not_there_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(KeyError):
        ask(estate(), "R")
