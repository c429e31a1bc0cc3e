"""Databases and queues that are switched off."""

from __future__ import annotations

from typing import Any

import pytest

from tests.routing.lint.estates import about, db, finding, findings, route, server

OFF = {"name": "dbo.Ship]Queue", "enabled": False}


def queued(*services: Any, **more: Any) -> dict[str, Any]:
    return server("a", db("D", services=services, queues=[OFF, {"name": "dbo.Other"}], **more))


def test_a_queue_that_is_off_holds_messages() -> None:
    found = finding("queue-off", queued({"name": "Ship", "queue": "DBO.ship]queue"}))
    assert about(found) == ("error", "a", "D", "dbo.Ship]Queue")
    assert str(found.reason) == "The queue is off: messages for Ship wait."
    assert found.remedy_sql == "USE [D];\nALTER QUEUE [dbo].[Ship]]Queue] WITH STATUS = ON;"


def test_a_queue_of_unknown_or_other_services() -> None:
    unknown, other = (finding("queue-off", queued(one)) for one in ("Ship", {"name": "Ship", "queue": "dbo.Other"}))
    assert (unknown.severity, other.severity) == ("warning", "info")
    assert str(unknown.reason) == "The queue is off: messages for its services wait."
    assert str(other.reason) == "The queue is off; no service uses it."


def test_a_queue_that_is_on_is_sound() -> None:
    assert findings("queue-off", server("a", db("D", services=("Ship",), queues=[{"name": "Q"}]))) == []


def test_the_queue_of_a_replica_is_that_of_its_principal() -> None:
    pair = [queued("Ship", broker=1, mirroring_role=role) for role in ("PRINCIPAL", "MIRROR")]
    pair[1] |= {"name": "b", "addresses": []}
    assert [found.instance for found in findings("queue-off", *pair)] == ["a"]


def test_a_disabled_broker_takes_nothing() -> None:
    found = finding("broker-disabled", server("a", db("D", services=("Ship",), broker=1, broker_enabled=False)))
    assert about(found) == ("error", "a", "D", "D")
    assert found.remedy_sql == "ALTER DATABASE [D] SET ENABLE_BROKER WITH ROLLBACK IMMEDIATE;"


def test_a_disabled_msdb_stops_the_network() -> None:
    off = server("a", db("msdb", broker_enabled=False))
    assert finding("broker-disabled", off, server("b", db("D", route("R", "Ship", "a")))).severity == "error"
    away = server("a", db("D", route("R", "Ship", "gone")), db("msdb", broker_enabled=False))
    assert finding("broker-disabled", away).severity == "error"
    assert finding("broker-disabled", off).severity == "warning"


def test_a_disabled_copy_needs_another_identifier() -> None:
    copy = db("Copy", services=("Ship",), broker=1, broker_enabled=False)
    found = finding("broker-disabled", server("a", copy, db("D", services=("Ship",), broker=1)))
    assert about(found) == ("warning", "a", "Copy", "Copy")
    warned, statement = (found.remedy_sql or "").splitlines()
    assert "Ends every conversation" in warned
    assert statement == "ALTER DATABASE [Copy] SET NEW_BROKER WITH ROLLBACK IMMEDIATE;"


@pytest.mark.parametrize(
    "more",
    [
        {"broker_enabled": True, "services": ("Ship",)},
        {"services": ()},
        {"services": ("http://schemas.microsoft.com/SQL/ServiceBroker/ServiceBroker",)},
        {"services": ("Ship",), "mirroring_role": "MIRROR"},
    ],
)
def test_where_it_matters_to_nobody(more: dict[str, Any]) -> None:
    assert findings("broker-disabled", server("a", db("D", **{"broker_enabled": False} | more))) == []


def test_a_disabled_broker_is_told_of_though_its_services_are_not_known() -> None:
    routed = server("a", db("D", route("R", "Ship", "b"), broker_enabled=False))
    assert finding("broker-disabled", routed).severity == "warning"
    named = server("a", db("D", broker=1, broker_enabled=False))
    assert findings("broker-disabled", named) == []
