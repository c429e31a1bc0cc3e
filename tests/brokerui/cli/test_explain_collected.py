"""`brokerui explain` beside what the server showed: a status that agrees with the routes, and one that does not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.brokerui.cli.command_line import Call, call_with, written

REFUSED = "Connection attempt failed with error: '10061(refused)'."
NO_ROUTE = "The target service name could not be found."
NO_BINDING = "Dialog security is not available because there is no remote service binding for the target service."
STOPPED = "The Service Broker endpoint is in disabled or stopped state."
LOCAL = {"name": "AutoCreatedLocal", "address": "LOCAL"}
SAME = "The routes of this estate say the same."
OTHERWISE = "The routes of this estate say otherwise"
BEHIND = "The routes lead on; this is what holds the messages."
NO_PART = "Routes play no part in it."


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    return call_with(capsys, monkeypatch)


def estate(*rows: dict[str, Any]) -> dict[str, Any]:
    route = {"name": "ToShip", "remote_service_name": "Ship", "address": "tcp://depot:4022"}
    queue = {"collected_at": "2026-06-01T12:00:00Z", "rows": list(rows)}
    orders = {"name": "Orders", "services": ["Mine", "Near"], "routes": [LOCAL, route], "transmission_queue": queue}
    parts = {"name": "Parts", "services": ["Ship"], "routes": [LOCAL]}
    msdb = {"name": "msdb", "routes": [LOCAL]}
    instances = [
        {"name": "shop", "addresses": ["tcp://shop:4022"], "databases": [orders, msdb]},
        {"name": "depot", "addresses": ["tcp://depot:4022"], "databases": [parts, msdb]},
    ]
    return {"format": "brokerui.estate/1", "instances": instances}


def row(status: str, to: str = "Ship", **more: Any) -> dict[str, Any]:
    return {"messages": 12, "status": status, "to_service": to, "oldest": "2026-06-01T10:00:00Z", **more}


@pytest.mark.parametrize(
    ("service", "status", "expected"),
    [
        ("Ship", REFUSED, BEHIND),
        ("Ship", NO_ROUTE, OTHERWISE),
        ("Far", NO_ROUTE, SAME),
        ("Far", REFUSED, OTHERWISE),
        ("Near", STOPPED, OTHERWISE),
        ("Near", NO_BINDING, NO_PART),
        ("Ship", "Etwas anderes.", "This text is not in the catalogue."),
        ("Ship", "", "No acknowledgement comes back: in Parts on depot, no route leads to Mine."),
    ],
)
def test_a_status_beside_the_answer(call: Call, tmp_path: Path, service: str, status: str, expected: str) -> None:
    file = written(tmp_path, "e.json", estate(row(status, service)))
    answer = call("explain", file, "--from", "shop/Orders", "--to", service, "--service", "Mine")
    (line,) = (line for line in answer.out.splitlines() if "Collected from its server: 12 messages to" in line)
    assert expected in line


def test_messages_of_other_conversations_are_not_told(call: Call, tmp_path: Path) -> None:
    others = row(REFUSED, "Far"), row(REFUSED, from_service="Other")
    answer = call(
        "explain",
        written(tmp_path, "e.json", estate(*others)),
        "--from",
        "shop/Orders",
        "--to",
        "Ship",
        "--service",
        "Mine",
    )
    assert "When its server was asked, at 2026-06-01T12:00:00Z, no message waited for this service." in answer.out
    assert "12 messages" not in answer.out


def test_as_json(call: Call, tmp_path: Path) -> None:
    file = written(tmp_path, "e.json", estate(row(REFUSED)))
    answer = json.loads(call("explain", file, "--from", "shop/Orders", "--to", "Ship", "--format", "json").out)
    (one,) = answer["collected"]
    assert (one["messages"], one["to_service"], one["status"], one["number"]) == (12, "Ship", REFUSED, 10061)
    assert one["says"] in answer["answer"]


WAITS = "Routing delivers, but 12 messages that were collected from the server wait: "


@pytest.mark.parametrize(
    ("service", "status", "is_told"),
    [("Ship", REFUSED, True), ("Near", NO_BINDING, True), ("Ship", "", True), ("Far", NO_ROUTE, False)],
)
def test_that_routing_delivers_and_messages_wait_is_said_at_once(
    call: Call, tmp_path: Path, service: str, status: str, is_told: bool
) -> None:
    file = written(tmp_path, "e.json", estate(row(status, service)))
    words = "explain", file, "--from", "shop/Orders", "--to", service, "--service", "Mine"
    assert (WAITS in call(*words).out) is is_told
    assert (WAITS in json.loads(call(*words, "--format", "json").out)["answer"]) is is_told
