"""Example 2, a network route for one service.

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
    example,
    from_outside,
    matched,
    routes_of,
    rules,
    sent_to,
    services_of,
    table_of,
)

ESTATE = example("2-network-route")
ROUTE = "OrderPartsRoute"
ORDER_PARTS = begun("OrderParts")
HOST2 = {"tcp://host2.adventure-works.com:4022"}


def test_ex2_01_the_route_serves_the_database_that_begins_the_conversation() -> None:
    """A route to a service elsewhere is made in the database that begins the conversation. RT-TABLE."""
    assert sent_to(ESTATE, ORDER_PARTS) == HOST2
    assert sent_to(ESTATE, begun("OrderParts", database="Finance")) == set()
    assert sent_to(ESTATE, from_outside("OrderParts")) == set()


def test_ex2_02_adventureworks_has_a_route_for_orderparts() -> None:
    """AdventureWorks holds a route for the service OrderParts. RT-TABLE."""
    assert table_of(ESTATE, "AdventureWorks").routes[ROUTE].remote_service_name == "OrderParts"


def test_ex2_03_the_route_has_a_network_address() -> None:
    """That route holds a network address. RT-TABLE."""
    assert table_of(ESTATE, "AdventureWorks").routes[ROUTE].address.is_network


def test_ex2_04_every_dialog_to_orderparts_matches_its_route() -> None:
    """Every dialog that AdventureWorks begins with OrderParts matches OrderPartsRoute. MATCH-2."""
    identifier = ESTATE.instances["host2"].databases["Parts"].broker_instance
    for conversation in (ORDER_PARTS, begun("OrderParts", identifier)):
        assert matched(ESTATE, conversation) == {ROUTE}


def test_ex2_05_it_is_sent_to_the_address_of_the_route() -> None:
    """Their messages are sent to host2, port 4022. CHOOSE-3."""
    assert sent_to(ESTATE, ORDER_PARTS) == HOST2
    assert ends(ESTATE, ORDER_PARTS) == {("delivered", "host2", "Parts")}


def test_ex2_06_every_other_conversation_is_delivered_in_this_instance() -> None:
    """All other conversations go to services of the same instance. MATCH-5, CHOOSE-2, LOC-2."""
    for service in services_of(ESTATE, "headquarters"):
        assert delivered_here(ESTATE, begun(service))


def test_ex2_07_the_set_has_the_route_whose_name_is_exactly_the_service() -> None:
    """OrderPartsRoute is in the matching set because it has exactly the name of the service. MATCH-2."""
    assert ROUTE in matched(ESTATE, ORDER_PARTS)
    assert "MATCH-2" in rules(ESTATE, ORDER_PARTS)
    assert ROUTE not in matched(ESTATE, begun("orderparts"))


def test_ex2_08_it_alone_matches_and_is_chosen() -> None:
    """No other route matches, so it is chosen. MATCH-2, CHOOSE-3."""
    assert matched(ESTATE, ORDER_PARTS) == {ROUTE}
    assert chosen(ESTATE, ORDER_PARTS) == {ROUTE}


def test_ex2_09_for_another_service_the_set_has_autocreatedlocal() -> None:
    """For any other target, AutoCreatedLocal is in the matching set. MATCH-5."""
    for service in (A_LOCAL_SERVICE, NO_SERVICE):
        assert AUTO in matched(ESTATE, begun(service))


def test_ex2_10_for_another_service_it_alone_matches_and_is_chosen() -> None:
    """It is chosen, for no other route matches. MATCH-5, CHOOSE-2."""
    assert matched(ESTATE, begun(A_LOCAL_SERVICE)) == {AUTO}
    assert chosen(ESTATE, begun(A_LOCAL_SERVICE)) == {AUTO}


def test_ex2_11_without_a_local_service_the_conversation_is_delayed() -> None:
    """Without a service for it here, the conversation is marked DELAYED. RT-STEPS, LOC "Fixed"."""
    assert ends(ESTATE, begun(NO_SERVICE)) == {("delayed", "headquarters", "service_not_found")}


def test_ex2_12_from_outside_has_only_autocreatedlocal_to_match() -> None:
    """msdb has no other route for the conversations that come from outside. RT-TABLE."""
    assert routes_of(ESTATE, "msdb") == [AUTO]


def test_ex2_13_from_outside_it_alone_matches_and_is_chosen() -> None:
    """It is alone in the matching set, so it is chosen. MATCH-5, CHOOSE-2."""
    assert matched(ESTATE, from_outside(A_LOCAL_SERVICE)) == {AUTO}
    assert chosen(ESTATE, from_outside(A_LOCAL_SERVICE)) == {AUTO}


def test_ex2_14_from_outside_without_a_local_service_it_is_dropped() -> None:
    """Without a service for it here, the message is dropped, also one for OrderParts. LOC "Fixed"."""
    for service in (NO_SERVICE, "OrderParts"):
        assert ends(ESTATE, from_outside(service)) == {("dropped", "headquarters", "service_not_found")}
