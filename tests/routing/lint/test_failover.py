"""What breaks at the next failover of an availability group."""

from __future__ import annotations

from typing import Any

import pytest

from tests.routing.lint.estates import about, bare, db, finding, findings, guid, route, server

LISTENER = "tcp://leafag:4022"
CODES = ("route-to-replica", "replica-endpoint", "replica-routes")


def replica(name: str, role: str, *databases: dict[str, Any], port: int = 4022, **more: Any) -> dict[str, Any]:
    own = [f"tcp://{name}:{port}", *([LISTENER] if role == "PRINCIPAL" else [])]
    services = ("In",) if role == "PRINCIPAL" else ()
    leaf = db("LeafDb", services=services, broker=2, mirroring_role=role)
    return server(name, leaf, *databases, **{"addresses": own, "endpoint": {"port": port}} | more)


def hub(to: str, service: str | None = "In", **more: Any) -> dict[str, Any]:
    return server("hub", db("HubDb", route("Send", service, to, **more), services=("Ask",), broker=1))


FIRST, SECOND = replica("leaf1", "PRINCIPAL"), replica("leaf2", "MIRROR")


@pytest.mark.parametrize("service", ["In", None])
def test_a_route_to_the_machine_although_there_is_a_listener(service: str | None) -> None:
    found = finding("route-to-replica", hub("leaf1", service), FIRST, SECOND)
    assert about(found) == ("warning", "hub", "HubDb", "Send")
    assert "its listener is tcp://leafag:4022" in str(found.reason)
    assert found.remedy_sql == f"USE [HubDb];\nALTER ROUTE [Send] WITH ADDRESS = N'{LISTENER}';"


@pytest.mark.parametrize("to", ["leafag", "leaf2"])
def test_a_route_to_the_listener_is_sound_and_one_to_the_secondary_no_matter_of_this(to: str) -> None:
    assert findings("route-to-replica", hub(to), FIRST, SECOND) == []


NUMBERED = ["tcp://leaf1:4022", "tcp://127.0.0.1:4022", "tcp://10.0.0.1:4022", "tcp://[::1]:4022"]


@pytest.mark.parametrize("addresses", [["tcp://leaf1:4022", "tcp://leaf1.example:4022"], NUMBERED])
def test_without_a_listener_the_route_lacks_the_address_of_the_mirror(addresses: list[str]) -> None:
    found = finding("route-to-replica", hub("leaf1"), FIRST | {"addresses": addresses}, SECOND)
    assert "LeafDb on leaf1 is mirrored on leaf2, and the route knows no other address" in str(found.reason)
    changes = f"BROKER_INSTANCE = N'{guid(2)}', MIRROR_ADDRESS = N'tcp://leaf2:4022'"
    assert found.remedy_sql == f"USE [HubDb];\nALTER ROUTE [Send] WITH {changes};"


def test_without_a_second_replica_or_for_another_service_there_is_nothing_to_prefer() -> None:
    assert findings("route-to-replica", hub("leaf1"), FIRST) == []
    without = FIRST | {"addresses": ["tcp://leaf1:4022"]}
    for other in (
        hub("leaf1", None),
        hub("leaf1", "Elsewhere"),
        hub("leaf1", broker=3),
        hub("leaf1", broker=2, mirror_address="tcp://leaf2:4022"),
    ):
        assert findings("route-to-replica", other, without, SECOND) == []


@pytest.mark.parametrize(
    ("second", "says", "remedy"),
    [
        (
            replica("leaf2", "MIRROR", port=4023),
            "listens on port 4023, that of leaf1 on 4022",
            "AS TCP (LISTENER_PORT = 4022);",
        ),
        (
            replica("leaf2", "MIRROR", endpoint=None),
            "No endpoint is known",
            "AS TCP (LISTENER_PORT = 4022) FOR SERVICE",
        ),
        (
            replica("leaf2", "MIRROR", endpoint={"port": 4022, "state": "STOPPED"}),
            "Its endpoint is STOPPED",
            "STARTED;",
        ),
    ],
)
def test_an_endpoint_that_cannot_take_over(second: dict[str, Any], says: str, remedy: str) -> None:
    found = finding("replica-endpoint", FIRST, second)
    assert about(found) == ("warning", "leaf2", None, "leaf2")
    assert says in str(found.reason)
    assert found.remedy_sql is not None
    assert remedy in found.remedy_sql


def test_another_port_is_sound_without_a_listener() -> None:
    mirrored = FIRST | {"addresses": ["tcp://leaf1:4022"]}
    assert findings("replica-endpoint", mirrored, replica("leaf2", "MIRROR", port=4023)) == []


@pytest.mark.parametrize("routes", [(), (route("R", "Else"),)])
def test_an_msdb_without_the_routes_of_the_other(routes: tuple[dict[str, Any], ...]) -> None:
    found = finding("replica-routes", FIRST, replica("leaf2", "MIRROR", bare("msdb", *routes)))
    assert about(found) == ("warning", "leaf2", "msdb", "msdb")
    assert found.remedy_sql == "USE [msdb];\nCREATE ROUTE [AutoCreatedLocal] WITH ADDRESS = N'LOCAL';"


def test_a_route_of_msdb_that_leads_on_is_lacking_too() -> None:
    first = replica("leaf1", "PRINCIPAL", db("msdb", route("On", "Far", "hub")), forwarding=True)
    found = finding("replica-routes", first, SECOND, server("hub"))
    assert "for Far" in str(found.reason)
    assert "CREATE ROUTE [On] WITH SERVICE_NAME = N'Far', ADDRESS = N'tcp://hub:4022';" in str(found.remedy_sql)


def test_equal_replicas_are_sound() -> None:
    explicit = replica("leaf1", "PRINCIPAL", db("msdb", route("Recv", "In")))
    for first in (FIRST, explicit):
        assert [found for code in CODES for found in findings(code, hub("leafag"), first, SECOND)] == []
