"""Findings about collected messages and conversations: what waited, since when, why, and the way back of blank ones."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from routing.common.finding import Finding
from routing.documents.estate_document import read_estate
from routing.lint.collected import OF_COLLECTED, collected_findings
from routing.lint.registry import lint
from routing.model.estate import Estate
from tests.strategies import Json

AT = datetime(2030, 1, 1, tzinfo=UTC)
COLLECTED = "2026-06-01T12:00:00Z"
LOCAL = {"name": "AutoCreatedLocal", "address": "LOCAL"}


def document(*rows: Json, back: Json | None = None, collected_at: str | None = COLLECTED, **database: Any) -> Estate:
    """shop/Orders sends to Ship in depot/Parts; `back` is the route of Parts to the way back."""
    there = {"name": "ToShip", "remote_service_name": "Ship", "address": "tcp://depot:4022"}
    orders = {
        "name": "Orders",
        "services": ["Mine"],
        "routes": [LOCAL, there],
        "transmission_queue": {"collected_at": collected_at, "rows": list(rows)},
        **database,
    }
    parts = {"name": "Parts", "services": ["Ship"], "routes": [LOCAL, *([back] if back else [])]}
    msdb = {"name": "msdb", "routes": [LOCAL]}
    instances = [
        {"name": "shop", "addresses": ["tcp://shop:4022"], "databases": [orders, msdb]},
        {"name": "depot", "addresses": ["tcp://depot:4022"], "databases": [parts, msdb]},
    ]
    return read_estate(json.dumps({"format": "brokerui.estate/1", "instances": instances}))


def blank(**more: Any) -> Json:
    return {"messages": 12, "status": "", "to_service": "Ship", "oldest": "2026-06-01T10:00:00Z", **more}


def waiting(estate: Estate) -> list[Finding]:
    return [found for found in lint(estate, AT) if found.code in OF_COLLECTED and found.object in ("Ship", "Far", None)]


def the_one(estate: Estate) -> Finding:
    (found,) = waiting(estate)
    return found


def test_a_blank_status_and_no_way_back() -> None:
    found = the_one(document(blank()))
    assert (found.code, found.severity, found.instance) == ("not-acknowledged", "warning", "shop")
    assert (found.database, found.object, found.remedy_sql) == ("Orders", "Ship", None)
    assert str(found.reason).startswith(
        "12 messages to Ship: no status. The oldest waits since 2026-06-01T10:00:00Z, for 2 h 0 min at 2026-06-01T12"
    )
    assert str(found.reason).endswith(
        "No acknowledgement comes back: in Parts on depot, no route leads to Mine. Create one there, to tcp://shop:4022."
    )


def test_the_route_that_it_asks_for_brings_them_back() -> None:
    back = {"name": "Back", "remote_service_name": "Mine", "address": "tcp://shop:4022"}
    found = the_one(document(blank(), back=back))
    assert "By the routes of this estate acknowledgements do come back" in str(found.reason)


def test_acknowledgements_that_go_elsewhere() -> None:
    back = {"name": "Back", "remote_service_name": "Mine", "address": "tcp://third:4022"}
    reason = str(the_one(document(blank(), back=back)).reason)
    assert "from Parts on depot to Mine: it ends out of this estate, at tcp://third:4022." in reason


@pytest.mark.parametrize(
    ("row", "more", "expected"),
    [
        (blank(to_service="Far"), {}, "would not be sent at all (service not found, on shop)"),
        (blank(to_service=None), {}, "collect to_service_name, too"),
        (blank(), {"broker_enabled": False}, "The broker of Orders is disabled in this estate: it sends nothing"),
        (blank(), {"services": []}, "collect from_service_name, too"),
        (blank(from_service="Mine"), {"services": []}, "no route leads to Mine"),
    ],
)
def test_what_else_the_estate_says(row: Json, more: Json, expected: str) -> None:
    assert expected in str(the_one(document(row, **more)).reason)


def test_messages_that_leave_the_estate() -> None:
    route = {"name": "Out", "remote_service_name": "Far", "address": "tcp://third:4022"}
    reason = str(the_one(document(blank(to_service="Far"), routes=[LOCAL, route])).reason)
    assert "They go to tcp://third:4022, which is no instance of this estate" in reason


@pytest.mark.parametrize(
    ("oldest", "severity"),
    [("2026-06-01T11:55:00Z", "info"), ("2026-06-01T11:45:00Z", "warning"), (None, "warning")],
)
def test_messages_that_were_only_just_sent_are_no_warning(oldest: str | None, severity: str) -> None:
    assert the_one(document(blank(oldest=oldest))).severity == severity


def test_a_line_for_each_status_of_a_service() -> None:
    refused = "Connection attempt failed with error: '10061(refused)'."
    timed_out = "Connection attempt failed with error: '10060(timed out)'."
    found = waiting(document(blank(status=refused), blank(status=timed_out, messages=1), blank()))
    assert [(one.code, one.severity) for one in found] == [
        ("connection-failed", "warning"),
        ("connection-failed", "warning"),
        ("not-acknowledged", "warning"),
    ]
    assert "1 message to Ship" in str(found[1].reason)
    assert "The host answers, and nobody listens at that port." in str(found[0].reason)
    assert list(collected_findings(document(blank(status=refused)), "shop", "Orders", AT)) == found[:1]


def test_the_sender_is_named_where_it_is_known() -> None:
    assert "12 messages to Ship from Mine: " in str(the_one(document(blank(from_service="Mine"))).reason)


@pytest.mark.parametrize(
    ("collected_at", "oldest", "expected"),
    [
        (None, "2026-06-01T10:00:00Z", "The oldest waits since 2026-06-01T10:00:00Z, for 1,309 d 14 h."),
        (None, None, "Since when they wait was not collected."),
        (COLLECTED, None, "They waited at 2026-06-01T12:00:00Z; since when was not collected."),
        (COLLECTED, "2026-06-01T12:00:10Z", "for 0 s at"),
        (COLLECTED, "2026-06-01T11:59:00Z", "for 1 min at"),
    ],
)
def test_since_when(collected_at: str | None, oldest: str | None, expected: str) -> None:
    assert expected in str(the_one(document(blank(oldest=oldest), collected_at=collected_at)).reason)


def test_a_status_that_has_a_code_of_its_own_already() -> None:
    found = the_one(document(blank(status='The service queue "dbo.Q" is currently disabled.')))
    assert found.code == "queue-off"


def endpoints(*rows: Json, collected_at: str | None = COLLECTED) -> list[Finding]:
    collected = {"collected_at": collected_at, "rows": list(rows)}
    return [one for one in lint(document(conversation_endpoints=collected), AT) if one.code == "conversation-leak"]


def test_conversations_that_nobody_ends() -> None:
    (found,) = endpoints({"endpoints": 48_624_361, "state": "DI", "service": "Mine", "far_service": "Ship"})
    assert (found.severity, found.object) == ("warning", "Mine")
    assert str(found.reason).startswith(
        "48,624,361 conversations of Mine with Ship were DISCONNECTED_INBOUND at 2026-06-01T12:00:00Z. The other side"
    )
    assert "without CLEANUP" in str(found.reason)
    assert endpoints({"endpoints": 999, "state": "DI"}) == []


@pytest.mark.parametrize("state", ["SO", "SI", "CO", "DI", "DO", "ER", "CD", "XX"])
def test_every_state_has_a_meaning(state: str) -> None:
    (found,) = endpoints({"endpoints": 1000, "state": state}, collected_at=None)
    assert str(found.reason).startswith("1,000 conversations are ")
    assert len(str(found.reason)) > 60
