"""Alerts over REST: what opened, rules that are changed by the one who saw them last, silences."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from brokerui.analysis.alerts.evaluation import Observed
from brokerui.analysis.alerts.models import AlertRule
from brokerui.analysis.alerts.rules import RuleKind
from brokerui.analysis.alerts.services import alerts_evaluate
from routing.common.sentence import say
from tests.brokerui.api.helpers import API, change, send

ALERTS, RULES, SILENCES = f"{API}/alerts/", f"{API}/alerts/rules/", f"{API}/alerts/silences/"
pytestmark = pytest.mark.django_db


def leaking(*databases: str, minute: int = 0) -> None:
    seen = [
        Observed(key=f"far/{name}", figure=5_000, heading=say("{d} leaks", d=name), page="/servers/", instance="far")
        for name in databases
    ]
    alerts_evaluate({RuleKind.LEAK: seen}, timezone.now() + timedelta(minutes=minute))


def test_open_alerts_and_those_that_are_over(viewer: Client) -> None:
    leaking("one", "two")
    leaking("two", minute=1)
    (still,) = viewer.get(ALERTS, {"is_open": "true"}).json()["results"]
    (over,) = viewer.get(ALERTS, {"is_open": "false"}).json()["results"]
    assert (still["alert"], still["kind"], still["figure"], still["closed_at"]) == ("two leaks", "leak", 5_000, None)
    assert (over["alert"], over["closed_at"] > over["opened_at"]) == ("one leaks", True)
    page = viewer.get(ALERTS, {"limit": "1"}).json()
    assert page["results"] + viewer.get(page["next"]).json()["results"] == [still, over]


def test_a_rule_is_added_changed_and_deleted(editor: Client) -> None:
    added = send(editor, "post", RULES, {"kind": "depth", "threshold": 1_000, "instances": ["host1"]})
    assert added.status_code == 201
    assert added.json()["sentence"] == "A queue holds 1,000 messages or more, on host1"
    assert added.json()["clear"] == 1_000
    address = added.headers["Location"]
    changed = change(editor, "patch", address, {"clear": 700, "hold_s": 300})
    assert changed.json()["sentence"] == "A queue holds 1,000 messages or more, for 5 min, on host1"
    assert send(editor, "delete", address, If_Match=added.headers["ETag"]).status_code == 412
    assert change(editor, "delete", address).status_code == 204
    assert editor.get(address).status_code == 404


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ({"kind": "depth", "threshold": 5, "clear": 6}, "clear"),
        ({"kind": "depth", "threshold": 0}, "threshold"),
        ({"kind": "job", "threshold": 1, "instances": ["x"]}, "instances"),
        ({"kind": "nothing", "threshold": 1}, "kind"),
    ],
)
def test_a_rule_that_could_not_work_is_refused_at_its_member(editor: Client, body: dict[str, Any], name: str) -> None:
    before = AlertRule.objects.count()
    refused = send(editor, "post", RULES, body)
    assert (refused.status_code, refused.json()["errors"][0]["name"]) == (422, name)
    assert AlertRule.objects.count() == before


def test_a_silence_begins_now_and_is_ended(operator: Client) -> None:
    ends = (timezone.now() + timedelta(hours=2)).isoformat()
    rule = AlertRule.objects.earliest("pk").pk
    begun = send(operator, "post", SILENCES, {"rule": rule, "owner": "Ana", "reason": "Maintenance", "ends": ends})
    assert begun.status_code == 201
    assert [one["owner"] for one in operator.get(SILENCES).json()["results"]] == ["Ana"]
    assert change(operator, "delete", begun.headers["Location"]).status_code == 204
    assert operator.get(SILENCES).json()["results"] == []
    assert change(operator, "delete", begun.headers["Location"]).status_code == 412
    refused = send(operator, "post", SILENCES, {"rule": 99_999, "owner": "Ana", "reason": "x", "ends": ends})
    assert (refused.status_code, refused.json()["errors"][0]["name"]) == (422, "rule")
