"""Example 5, network routes to different instances of a service: load balancing.

Each test is one sentence of the example, in our own words, with the rules that it exercises.
"""

from __future__ import annotations

import pytest

from routing.rules.decision import Send, StickyChoice
from routing.rules.journey import outcomes
from routing.rules.router import route
from tests.routing.example_helpers import (
    A_LOCAL_SERVICE,
    AT,
    AUTO,
    NO_SERVICE,
    acknowledged,
    begun,
    chosen,
    ends,
    example,
    from_outside,
    matched,
    routes_of,
    rules,
    sent_to,
    table_of,
)

ESTATE = example("5-load-balancing")
ONE, TWO = "BalancedRouteOne", "BalancedRouteTwo"
ID_ONE, ID_TWO = "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d", "81b1d3d0-288e-4d2c-b1d3-456cbb944b4f"
SERVER1, SERVER2 = "tcp://server1.adventure-works.com:4022", "tcp://server2.adventure-works.com:4022"
BALANCED = begun("BalancedService")
AT_SERVER1, AT_SERVER2 = ("delivered", "server1", "Balanced"), ("delivered", "server2", "Balanced")

each_identifier = pytest.mark.parametrize(
    ("identifier", "name", "address", "end"),
    [(ID_ONE, ONE, SERVER1, AT_SERVER1), (ID_TWO, TWO, SERVER2, AT_SERVER2)],
    ids=["one", "two"],
)


def test_ex5_01_two_addresses_host_two_instances_of_one_service() -> None:
    """Two network addresses host different instances of the same service. LOC-1."""
    hosts = {name: ESTATE.instances[name].databases["Balanced"] for name in ("server1", "server2")}
    assert [host.has_service("BalancedService") for host in hosts.values()] == [True, True]
    assert [host.broker_instance for host in hosts.values()] == [ID_ONE, ID_TWO]


def test_ex5_02_it_balances_load() -> None:
    """The configuration serves to share the load: a conversation may end at either of them. MATCH-3."""
    assert ends(ESTATE, BALANCED) == {AT_SERVER1, AT_SERVER2}


def test_ex5_03_adventureworks_has_routes_for_the_service_beside_autocreatedlocal() -> None:
    """AdventureWorks holds AutoCreatedLocal and the routes for BalancedService. RT-TABLE."""
    assert routes_of(ESTATE, "AdventureWorks") == [AUTO, ONE, TWO]
    assert [*table_of(ESTATE, "AdventureWorks").named] == ["BalancedService"]


def test_ex5_04_without_an_identifier_both_routes_can_match() -> None:
    """For a conversation that gives no identifier, both routes of the service are in the set. MATCH-3."""
    assert matched(ESTATE, BALANCED) == {ONE, TWO}
    assert "MATCH-3" in rules(ESTATE, BALANCED)


def test_ex5_05_one_identifier_is_taken_arbitrarily_and_only_its_route_matches() -> None:
    """Their identifiers differ: one is taken, whichever, and the match is with the route that has it. MATCH-3."""
    sends = [decision for decision in route(ESTATE, BALANCED, AT) if isinstance(decision, Send)]
    assert {send.identifier: send.route for send in sends} == {ID_ONE: ONE, ID_TWO: TWO}


def test_ex5_06_that_route_is_chosen() -> None:
    """As only one route matches then, it is the one chosen for the conversation. CHOOSE-3, RT-STICKY."""
    assert chosen(ESTATE, BALANCED) == {ONE, TWO}
    for name, identifier in ((ONE, ID_ONE), (TWO, ID_TWO)):
        (again,) = route(ESTATE, BALANCED, AT, kept=StickyChoice(name, identifier))
        assert isinstance(again, Send)
        assert again.route == name


def test_ex5_07_some_conversations_go_to_server1_and_others_to_server2() -> None:
    """So some conversations go to the first address, the others to the second. MATCH-3, CHOOSE-3."""
    assert sent_to(ESTATE, BALANCED) == {SERVER1, SERVER2}


@each_identifier
def test_ex5_08_the_identifier_in_the_acknowledgement_is_used_afterwards(
    identifier: str, name: str, address: str, end: tuple[str, str, str]
) -> None:
    """Once an acknowledgement came, its identifier serves for the other messages. RT-PIN, MATCH-1."""
    (delivered,) = [outcome for outcome in outcomes(ESTATE, BALANCED, AT) if tuple(outcome) == end]
    later = acknowledged(ESTATE, BALANCED, delivered)
    assert later.to_broker_instance == identifier
    assert matched(ESTATE, later) == {name}


@each_identifier
def test_ex5_09_all_messages_after_the_first_acknowledgement_go_to_that_one_only(
    identifier: str, name: str, address: str, end: tuple[str, str, str]
) -> None:
    """From the first acknowledgement on, every message is routed by its identifier. RT-PIN, MATCH-1, LOC-1."""
    later = begun("BalancedService", identifier)
    assert sent_to(ESTATE, later) == {address}
    (only,) = outcomes(ESTATE, later, AT)
    assert tuple(only) == end
    assert acknowledged(ESTATE, later, only) == later


@each_identifier
def test_ex5_10_an_identifier_that_is_given_matches_its_route(
    identifier: str, name: str, address: str, end: tuple[str, str, str]
) -> None:
    """A conversation that gives one of the two identifiers has the route with it in its set. MATCH-1."""
    assert matched(ESTATE, begun("BalancedService", identifier)) == {name}
    assert "MATCH-1" in rules(ESTATE, begun("BalancedService", identifier))


@each_identifier
def test_ex5_11_an_identifier_that_is_given_decides_the_address(
    identifier: str, name: str, address: str, end: tuple[str, str, str]
) -> None:
    """It goes to the address of the route with that identifier. CHOOSE-3, LOC-1."""
    assert chosen(ESTATE, begun("BalancedService", identifier)) == {name}
    assert sent_to(ESTATE, begun("BalancedService", identifier)) == {address}
    assert ends(ESTATE, begun("BalancedService", identifier)) == {end}


def test_ex5_12_for_another_service_only_autocreatedlocal_matches() -> None:
    """For any other target, the set has nothing but AutoCreatedLocal. MATCH-5."""
    for service in (A_LOCAL_SERVICE, NO_SERVICE):
        assert matched(ESTATE, begun(service)) == {AUTO}


def test_ex5_13_for_another_service_it_is_chosen() -> None:
    """That route is chosen. CHOOSE-2."""
    for service in (A_LOCAL_SERVICE, NO_SERVICE):
        assert chosen(ESTATE, begun(service)) == {AUTO}


def test_ex5_14_without_a_local_service_the_conversation_is_delayed() -> None:
    """Without a service for it here, the conversation is marked DELAYED. RT-STEPS, LOC "Fixed"."""
    assert ends(ESTATE, begun(NO_SERVICE)) == {("delayed", "headquarters", "service_not_found")}


def test_ex5_15_from_outside_has_only_autocreatedlocal_to_match() -> None:
    """msdb has no other route for the conversations that come from outside. RT-TABLE."""
    assert routes_of(ESTATE, "msdb") == [AUTO]


def test_ex5_16_from_outside_it_alone_matches_and_is_chosen() -> None:
    """It is alone in the matching set, so it is chosen. MATCH-5, CHOOSE-2."""
    for service in (A_LOCAL_SERVICE, "BalancedService"):
        assert matched(ESTATE, from_outside(service)) == {AUTO}
        assert chosen(ESTATE, from_outside(service)) == {AUTO}


def test_ex5_17_from_outside_without_a_local_service_it_is_dropped() -> None:
    """Without a service for it here, the message is dropped. LOC "Fixed"."""
    for service in (NO_SERVICE, "BalancedService"):
        assert ends(ESTATE, from_outside(service)) == {("dropped", "headquarters", "service_not_found")}
