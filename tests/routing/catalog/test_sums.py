"""Messages that wait and conversations that are open: a line for each database, and for each of its services."""

from __future__ import annotations

from typing import Any

from routing.catalog.document import read_catalog
from routing.catalog.snapshot import CatalogSnapshot
from routing.catalog.sums import sums_of
from routing.model.estate import Database, Instance
from tests.routing.catalog.server import catalog, dumps


def collected(**parts: list[dict[str, Any]]) -> CatalogSnapshot:
    rows = {part: [{"database_id": 5, **row} for row in each] for part, each in parts.items()}
    return read_catalog(dumps(catalog(Instance("s", {"Orders": Database("Orders")}), **rows)), where="f")


def waiting(status: str | None, **more: Any) -> dict[str, Any]:
    return {"to_service_name": "Ship", "transmission_status": status, "messages": 12, **more}


def test_lines() -> None:
    some = collected(
        transmission_queue=[waiting(None), waiting("x")],
        conversation_endpoints=[
            {"state": "DI", "state_desc": "DISCONNECTED_INBOUND", "endpoints": 1900},
            {"state": "CO", "state_desc": None, "endpoints": 100},
        ],
        totals=[{"name": "sysxmitqueue", "table_rows": 24}, {"name": "sysdesend", "table_rows": 48_624_361}],
    )
    assert list(map(str, sums_of("s", some))) == [
        "s/Orders: 24 messages in the transmission queue",
        "s/Orders: 2,000 of about 48,624,361 conversation endpoints: DISCONNECTED_INBOUND 1,900, CO 100",
    ]


def test_states_by_service() -> None:
    some = collected(
        conversation_endpoints=[
            {"service_name": "Mine", "far_service": "A", "state": "DI", "state_desc": None, "endpoints": 5},
            {"service_name": "Mine", "far_service": "B", "state": "DI", "state_desc": None, "endpoints": 4},
            {"service_name": "Other", "far_service": "B", "state": "CO", "state_desc": None, "endpoints": 1},
        ]
    )
    assert list(map(str, sums_of("s", some))) == [
        "s/Orders: 10 conversation endpoints: DI 9, CO 1",
        "s/Orders: conversations of Mine: DI 9",
        "s/Orders: conversations of Other: CO 1",
    ]


def test_nothing_to_say() -> None:
    assert list(map(str, sums_of("s", collected(totals=[{"name": None, "table_rows": None}])))) == []
    assert list(sums_of("s", CatalogSnapshot("f", parts={"Orders": {"routes": ()}}))) == []


def test_empty_queues_are_one_line() -> None:
    empty = {"transmission_queue": ()}
    one = CatalogSnapshot("f", parts={"A": empty})
    assert list(map(str, sums_of("s", one))) == ["s: the transmission queue of A is empty"]
    many = CatalogSnapshot("f", parts={"A": empty, "B": empty, "C": {}})
    assert list(map(str, sums_of("s", many))) == ["s: the transmission queues of 2 databases are empty"]
