"""The example estates: canonical documents with exactly the routing tables of the documented examples."""

from __future__ import annotations

import pytest

from routing.documents.estate_document import write_estate
from routing.model.conversation import Conversation
from routing.rules.journey import outcomes
from tests.routing.example_helpers import AT, EXAMPLES, HERE, example, names, table_of

AUTO = ("AutoCreatedLocal", None, None, "LOCAL", None)
HOST2 = "tcp://host2.Adventure-Works.com:4022/"
PARTNER1, PARTNER2 = "tcp://partner1.Adventure-Works.com: 4022/", "tcp://partner2.Adventure-Works.com:4022/"
FORWARDING = "tcp://forwarding.Adventure-Works.com:4022/"
ELSEWHERE = "tcp://elsewhere.Adventure-Works.com:4022/"
ONE = ("5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d", "tcp://server1.Adventure-Works.com:4022/")
TWO = ("81b1d3d0-288e-4d2c-b1d3-456cbb944b4f", "tcp://server2.Adventure-Works.com:4022/")

TABLES = {
    "1-default": ([AUTO], [AUTO]),
    "2-network-route": ([AUTO, ("OrderPartsRoute", "OrderParts", None, HOST2, None)], [AUTO]),
    "3-mirrored-database": ([AUTO, ("OrderPartsRoute", "OrderParts", None, PARTNER1, PARTNER2)], [AUTO]),
    "4-everything-external": ([AUTO, ("ExternalRoute", None, None, FORWARDING, None)], [AUTO]),
    "5-load-balancing": (
        [
            AUTO,
            ("BalancedRouteOne", "BalancedService", *ONE, None),
            ("BalancedRouteTwo", "BalancedService", *TWO, None),
        ],
        [AUTO],
    ),
    "6-forward-one-service": ([AUTO], [AUTO, ("ForwardingRoute", "ElsewhereService", None, ELSEWHERE, None)]),
    "7-forward-everything": ([AUTO], [AUTO, ("ForwardingRoute", None, None, FORWARDING, None)]),
}


def table(name: str, database: str) -> list[tuple[str | None, ...]]:
    return [
        (
            route.name,
            route.remote_service_name,
            route.broker_instance,
            route.address.text,
            route.mirror_address.text if route.mirror_address else None,
        )
        for route in table_of(example(name), database).routes.values()
    ]


def test_there_are_seven() -> None:
    assert names() == sorted(TABLES)


@pytest.mark.parametrize("name", TABLES)
def test_the_document_is_canonical(name: str) -> None:
    assert write_estate(example(name)) == (EXAMPLES / f"{name}.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", TABLES)
def test_adventureworks_and_msdb_have_the_tables_of_the_example(name: str) -> None:
    assert (table(name, "AdventureWorks"), table(name, "msdb")) == TABLES[name]


@pytest.mark.parametrize("name", TABLES)
def test_every_identifier_is_known_and_only_mirrored_partners_share_one(name: str) -> None:
    databases = [d for instance in example(name).instances.values() for d in instance.databases.values()]
    own = [d.broker_instance for d in databases if d.mirroring_role != "MIRROR"]
    assert None not in own
    assert len(set(own)) == len(own)


@pytest.mark.parametrize("name", [name for name in TABLES if name != "2-network-route"])
def test_replies_find_the_way_back_to_what_these_examples_are_about(name: str) -> None:
    assert {kind for kind, _, _ in replies(name)} == {"delivered"}


def test_example_2_lacks_the_return_route_and_the_reply_waits_at_host2_unseen() -> None:
    """The classic fault of a first set-up: the way there is configured, the way back is not."""
    assert replies("2-network-route") >= {("delayed", "host2", "service_not_found")}


def replies(name: str) -> set[tuple[str, str, str]]:
    """Where the replies end to all that AdventureWorks or, in its name, the branch can begin."""
    estate = example(name)
    senders = {
        "6-forward-one-service": ("branch", "Sales", ["ElsewhereService", "Expenses"]),
        "7-forward-everything": ("branch", "Sales", ["OrderParts", "Expenses"]),
    }
    targets = ["OrderParts", "BalancedService", "Expenses"]
    instance, database, services = senders.get(name, (HERE, "AdventureWorks", targets))
    origin = estate.instances[instance].databases[database]
    found = set()
    for to_service in services:
        for end in outcomes(estate, Conversation(instance, database, to_service), AT):
            if end.kind == "delivered":
                for own in origin.services:
                    reply = Conversation(end.instance, end.detail, own.name, origin.broker_instance, is_reply=True)
                    found |= {tuple(outcome) for outcome in outcomes(estate, reply, AT)}
    return found
