"""Availability groups: replicas take the roles that routing knows, listeners lead to the primary."""

from __future__ import annotations

from typing import Any

import pytest

from routing.catalog.applying import Applied, apply_snapshot
from routing.catalog.document import read_catalog
from routing.common.errors import InputError
from routing.lint.registry import lint
from routing.model.address import parse_address
from routing.model.catalog_objects import BrokerEndpoint, Service
from routing.model.conversation import Conversation
from routing.model.estate import MIRROR, PRINCIPAL, Database, Estate, Instance
from routing.model.route import Route
from routing.model.route_table import RouteTable
from routing.rules.journey import outcomes
from tests.routing.catalog.server import Json, catalog, dumps
from tests.routing.lint.estates import AT

GUID = "5fb8d92b-ed69-4c80-afbb-2aa6a7d3cb2d"
LISTENER = "tcp://ag-sales.example:5022"
LOCAL = Route("AutoCreatedLocal", None, None, None, parse_address("LOCAL"))


def replica(role: str | None, *, listener: str | None = "ag-sales.example", database_id: int = 5) -> Json:
    """A row as SQL Server gives it; the port of the listener is that for queries."""
    port = 1433 if listener else None
    return {
        "database_id": database_id,
        "group_name": "Sales",
        "role_desc": role,
        "dns_name": listener,
        "port": port,
    }


def said_by(name: str, *rows: Json, endpoint: int | None = 5022, **more: Any) -> Json:
    orders = Database("Orders", GUID, services=(Service("Ship", "dbo.Q", ("C",)),), table=RouteTable((LOCAL,)))
    msdb = Database("msdb", table=RouteTable((LOCAL,)))
    server = Instance(name, {"Orders": orders, "msdb": msdb}, endpoint=BrokerEndpoint(endpoint) if endpoint else None)
    return catalog(server, availability_replicas=list(rows), **more)


def put(estate: Estate, name: str, document: Json, address: str | None = None) -> Applied:
    given = parse_address(address) if address else None
    return apply_snapshot(estate, name, read_catalog(dumps(document), where="f"), given)


def addresses(estate: Estate, name: str) -> list[str]:
    return [address.key for address in estate.instances[name].addresses]


def group() -> Estate:
    estate = put(Estate(), "one", said_by("one", replica("PRIMARY"))).estate
    return put(estate, "two", said_by("two", replica("SECONDARY"))).estate


def test_replicas_have_the_roles_that_routing_knows() -> None:
    estate = group()
    assert estate.instances["one"].databases["Orders"].mirroring_role == PRINCIPAL
    assert estate.instances["two"].databases["Orders"].mirroring_role == MIRROR
    assert estate.instances["one"].databases["msdb"].mirroring_role is None


def test_the_listener_is_at_the_primary_with_the_port_of_the_endpoint() -> None:
    estate = group()
    assert addresses(estate, "one") == ["tcp://one:5022", LISTENER]
    assert addresses(estate, "two") == ["tcp://two:5022"]


def test_a_route_to_the_listener_reaches_the_primary_and_lint_has_nothing_to_say_of_the_pair() -> None:
    table = RouteTable((Route("R", "Ship", None, None, parse_address(LISTENER)), LOCAL))
    at = {"addresses": (parse_address("tcp://shop"),), "endpoint": BrokerEndpoint(4022)}
    asking = Instance("shop", {"Asks": Database("Asks", table=table)}, **at)
    estate = group().with_instance(asking)
    assert [str(end.kind) for end in outcomes(estate, Conversation("shop", "Asks", "Ship"), AT)] == ["delivered"]
    assert lint(estate, AT) == ()


def test_after_a_failover_the_old_primary_gives_the_listener_up() -> None:
    estate = put(group(), "one", said_by("one", replica("SECONDARY"))).estate
    assert addresses(estate, "one") == ["tcp://one:5022"]
    applied = put(estate, "two", said_by("two", replica("PRIMARY")))
    assert applied.findings == ()
    assert addresses(applied.estate, "two") == ["tcp://two:5022", LISTENER]


def test_an_address_of_another_instance_is_not_taken() -> None:
    applied = put(group(), "two", said_by("two", replica("PRIMARY")))
    assert addresses(applied.estate, "two") == ["tcp://two:5022"]
    ((found),) = applied.findings
    assert (found.code, found.severity, str(found.reason)) == (
        "already-exists",
        "warning",
        f'{LISTENER} is an address of "one" already; none was taken',
    )


def test_an_address_that_was_given_stays() -> None:
    applied = put(Estate(), "one", said_by("one", replica("SECONDARY")), LISTENER)
    assert addresses(applied.estate, "one") == [LISTENER]


@pytest.mark.parametrize("row", [replica("PRIMARY", listener=None), replica("PRIMARY", listener="bad:host")])
def test_without_a_listener_the_addresses_stay(row: Json) -> None:
    assert addresses(put(Estate(), "one", said_by("one", row)).estate, "one") == ["tcp://one:5022"]


def test_without_an_endpoint_no_port_is_guessed() -> None:
    estate = put(Estate(), "one", said_by("one", replica("PRIMARY"), endpoint=None)).estate
    assert addresses(estate, "one") == ["tcp://one:4022"]


@pytest.mark.parametrize("rows", [[replica("RESOLVING")], [replica(None)], [replica("PRIMARY"), replica("SECONDARY")]])
def test_a_role_that_is_not_decided_stays_unknown(rows: list[Json]) -> None:
    applied = put(group(), "one", said_by("one", *rows))
    assert applied.estate.instances["one"].databases["Orders"].mirroring_role is None
    ((found),) = applied.findings
    assert (found.code, found.severity, found.database) == ("role-unknown", "info", "Orders")


def test_a_secondary_that_nobody_may_read_is_no_error_and_keeps_what_was_known() -> None:
    document = said_by("two", replica("SECONDARY"))
    document["databases"][0]["is_accessible"] = 0
    for part, rows in document.items():
        if part not in ("databases", "availability_replicas", "server", "endpoints") and isinstance(rows, list):
            rows[:] = [row for row in rows if row["database_id"] != 5]
    applied = put(group(), "two", document)
    assert applied.estate.instances["two"].databases["Orders"].has_service("Ship")
    ((found),) = applied.findings
    assert (found.code, found.severity) == ("not-found", "info")
    assert str(found.reason) == "could not be read: it is a secondary replica of Sales"


def test_a_result_of_an_older_script_keeps_the_roles_of_mirroring() -> None:
    document = said_by("one")
    del document["availability_replicas"]
    document["databases"][0]["mirroring_role_desc"] = PRINCIPAL
    applied = put(Estate(), "one", document)
    assert applied.findings == ()
    assert applied.estate.instances["one"].databases["Orders"].mirroring_role == PRINCIPAL


def test_replicas_of_what_is_not_listed_are_passed_over() -> None:
    assert put(Estate(), "one", said_by("one", replica("PRIMARY", database_id=99))).findings == ()


def test_a_wrong_type_is_told_with_its_path() -> None:
    row = replica("PRIMARY") | {"database_id": "five"}
    with pytest.raises(InputError, match=r"availability_replicas\[0\]\.database_id"):
        put(Estate(), "one", said_by("one", row))


def test_the_listener_is_taken_once() -> None:
    estate = group()
    again = put(estate, "one", said_by("one", replica("PRIMARY")))
    assert (again.estate, again.findings) == (estate, ())
