"""Example 7, forwarding the messages for every service that is not here.

Each test is one sentence of the example, in our own words, with the rules that it exercises.
"""

from __future__ import annotations

import pytest

from routing.model.conversation import Conversation
from tests.routing.example_helpers import (
    A_LOCAL_SERVICE,
    AUTO,
    NO_SERVICE,
    begun,
    chosen,
    delivered_here,
    ends,
    every_service,
    example,
    forwarding,
    from_outside,
    matched,
    put_aside,
    routes_of,
    rules,
    sent_to,
    services_of,
    with_copy,
)

ESTATE = example("7-forward-everything")
FORWARDING = "ForwardingRoute"
ADDRESS = "tcp://forwarding.adventure-works.com:4022"
ELSEWHERE = sorted(every_service(ESTATE) - services_of(ESTATE, "headquarters"))

on_and_off = pytest.mark.parametrize("active", [True, False], ids=["on", "off"])


def test_ex7_01_messages_from_outside_go_to_another_instance_unless_the_service_is_here() -> None:
    """Messages from outside are forwarded to another instance, unless this one has the service. CHOOSE-2, -3."""
    assert ends(ESTATE, Conversation("branch", "Sales", "OrderParts")) == {("delivered", "host2", "Parts")}
    copy = with_copy(ESTATE, "OrderParts")
    assert ends(copy, Conversation("branch", "Sales", "OrderParts")) == {("delivered", "headquarters", "Finance")}


def test_ex7_02_all_that_is_not_here_goes_to_one_address() -> None:
    """Messages for whatever service is not on this instance go to the same network address. MATCH-5, CHOOSE-3."""
    assert len(ELSEWHERE) > 1
    for service in ELSEWHERE:
        assert sent_to(ESTATE, from_outside(service)) == {ADDRESS}


def test_ex7_03_it_serves_to_forward_messages() -> None:
    """The configuration serves to forward messages: from the branch to OrderParts, and no reply is lost. CHOOSE-FWD."""
    sales = ESTATE.instances["branch"].databases["Sales"].broker_instance
    assert ends(ESTATE, Conversation("branch", "Sales", "OrderParts")) == {("delivered", "host2", "Parts")}
    reply = Conversation("host2", "Parts", "SalesOrders", sales, is_reply=True)
    assert ends(ESTATE, reply) == {("delivered", "branch", "Sales")}


def test_ex7_04_begun_here_has_only_autocreatedlocal_to_match() -> None:
    """AdventureWorks has no other route for the conversations begun in it. RT-TABLE."""
    assert routes_of(ESTATE, "AdventureWorks") == [AUTO]


def test_ex7_05_begun_here_it_alone_matches_and_is_chosen() -> None:
    """It is alone in the matching set, so it is chosen. MATCH-5, CHOOSE-2."""
    for service in (A_LOCAL_SERVICE, *ELSEWHERE):
        assert matched(ESTATE, begun(service)) == {AUTO}
        assert chosen(ESTATE, begun(service)) == {AUTO}


@on_and_off
def test_ex7_06_begun_here_without_a_local_service_it_is_delayed(active: bool) -> None:
    """Without a service for it here, the conversation is marked DELAYED. RT-STEPS, LOC "Fixed"."""
    for service in ELSEWHERE:
        assert ends(forwarding(ESTATE, active), begun(service)) == {("delayed", "headquarters", "service_not_found")}


@on_and_off
def test_ex7_07_from_outside_both_routes_match(active: bool) -> None:
    """For messages from outside both routes are in the set: they agree in service name and identifier. MATCH-5.

    The original says outside the *database* here; it means the instance, as everywhere else.
    """
    for service in (A_LOCAL_SERVICE, *ELSEWHERE):
        assert matched(forwarding(ESTATE, active), from_outside(service)) == {AUTO, FORWARDING}


@on_and_off
def test_ex7_08_one_of_the_two_is_chosen(active: bool) -> None:
    """One of the two has to be chosen. RT-STEPS."""
    for service in (A_LOCAL_SERVICE, *ELSEWHERE):
        assert len(chosen(forwarding(ESTATE, active), from_outside(service))) == 1


def test_ex7_09_local_is_preferred_to_a_network_address() -> None:
    """LOCAL goes before a network address, so AutoCreatedLocal is chosen. CHOOSE-2."""
    assert chosen(ESTATE, from_outside(A_LOCAL_SERVICE)) == {AUTO}
    assert put_aside(ESTATE, from_outside(A_LOCAL_SERVICE)) == {FORWARDING}
    assert "CHOOSE-2" in rules(ESTATE, from_outside(A_LOCAL_SERVICE))


@on_and_off
def test_ex7_10_a_service_that_is_here_gets_the_message(active: bool) -> None:
    """If the target service is on this instance, the message is delivered to it by that route. CHOOSE-2, LOC-2."""
    for service in services_of(ESTATE, "headquarters"):
        assert delivered_here(forwarding(ESTATE, active), from_outside(service))


def test_ex7_11_with_forwarding_on_the_forwarding_route_is_chosen_for_the_rest() -> None:
    """If it is not and forwarding is on, ForwardingRoute is chosen. RT-STEPS, CHOOSE-3, CHOOSE-FWD."""
    estate = forwarding(ESTATE, True)
    for service in ELSEWHERE:
        assert chosen(estate, from_outside(service)) == {FORWARDING}
        assert sent_to(estate, from_outside(service)) == {ADDRESS}


def test_ex7_12_with_forwarding_off_the_rest_is_dropped() -> None:
    """With forwarding off, a message whose target service is not on this instance is dropped. CHOOSE-FWD."""
    estate = forwarding(ESTATE, False)
    for service in (*ELSEWHERE, NO_SERVICE):
        assert ends(estate, from_outside(service)) == {("dropped", "headquarters", "forwarding_disabled")}
