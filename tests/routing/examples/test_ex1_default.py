"""Example 1, the default configuration: AutoCreatedLocal and nothing else.

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
    services_of,
)

ESTATE = example("1-default")


def test_ex1_01_every_database_but_master_has_autocreatedlocal() -> None:
    """By default each database, master excepted, holds the route AutoCreatedLocal. RT-TABLE."""
    databases = ESTATE.instances["headquarters"].databases
    assert "master" not in databases
    assert all([*database.table.routes] == [AUTO] for database in databases.values())


def test_ex1_02_what_adventureworks_begins_is_delivered_in_this_instance() -> None:
    """Every dialog begun in AdventureWorks goes to a service of the current instance. MATCH-5, CHOOSE-2, LOC-2."""
    for service in services_of(ESTATE, "headquarters"):
        assert delivered_here(ESTATE, begun(service))


def test_ex1_03_what_arrives_from_outside_is_delivered_in_this_instance() -> None:
    """So does every dialog that comes from outside the instance. MATCH-5, CHOOSE-2, LOC-2."""
    for service in services_of(ESTATE, "headquarters"):
        assert delivered_here(ESTATE, from_outside(service))


def test_ex1_04_begun_here_has_only_autocreatedlocal_to_match() -> None:
    """AdventureWorks has no other route for the conversations begun in it. RT-TABLE."""
    assert routes_of(ESTATE, "AdventureWorks") == [AUTO]


def test_ex1_05_begun_here_it_alone_matches_and_is_chosen() -> None:
    """It is alone in the set of matching routes, so it is chosen. MATCH-5, CHOOSE-2."""
    assert matched(ESTATE, begun(A_LOCAL_SERVICE)) == {AUTO}
    assert chosen(ESTATE, begun(A_LOCAL_SERVICE)) == {AUTO}


def test_ex1_06_begun_here_without_a_local_service_it_is_delayed() -> None:
    """Without a service for it here, the original says the message is dropped.

    This project answers DELAYED: for the same situation examples 2, 3, 5, 6 and 7 say so, and the product does it
    (status 9796); a conversation that was begun here has an endpoint here to wait with. LOC "Fixed", RT-STEPS.
    """
    assert ends(ESTATE, begun(NO_SERVICE)) == {("delayed", "headquarters", "service_not_found")}


def test_ex1_07_from_outside_the_steps_are_the_same() -> None:
    """The steps are the same for a conversation that comes from outside. RT-TABLE, RT-STEPS."""
    for service in (A_LOCAL_SERVICE, NO_SERVICE):
        assert rules(ESTATE, from_outside(service)) == rules(ESTATE, begun(service))


def test_ex1_08_from_outside_has_only_autocreatedlocal_to_match() -> None:
    """msdb has no other route for the conversations that come from outside. RT-TABLE."""
    assert routes_of(ESTATE, "msdb") == [AUTO]


def test_ex1_09_from_outside_it_alone_matches_and_is_chosen() -> None:
    """It is alone in the set of matching routes, so it is chosen. MATCH-5, CHOOSE-2."""
    assert matched(ESTATE, from_outside(A_LOCAL_SERVICE)) == {AUTO}
    assert chosen(ESTATE, from_outside(A_LOCAL_SERVICE)) == {AUTO}


def test_ex1_10_from_outside_without_a_local_service_it_is_dropped() -> None:
    """Without a service for it here, the message is dropped. LOC "Fixed"."""
    assert ends(ESTATE, from_outside(NO_SERVICE)) == {("dropped", "headquarters", "service_not_found")}
