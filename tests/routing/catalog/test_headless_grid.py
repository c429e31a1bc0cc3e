"""Grids that were copied without their headings: read where the cells make the columns clear, else refused."""

from __future__ import annotations

import pytest

from routing.catalog.applying import apply_snapshot
from routing.catalog.reading import read_saved
from routing.common.errors import InputError
from routing.model.estate import Estate
from routing.model.route import Route

GUID = "5FB8D92B-ED69-4C80-AFBB-2AA6A7D3CB2D"
WHOLE = (
    "AutoCreatedLocal\t65536\t1\tNULL\tNULL\tNULL\tLOCAL\tNULL\n"
    f"ToDepot\t65537\t1\tTell\t{GUID}\tNULL\ttcp://depot:4022\ttcp://depot2:4022\n"
    "Soon\t65538\t1\tAsk\tNULL\t2031-06-01 00:00:00.000\tTRANSPORT\tNULL\n"
)
"""`SELECT * FROM sys.routes`, as SSMS copies it."""
SOME = f"AutoCreatedLocal\tNULL\tNULL\tLOCAL\nToDepot\tTell\t{GUID}\ttcp://depot:4022\n"
"""Name, service, identifier and address."""


def routes(text: str) -> dict[str, Route]:
    snapshot = read_saved(text.encode(), where="t.txt", database="Sales")
    estate = apply_snapshot(Estate(), "here", snapshot).estate
    return dict(estate.instances["here"].databases["Sales"].table.routes)


def test_the_whole_view_is_read_by_the_order_of_its_columns() -> None:
    found = routes(WHOLE)
    assert list(found) == ["AutoCreatedLocal", "ToDepot", "Soon"]
    depot, soon = found["ToDepot"], found["Soon"]
    assert (depot.remote_service_name, depot.broker_instance) == ("Tell", GUID.lower())
    assert (depot.address.key, depot.mirror_address and depot.mirror_address.key) == (
        "tcp://depot:4022",
        "tcp://depot2:4022",
    )
    assert (soon.remote_service_name, soon.lifetime and soon.lifetime.year, soon.address.key) == (
        "Ask",
        2031,
        "TRANSPORT",
    )
    assert found["AutoCreatedLocal"].remote_service_name is None


@pytest.mark.parametrize(
    "text",
    [
        SOME,
        SOME.replace("\t", ","),
        SOME.replace("\t", ";").replace("NULL", ""),
        SOME.replace("\t", "   "),
        SOME.replace("\n", "\r\n") + "\r\n(2 rows affected)\r\n",
        "".join(f"| {line.replace(chr(9), ' | ')} |\n" for line in SOME.splitlines()),
        SOME.replace("\t", '","').replace("\n", '"\n').replace("AutoCreated", '"AutoCreated').replace("ToDe", '"ToDe'),
        f"\ufeff{SOME}",
    ],
)
def test_columns_are_known_by_their_cells(text: str) -> None:
    found = routes(text)
    assert list(found) == ["AutoCreatedLocal", "ToDepot"]
    assert found["AutoCreatedLocal"].remote_service_name is None
    depot = found["ToDepot"]
    assert (depot.remote_service_name, depot.broker_instance, depot.address.key) == (
        "Tell",
        GUID.lower(),
        "tcp://depot:4022",
    )


@pytest.mark.parametrize(
    ("text", "services"),
    [
        ("AutoCreatedLocal\tNULL\tLOCAL\n", [None]),
        ("A\t//shop/Orders\tLOCAL\nB\t//shop/Bills\ttcp://b:1\n", ["//shop/Orders", "//shop/Bills"]),
        ("A\tOrders\tLOCAL\nB\tOrders\ttcp://b:1\n", ["Orders", "Orders"]),
        ("A\tOrders\tLOCAL\nB\tNULL\ttcp://b:1\n", ["Orders", None]),
    ],
)
def test_name_and_service_are_told_apart(text: str, services: list[str | None]) -> None:
    assert [route.remote_service_name for route in routes(text).values()] == services


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("ToDepot\tTell\ttcp://depot:4022\nToHub\tAsk\ttcp://hub:4022\n", "not clear which column is the name"),
        ("Sales\tAutoCreatedLocal\tLOCAL\nSales\tToDepot\ttcp://depot\n", "not clear which column is the name"),
        ("Tell\tToDepot\ttcp://depot\nTell\tToHub\ttcp://hub\n", "not clear which column is the name"),
        ("Sales\tToDepot\tTell\ttcp://depot\n", "has not two columns of names"),
        (f"A\t//x/y\t{GUID}\t{GUID}\tLOCAL\n", "2 of its columns could be broker_instance"),
    ],
)
def test_columns_that_are_not_clear_are_refused_with_the_reason(text: str, why: str) -> None:
    with pytest.raises(InputError, match="without headings") as fault:
        routes(text)
    assert why in str(fault.value)


@pytest.mark.parametrize("text", ["a,b,c\nd,e,f\n", "1\t2\t3\n", "a\tb\nc\td\te\n", "x", ""])
def test_other_tables_are_no_catalog(text: str) -> None:
    with pytest.raises(InputError, match="holds neither"):
        routes(text)


def test_databases_are_known_by_their_identifiers() -> None:
    snapshot = read_saved(f"Sales\t{GUID}\t1\nOld\t{GUID[:-1]}E\t0\n".encode(), where="d.txt")
    databases = apply_snapshot(Estate(), "here", snapshot).estate.instances["here"].databases
    assert (databases["Sales"].broker_instance, databases["Sales"].broker_enabled) == (GUID.lower(), True)
    assert databases["Old"].broker_enabled is False


def test_the_whole_transmission_queue_is_read() -> None:
    row = f"{GUID}\tTell\tNULL\tAsk\tC\t2026-06-01 10:00:00.000\t0\tM\t0\t0\t0x01\tAn error occurred.\t5\n"
    snapshot = read_saved((row * 3).encode(), where="q.txt", database="Sales")
    (one,) = snapshot.parts["Sales"]["transmission_queue"]
    assert (one["to_service_name"], one["transmission_status"], one["messages"]) == ("Tell", "An error occurred.", 3)
