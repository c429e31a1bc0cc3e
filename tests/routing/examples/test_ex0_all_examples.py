"""What the documented examples say before the first of them, of all of them.

Each test is one sentence, in our own words, with the rules that it exercises.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from routing.model.route_table import NO_ROUTES
from routing.rules.journey import outcomes
from tests.routing.example_helpers import (
    AT,
    AUTO,
    HERE,
    begun,
    ends,
    every_service,
    example,
    from_outside,
    matched,
    names,
)

A_GUID = "0f0f0f0f-0000-4000-8000-000000000001"
LATEST = datetime.max.replace(tzinfo=UTC)

each_example = pytest.mark.parametrize("name", names())


@each_example
def test_ex0_01_no_route_ever_expires(name: str) -> None:
    """Every route counts as living for ever: at the end of time everything ends as it does today. RT-TABLE."""
    estate = example(name)
    for service in every_service(estate):
        for conversation in (begun(service), from_outside(service)):
            assert outcomes(estate, conversation, LATEST) == outcomes(estate, conversation, AT)


@each_example
def test_ex0_02_a_null_service_name_matches_any_name(name: str) -> None:
    """A route whose remote_service_name is NULL matches whatever service is asked for. MATCH-5."""
    for service in ("Expenses", "Nowhere", "Any/Name at all", "\u00e9"):
        assert AUTO in matched(example(name), begun(service))


@each_example
def test_ex0_03_a_null_broker_instance_matches_any_identifier(name: str) -> None:
    """A route whose broker_instance is NULL matches whatever identifier the conversation gives. MATCH-5."""
    assert AUTO in matched(example(name), begun("Expenses", A_GUID))
    assert AUTO in matched(example(name), from_outside("Expenses", A_GUID))


@each_example
def test_ex0_04_outgoing_messages_do_not_use_msdb(name: str) -> None:
    """What AdventureWorks begins does not look at the routing table of msdb here. RT-TABLE."""
    estate = example(name)
    # Only the current instance's: at the next one the same message is incoming.
    bare = estate.with_instance(estate.instances[HERE].with_table("msdb", NO_ROUTES))
    for service in every_service(estate):
        assert ends(bare, begun(service)) == ends(estate, begun(service))


@each_example
def test_ex0_05_incoming_and_forwarded_messages_do_not_use_adventureworks(name: str) -> None:
    """Messages from outside, delivered or forwarded, do not use the routing table of AdventureWorks. RT-TABLE."""
    estate = example(name)
    bare = estate.with_instance(estate.instances[HERE].with_table("AdventureWorks", NO_ROUTES))
    for service in every_service(estate):
        assert ends(bare, from_outside(service)) == ends(estate, from_outside(service))
