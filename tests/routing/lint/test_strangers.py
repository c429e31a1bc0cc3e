"""Faults that people ask about in forums, each in an estate of two or three instances, with their findings.

A sound pair first; every case is that pair with one fault in it.
"""

from __future__ import annotations

from typing import Any

import pytest

from routing.common.finding import INFO
from routing.lint.registry import lint
from tests.routing.lint.estates import AT, LOCAL, PAST, bare, db, estate, finding, findings, route, server

Json = dict[str, Any]
TARGET, INIT = "//t/Target", "//i/Init"
BACK = route("Back", INIT, "a", 1)
LISTENS = {"endpoint": {"port": 4022}}
OFF = {"services": [{"name": TARGET, "queue": "dbo.Q"}], "queues": [{"name": "dbo.Q", "enabled": False}]}
FQDN, LOOP = "tcp://b.corp.example:4022", "tcp://localhost:4022"


def go(to: str = "b", service: str = TARGET, broker: int | None = 2, **more: Any) -> Json:
    return route("Go", service, to, broker, **more)


def a(*routes: Json, **more: Any) -> Json:
    return server("a", db("I", *(routes or (go(),)), services=(INIT,), broker=1), **more)


def target(*routes: Json, **more: Any) -> Json:
    return db("T", *(routes or (BACK,)), services=(TARGET,), broker=2) | more


def b(*routes: Json, **more: Any) -> Json:
    return server("b", target(*routes), **more)


def other(name: str, *databases: Json, **more: Any) -> Json:
    return server(name, *(databases or (db("X", services=("//x/X",)),)), **more)


def forwarder(*databases: Json, on: bool = True) -> Json:
    return server("f", *databases) | {"forwarding": on}


ON = route("On", TARGET, "b")
NEVER = db("T", services=(TARGET,), broker=2)

CASES: dict[str, tuple[list[Json], set[str]]] = {
    "nothing wrong": ([a(), b()], set()),
    "the route was made in msdb of the sender": (
        [server("a", db("I", services=(INIT,), broker=1), bare("msdb", LOCAL, go())), b()],
        {"warning route-in-msdb Go", "error no-return-route I"},
    ),
    "the address of another server": ([a(go("c", broker=None)), b(), other("c")], {"error leads-nowhere Go"}),
    "the identifier from before NEW_BROKER": ([a(go(broker=9)), b()], {"error unknown-identifier Go"}),
    "another case": ([a(go(service="//T/target", broker=None)), b()], {"error similar-service-name Go"}),
    "a space at the end": ([a(go(service=TARGET + " ", broker=None)), b()], {"error similar-service-name Go"}),
    "the port for queries": ([a(go("tcp://b:1433")), b()], {"error wrong-port Go"}),
    "the port of the mirroring endpoint": (
        [a(go("tcp://b:5022"), **LISTENS), b(**LISTENS)],
        {"error wrong-port Go"},
    ),
    "a port that no script tells": ([a(go("tcp://b:7022")), b()], {"warning wrong-port Go"}),
    "LIFETIME is over": ([a(go(lifetime=PAST)), b()], {"error route-expired Go"}),
    "no way back": ([a(), server("b", NEVER)], {"error no-return-route T"}),
    "the way back is in msdb": (
        [a(), server("b", NEVER, bare("msdb", LOCAL, BACK))],
        {"error no-return-route T", "warning route-in-msdb Back"},
    ),
    "the way back has a stale identifier": (
        [a(), b(BACK | {"broker_instance": go(broker=9)["broker_instance"]})],
        {"error unknown-identifier Back"},
    ),
    "the way back names the target": (
        [a(), b(route("Back", TARGET, "a"))],
        {"error no-return-route T", "error leads-nowhere Back"},
    ),
    "AutoCreatedLocal of msdb was dropped": (
        [a(go(broker=None)), server("b", target(), bare("msdb"))],
        {"error outside-goes-nowhere msdb"},
    ),
    "restored, and the broker not enabled": (
        [a(), server("b", target(broker_enabled=False))],
        {"error broker-disabled T"},
    ),
    "restored on a second server": ([a(), b(), server("c", target())], {"warning duplicate-identifier T"}),
    "poisoned": ([a(), server("b", target(**OFF))], {"error queue-off dbo.Q"}),
    "the endpoint was never started": (
        [a(**LISTENS), b(endpoint={"port": 4022, "state": "STOPPED"})],
        {"error endpoint-stopped b"},
    ),
    "no endpoint": ([a(**LISTENS), b()], {"warning no-endpoint b"}),
    "localhost": ([a(go(LOOP)), b()], {"warning unknown-address Go"}),
    "a full name where a short one is known": ([a(go(FQDN)), b()], {"warning unknown-address Go"}),
    "forwarding is off": (
        [a(go("f")), forwarder(bare("msdb", LOCAL, ON), on=False), b()],
        {"error forwarding-off f"},
    ),
    "the forwarder has its route in a user database": (
        [a(go("f")), forwarder(db("U", ON)), b()],
        {"error leads-nowhere Go"},
    ),
    "failed over without MIRROR_ADDRESS": (
        [a(), server("b", target(mirroring_role="MIRROR")), server("c", target(mirroring_role="PRINCIPAL"))],
        {"error leads-nowhere Go"},
    ),
    "https for http": (
        [a(go(service="https://t/T", broker=None)), server("b", target(services=["http://t/T"]))],
        {"error similar-service-name Go"},
    ),
    "a neighbour's AutoCreatedLocal was dropped": (
        [server("a", db("I", services=(INIT,)), bare("T", services=(TARGET,)))],
        {"error no-autocreatedlocal T"},
    ),
    "LOCAL with the identifier of the sender": (
        [server("a", db("I", go("LOCAL", broker=1), services=(INIT,), broker=1), NEVER)],
        {"error unknown-identifier Go"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_told(name: str) -> None:
    instances, expected = CASES[name]
    found = [f for f in lint(estate(*instances), AT) if f.severity != INFO]
    assert {f"{f.severity} {f.code} {f.object}" for f in found} == expected


# ---------------------------------------------------------------- a route to where its service is not


def test_the_address_of_the_one_server_with_it_is_proposed() -> None:
    found = finding("leads-nowhere", a(go("c", broker=None)), b(), other("c"))
    assert str(found.reason) == "Conversations to //t/Target end on c, which does not have it; it is on b."
    assert found.remedy_sql == "USE [I];\nALTER ROUTE [Go] WITH ADDRESS = N'tcp://b:4022';"


def test_to_a_neighbour_it_is_local() -> None:
    here = server("a", db("I", go("c", broker=None), services=(INIT,)), target())
    assert "N'LOCAL'" in str(finding("leads-nowhere", here, other("c")).remedy_sql)


def test_one_that_names_a_service_of_its_own_database_meant_another() -> None:
    assert finding("leads-nowhere", a(), b(route("Back", TARGET, "a"))).remedy_sql is None


def test_who_forwards_should_send_it_on() -> None:
    assert finding("leads-nowhere", a(go("f")), forwarder(db("U", ON)), b()).remedy_sql is None
    closed = finding("leads-nowhere", a(go("f")), forwarder(bare("msdb")), b())
    assert str(closed.reason) == "Conversations to //t/Target end on f, where no route matches; it is on b."


def test_after_a_failover_the_principal_becomes_a_partner() -> None:
    pair = [server(name, target(mirroring_role=role)) for name, role in (("b", "MIRROR"), ("c", "PRINCIPAL"))]
    found = finding("leads-nowhere", a(), *pair)
    assert str(found.reason) == "The database with //t/Target on b is a mirror and takes no messages."
    assert found.remedy_sql == "USE [I];\nALTER ROUTE [Go] WITH MIRROR_ADDRESS = N'tcp://c:4022';"


def test_partners_neither_of_which_is_the_principal() -> None:
    mirrored = go(mirror_address="tcp://c:4022")
    mirror = server("b", target(mirroring_role="MIRROR"))
    found = finding("leads-nowhere", a(mirrored), mirror, other("c"))
    assert "role PRINCIPAL" in str(found.reason)
    assert findings("leads-nowhere", a(mirrored), b(), other("c")) == []  # a role that is not told may be that


def test_a_service_that_nobody_has_is_a_warning_where_services_are_told() -> None:
    nobody = a(go("c", "//n/Nobody", None))
    assert finding("leads-nowhere", nobody, other("c")).severity == "warning"
    assert findings("leads-nowhere", nobody, other("c", db("X"))) == []


def test_a_request_or_a_way_out_is_left() -> None:
    request_route = route("Ask", "SQL/ServiceBroker/BrokerConfiguration", "b")
    nobody = a(go("c", "//n/Nobody", None), route("Out", "//n/Nobody", "gone"), request_route)
    assert findings("leads-nowhere", nobody, other("c")) == []


def test_a_service_that_nobody_tells_ends_where_no_route_matches() -> None:
    there = server("b", db("E", services=("Bill",)), bare("msdb", route("Other", "Other", "c")))
    found = finding("leads-nowhere", server("a", db("D", route("Go", "X", "b"))), there)
    assert str(found.reason) == "Conversations to X end on b, where no route matches."
    assert (found.severity, found.remedy_sql) == ("warning", None)
