"""Example 3, a network route to a mirrored database.

Each test is one sentence of the example, in our own words, with the rules that it exercises. The product would refuse
the route of this example (error 9661: a mirror address wants a service name and an identifier); it routes anyway.
"""

from __future__ import annotations

from dataclasses import replace

from tests.routing.example_helpers import (
    A_LOCAL_SERVICE,
    AUTO,
    NO_SERVICE,
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
    with_role,
)

ESTATE = example("3-mirrored-database")
ROUTE = "OrderPartsRoute"
ORDER_PARTS = begun("OrderParts")
PARTNER1, PARTNER2 = "tcp://partner1.adventure-works.com:4022", "tcp://partner2.adventure-works.com:4022"


def test_ex3_01_the_route_serves_the_database_that_begins_the_conversation() -> None:
    """A route to a service elsewhere is made in the database that begins the conversation. RT-TABLE."""
    assert sent_to(ESTATE, ORDER_PARTS) == {PARTNER1}
    assert sent_to(ESTATE, begun("OrderParts", database="Finance")) == set()


def test_ex3_02_adventureworks_has_a_route_for_orderparts() -> None:
    """AdventureWorks holds a route for the service OrderParts. RT-TABLE."""
    assert table_of(ESTATE, "AdventureWorks").routes[ROUTE].remote_service_name == "OrderParts"


def test_ex3_03_the_route_has_an_address_and_a_mirror_address() -> None:
    """That route holds a network address and a mirror address. MIR-1."""
    route = table_of(ESTATE, "AdventureWorks").routes[ROUTE]
    assert route.mirror_address is not None
    assert (route.address.key, route.mirror_address.key) == (PARTNER1, PARTNER2)


def test_ex3_04_the_set_has_the_route_whose_name_is_exactly_the_service() -> None:
    """OrderPartsRoute is in the matching set because it has exactly the name of the service. MATCH-2, MIR-1."""
    assert ROUTE in matched(ESTATE, ORDER_PARTS)
    assert "MATCH-2" in rules(ESTATE, ORDER_PARTS)


def test_ex3_05_it_alone_matches_and_is_chosen() -> None:
    """No other route matches, so it is chosen. MATCH-2, CHOOSE-1."""
    assert matched(ESTATE, ORDER_PARTS) == {ROUTE}
    assert chosen(ESTATE, ORDER_PARTS) == {ROUTE}
    assert "CHOOSE-1" in rules(ESTATE, ORDER_PARTS)


def test_ex3_06_both_addresses_are_asked_and_the_principal_gets_the_message() -> None:
    """Both addresses are asked which partner is the principal; the message goes to that one. MIR-2, MIR-3, MIR-4."""
    swapped = with_role(with_role(ESTATE, "partner1", "Parts", "MIRROR"), "partner2", "Parts", "PRINCIPAL")
    neither = with_role(ESTATE, "partner1", "Parts", "MIRROR")
    assert ends(ESTATE, ORDER_PARTS) == {("delivered", "partner1", "Parts")}
    assert ends(swapped, ORDER_PARTS) == {("delivered", "partner2", "Parts")}
    assert ends(neither, ORDER_PARTS) == {("delayed", "headquarters", "no_principal")}


def test_ex3_07_for_another_service_the_set_has_autocreatedlocal() -> None:
    """For any other target, AutoCreatedLocal is in the matching set. MATCH-5."""
    for service in (A_LOCAL_SERVICE, NO_SERVICE):
        assert AUTO in matched(ESTATE, begun(service))


def test_ex3_08_for_another_service_it_alone_matches_and_is_chosen() -> None:
    """It is chosen, for no other route matches. MATCH-5, CHOOSE-2."""
    assert matched(ESTATE, begun(A_LOCAL_SERVICE)) == {AUTO}
    assert chosen(ESTATE, begun(A_LOCAL_SERVICE)) == {AUTO}


def test_ex3_09_without_a_local_service_the_conversation_is_delayed() -> None:
    """Without a service for it here, the conversation is marked DELAYED. RT-STEPS, LOC "Fixed"."""
    assert ends(ESTATE, begun(NO_SERVICE)) == {("delayed", "headquarters", "service_not_found")}


def test_ex3_10_from_outside_has_only_autocreatedlocal_to_match() -> None:
    """msdb has no other route for the conversations that come from outside. RT-TABLE."""
    assert routes_of(ESTATE, "msdb") == [AUTO]


def test_ex3_11_from_outside_it_alone_matches_and_is_chosen() -> None:
    """It is alone in the matching set, so it is chosen. MATCH-5, CHOOSE-2."""
    assert matched(ESTATE, from_outside(A_LOCAL_SERVICE)) == {AUTO}
    assert chosen(ESTATE, from_outside(A_LOCAL_SERVICE)) == {AUTO}


def test_ex3_12_from_outside_without_a_local_service_it_is_dropped() -> None:
    """Without a service for it here, the message is dropped. LOC "Fixed"."""
    assert ends(ESTATE, from_outside(NO_SERVICE)) == {("dropped", "headquarters", "service_not_found")}


def test_ex3_with_the_identifier_that_the_product_demands_it_ends_at_the_same_database() -> None:
    """No sentence of the example: what to write instead of the route that the product refuses. MATCH-3, CHOOSE-1."""
    identifier = ESTATE.instances["partner1"].databases["Parts"].broker_instance
    lawful = replace(table_of(ESTATE, "AdventureWorks").routes[ROUTE], broker_instance=identifier)
    estate = ESTATE.with_route("headquarters", "AdventureWorks", ROUTE, lawful)
    assert rules(estate, ORDER_PARTS) == ["MATCH-3", "CHOOSE-1", "MIR-2"]
    assert ends(estate, ORDER_PARTS) == ends(ESTATE, ORDER_PARTS)
