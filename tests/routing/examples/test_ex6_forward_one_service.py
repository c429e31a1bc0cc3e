"""Example 6, forwarding the messages for one service.

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
    routes_of,
    rules,
    sent_to,
    services_of,
    with_copy,
)

ESTATE = example("6-forward-one-service")
FORWARDING = "ForwardingRoute"
ADDRESS = "tcp://elsewhere.adventure-works.com:4022"
ELSEWHERE = "ElsewhereService"
AT_ELSEWHERE = ("delivered", "elsewhere", "Elsewhere")
OTHERS = sorted(every_service(ESTATE) - {ELSEWHERE})

on_and_off = pytest.mark.parametrize("active", [True, False], ids=["on", "off"])


def test_ex6_01_messages_from_outside_for_one_service_are_forwarded() -> None:
    """Messages from outside for ElsewhereService are forwarded to its network address. MATCH-2, CHOOSE-3."""
    assert sent_to(ESTATE, from_outside(ELSEWHERE)) == {ADDRESS}
    assert ends(ESTATE, Conversation("branch", "Sales", ELSEWHERE)) == {AT_ELSEWHERE}


@on_and_off
def test_ex6_02_other_messages_are_delivered_in_this_instance_or_dropped(active: bool) -> None:
    """For other services it is delivered on this instance; else, says the introduction of the example, DELAYED.

    The introduction says so where "the local database" has no such service. The detail of the same example says that
    the message is dropped, where the *instance* has none, and so answers this project: a message from outside has no
    conversation here that could be marked, and msdb routes for all databases.
    MATCH-5, CHOOSE-2, LOC-2, MATCH-7 "Fixed".
    """
    estate = forwarding(ESTATE, active)
    for service in services_of(estate, "headquarters"):
        assert delivered_here(estate, from_outside(service))
    assert ends(estate, from_outside(NO_SERVICE)) == {("dropped", "headquarters", "service_not_found")}


def test_ex6_03_begun_here_has_only_autocreatedlocal_to_match() -> None:
    """AdventureWorks has no other route for the conversations begun in it. RT-TABLE."""
    assert routes_of(ESTATE, "AdventureWorks") == [AUTO]


def test_ex6_04_begun_here_it_alone_matches_and_is_chosen() -> None:
    """It is alone in the matching set, so it is chosen. MATCH-5, CHOOSE-2."""
    for service in (A_LOCAL_SERVICE, ELSEWHERE, NO_SERVICE):
        assert matched(ESTATE, begun(service)) == {AUTO}
        assert chosen(ESTATE, begun(service)) == {AUTO}


def test_ex6_05_begun_here_without_a_local_service_it_is_delayed() -> None:
    """Without a service for it here, the conversation is marked DELAYED. RT-STEPS, LOC "Fixed"."""
    assert ends(ESTATE, begun(NO_SERVICE)) == {("delayed", "headquarters", "service_not_found")}


@on_and_off
def test_ex6_06_a_conversation_begun_here_is_not_sent_elsewhere(active: bool) -> None:
    """One that AdventureWorks begins with ElsewhereService does not take the route in msdb. RT-TABLE."""
    estate = forwarding(ESTATE, active)
    assert sent_to(estate, begun(ELSEWHERE)) == set()
    assert ends(estate, begun(ELSEWHERE)) == {("delayed", "headquarters", "service_not_found")}
    assert ends(with_copy(estate, ELSEWHERE), begun(ELSEWHERE)) == {("delivered", "headquarters", "Finance")}


def test_ex6_07_from_outside_the_route_has_exactly_the_name_of_the_service() -> None:
    """For messages from outside for ElsewhereService, ForwardingRoute has exactly that name. MATCH-2."""
    assert FORWARDING in matched(ESTATE, from_outside(ELSEWHERE))
    assert "MATCH-2" in rules(ESTATE, from_outside(ELSEWHERE))
    assert matched(ESTATE, from_outside("elsewhereservice")) == {AUTO}


def test_ex6_08_with_forwarding_on_it_alone_matches_and_is_chosen() -> None:
    """So it is alone in the matching set, and it is chosen when forwarding is on. MATCH-2, CHOOSE-3, CHOOSE-FWD."""
    estate = forwarding(ESTATE, True)
    assert matched(estate, from_outside(ELSEWHERE)) == {FORWARDING}
    assert chosen(estate, from_outside(ELSEWHERE)) == {FORWARDING}
    assert ends(estate, from_outside(ELSEWHERE)) == {AT_ELSEWHERE}


def test_ex6_09_it_is_chosen_even_where_this_instance_has_the_service() -> None:
    """It is chosen even when this instance has a service ElsewhereService itself. MATCH-2, CHOOSE-3."""
    estate = with_copy(ESTATE, ELSEWHERE)
    assert chosen(estate, from_outside(ELSEWHERE)) == {FORWARDING}
    assert ends(estate, from_outside(ELSEWHERE)) == {AT_ELSEWHERE}


def test_ex6_10_with_forwarding_off_the_message_is_dropped() -> None:
    """With forwarding off, the message is dropped, a local copy or not. CHOOSE-FWD."""
    estate = forwarding(ESTATE, False)
    for edited in (estate, with_copy(estate, ELSEWHERE)):
        assert ends(edited, from_outside(ELSEWHERE)) == {("dropped", "headquarters", "forwarding_disabled")}
        assert "CHOOSE-FWD" in rules(edited, from_outside(ELSEWHERE))


@on_and_off
def test_ex6_11_from_outside_for_another_service_only_autocreatedlocal_matches(active: bool) -> None:
    """For all other services that come from outside, AutoCreatedLocal is the only match in msdb. MATCH-5."""
    for service in OTHERS:
        assert matched(forwarding(ESTATE, active), from_outside(service)) == {AUTO}


@on_and_off
def test_ex6_12_from_outside_for_another_service_it_is_chosen(active: bool) -> None:
    """That route is chosen. CHOOSE-2."""
    for service in OTHERS:
        assert chosen(forwarding(ESTATE, active), from_outside(service)) == {AUTO}


@on_and_off
def test_ex6_13_from_outside_without_a_local_service_it_is_dropped(active: bool) -> None:
    """Without a service for it on this instance, the message is dropped. LOC "Fixed", MATCH-7 "Fixed"."""
    estate = forwarding(ESTATE, active)
    for service in set(OTHERS) - services_of(ESTATE, "headquarters"):
        assert ends(estate, from_outside(service)) == {("dropped", "headquarters", "service_not_found")}
