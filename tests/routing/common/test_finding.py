"""Findings: the keys that users script against."""

from __future__ import annotations

from dataclasses import fields

from routing.common.finding import SEVERITIES, WARNING, Finding
from routing.common.sentence import say

FINDING = Finding("wrong-port", WARNING, "host1", "Orders", "Away", say("leads to port {port}", port=1433), line=3)


def test_the_keys_of_the_json_object_are_the_fields_in_their_order() -> None:
    assert list(FINDING.as_json()) == [field.name for field in fields(Finding)]
    assert FINDING.as_json() == {
        "code": "wrong-port",
        "severity": "warning",
        "instance": "host1",
        "database": "Orders",
        "object": "Away",
        "reason": "leads to port 1433",
        "remedy_sql": None,
        "file": None,
        "line": 3,
    }


def test_the_reason_is_said_in_the_language_asked_for() -> None:
    assert FINDING.as_json(lambda text: "führt zu Port {port}")["reason"] == "führt zu Port 1433"


def test_severities_stand_worst_first() -> None:
    assert SEVERITIES == ("error", "warning", "info")
