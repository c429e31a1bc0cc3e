"""Example 4, one network route for every service that is not here.

Each test is one sentence of the example, in our own words, with the rules that it exercises.
"""

from __future__ import annotations

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
    from_outside,
    matched,
    put_aside,
    routes_of,
    rules,
    sent_to,
    services_of,
    table_of,
    with_copy,
)

ESTATE = example("4-everything-external")
EXTERNAL = "ExternalRoute"
ADDRESS = "tcp://forwarding.adventure-works.com:4022"
ELSEWHERE = sorted(every_service(ESTATE) - services_of(ESTATE, "headquarters"))


def test_ex4_01_messages_go_to_another_instance_unless_the_service_is_here() -> None:
    """What AdventureWorks sends leaves for another instance, except where this one has the service. CHOOSE-2, -3."""
    assert ends(ESTATE, begun("OrderParts")) == {("delivered", "host2", "Parts")}
    assert ends(with_copy(ESTATE, "OrderParts"), begun("OrderParts")) == {("delivered", "headquarters", "Finance")}


def test_ex4_02_all_that_is_not_here_goes_to_one_address() -> None:
    """Messages for whatever service is not on this instance go to the same network address. MATCH-5, CHOOSE-3."""
    assert len(ELSEWHERE) > 1
    for service in ELSEWHERE:
        assert sent_to(ESTATE, begun(service)) == {ADDRESS}


def test_ex4_03_it_serves_where_the_instance_at_that_address_forwards() -> None:
    """This is of use when the instance at that address forwards messages. CHOOSE-FWD."""
    forwarder = ESTATE.instances["forwarding"]
    assert forwarder.forwarding
    assert services_of(ESTATE, "forwarding") == set()
    assert ends(ESTATE, begun("OrderParts")) == {("delivered", "host2", "Parts")}


def test_ex4_04_adventureworks_has_both_routes() -> None:
    """AdventureWorks holds AutoCreatedLocal and a route to the forwarding address. RT-TABLE."""
    assert routes_of(ESTATE, "AdventureWorks") == [AUTO, EXTERNAL]
    assert table_of(ESTATE, "AdventureWorks").routes[EXTERNAL].address.key == ADDRESS


def test_ex4_05_both_routes_match() -> None:
    """Both are in the matching set, for they agree in remote service name and broker instance. MATCH-5."""
    for service in (A_LOCAL_SERVICE, *ELSEWHERE):
        assert matched(ESTATE, begun(service)) == {AUTO, EXTERNAL}


def test_ex4_06_one_of_the_two_is_chosen() -> None:
    """One of the two has to be chosen. RT-STEPS."""
    for service in (A_LOCAL_SERVICE, *ELSEWHERE):
        assert len(chosen(ESTATE, begun(service))) == 1


def test_ex4_07_local_is_preferred_to_a_network_address() -> None:
    """LOCAL goes before a network address, so AutoCreatedLocal is chosen. CHOOSE-2."""
    assert chosen(ESTATE, begun(A_LOCAL_SERVICE)) == {AUTO}
    assert put_aside(ESTATE, begun(A_LOCAL_SERVICE)) == {EXTERNAL}
    assert "CHOOSE-2" in rules(ESTATE, begun(A_LOCAL_SERVICE))


def test_ex4_08_a_service_that_is_here_gets_the_message() -> None:
    """If the target service is on this instance, the message is delivered to it by that route. CHOOSE-2, LOC-2."""
    for service in services_of(ESTATE, "headquarters"):
        assert delivered_here(ESTATE, begun(service))


def test_ex4_09_for_a_service_that_is_not_here_the_external_route_is_chosen() -> None:
    """If it is not, the choice falls on ExternalRoute. RT-STEPS, CHOOSE-2, CHOOSE-3."""
    for service in ELSEWHERE:
        assert chosen(ESTATE, begun(service)) == {EXTERNAL}


def test_ex4_10_from_outside_has_only_autocreatedlocal_to_match() -> None:
    """msdb has no other route for the conversations that come from outside. RT-TABLE."""
    assert routes_of(ESTATE, "msdb") == [AUTO]


def test_ex4_11_from_outside_it_alone_matches_and_is_chosen() -> None:
    """It is alone in the matching set, so it is chosen. MATCH-5, CHOOSE-2."""
    assert matched(ESTATE, from_outside(A_LOCAL_SERVICE)) == {AUTO}
    assert chosen(ESTATE, from_outside(A_LOCAL_SERVICE)) == {AUTO}


def test_ex4_12_from_outside_without_a_local_service_it_is_dropped() -> None:
    """Without a service for it here, the message is dropped; ExternalRoute is not for it. LOC "Fixed", RT-TABLE."""
    for service in (NO_SERVICE, "OrderParts"):
        assert ends(ESTATE, from_outside(service)) == {("dropped", "headquarters", "service_not_found")}
