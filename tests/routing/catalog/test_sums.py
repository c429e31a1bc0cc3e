"""Messages that wait and conversations that are open: findings where the server names a known reason, else lines."""

from __future__ import annotations

from typing import Any

import pytest

from routing.catalog.document import read_catalog
from routing.catalog.snapshot import CatalogSnapshot
from routing.catalog.sums import findings_of_sums, sums_of
from routing.lint.registry import CHECKS
from routing.model.estate import Database, Instance
from tests.routing.catalog.server import catalog, dumps


def told(**parts: list[dict[str, Any]]) -> CatalogSnapshot:
    rows = {part: [{"database_id": 5, **row} for row in each] for part, each in parts.items()}
    return read_catalog(dumps(catalog(Instance("s", {"Orders": Database("Orders")}), **rows)), where="f")


def waiting(status: str | None, **more: Any) -> dict[str, Any]:
    return {"to_service_name": "Ship", "transmission_status": status, "messages": 12, **more}


@pytest.mark.parametrize(
    ("status", "code"),
    [
        ("The broker is disabled in the sender's database.", "broker-disabled"),
        ("The Service Broker protocol transport is not available.", "no-endpoint"),
        ("The Service Broker protocol transport is disabled or not configured.", "no-endpoint"),
        ("Message forwarding is disabled.", "forwarding-off"),
        ("One or more messages could not be delivered: the target queue is disabled.", "queue-off"),
        ("Could not find the target broker in the local SQL Server instance.", "unknown-identifier"),
        ("No route matches the destination service name for this conversation.", "not-found"),
        ("The target service name could not be found.", "not-found"),
        ("Matched a LOCAL route, but there is no service by that name in the local instance.", "not-found"),
    ],
)
def test_a_reason_that_is_known(status: str, code: str) -> None:
    (finding,) = findings_of_sums("s", told(transmission_queue=[waiting(status)]))
    assert (finding.code, finding.severity, finding.instance) == (code, "warning", "s")
    assert (finding.database, finding.object, finding.file) == ("Orders", "Ship", "f")
    assert str(finding.reason) == f'12 messages wait: "{status}"'
    assert code == "not-found" or code in {check.code for check in CHECKS}


def test_since_when() -> None:
    row = waiting("Message forwarding is disabled.", oldest="2026-06-01T09:00:00.123")
    (finding,) = findings_of_sums("s", told(transmission_queue=[row]))
    assert "12 messages wait, the oldest since 2026-06-01T09:00:00.123" in str(finding.reason)


@pytest.mark.parametrize("status", [None, "", "Connection attempt failed with error: '10061'."])
def test_any_other_reason_is_no_finding(status: str | None) -> None:
    assert list(findings_of_sums("s", told(transmission_queue=[waiting(status)]))) == []


def test_lines() -> None:
    some = told(
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


def test_nothing_to_say() -> None:
    assert list(sums_of("s", told(totals=[{"name": None, "table_rows": None}]))) == []
