"""The page of alerts and its forms: open alerts in words, acts by role, faults at their fields, a secret shown once."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from brokerui.accounts.levels import Role
from brokerui.analysis.alerts.channel_models import AlertChannel, AlertDelivery
from brokerui.analysis.alerts.evaluation import Observed
from brokerui.analysis.alerts.models import Alert, AlertRule, AlertSilence
from brokerui.analysis.alerts.rules import RuleKind
from brokerui.analysis.alerts.selectors import alerts_over
from brokerui.analysis.alerts.services import alerts_evaluate
from brokerui.core.sentence_json import sentence_as_json
from routing.common.sentence import say
from tests.brokerui.site import signed_in

PATH = "/alerts/"
pytestmark = pytest.mark.django_db


def text(client: Client, path: str = PATH) -> str:
    response = client.get(path)
    assert response.status_code == 200
    return html.unescape(re.sub(r"\s+", " ", response.content.decode()))


def leaking(*databases: str) -> None:
    seen = [
        Observed(key=name, figure=5_000, heading=say("{d} leaks", d=name), page="/servers/?server=far", instance="far")
        for name in databases
    ]
    alerts_evaluate({RuleKind.LEAK: seen}, timezone.now())


def test_the_headline_counts_the_rows_and_each_has_figure_step_and_page() -> None:
    viewer = signed_in(Role.VIEWER)
    assert "some rules were never evaluated" in text(viewer)
    leaking("one", "two")
    page = text(viewer)
    assert "2 alerts are open." in page
    assert page.count("Open the server: it has the order of work and a clean-up script.") == 2
    assert page.count('href="/servers/?server=far"') == 2
    assert "5,000 conversations" in page
    leaking()
    page = text(viewer)
    assert "No alert is open" in page
    assert "one leaks" in page.partition("History")[2]


def test_the_history_is_in_the_order_of_the_address() -> None:
    at = timezone.now()
    for hours, severity in ((1, "info"), (2, "error"), (3, "warning")):
        moments = {"since": at - timedelta(hours=hours), "opened_at": at - timedelta(hours=hours), "closed_at": at}
        row = Alert(kind=RuleKind.LEAK, severity=severity, key=severity, heading=sentence_as_json(say(severity)))
        for name, value in {**moments, "figure": 1.0, "peak": 1.0}.items():
            setattr(row, name, value)
        row.save()
    found = {order: [one.severity for one in alerts_over(order, 3)] for order in ("began", "-began", "severity")}
    assert found["began"] == ["warning", "error", "info"]
    assert found["-began"] == ["info", "error", "warning"]
    assert found["severity"] == ["error", "warning", "info"]
    assert '<option value="severity" selected>' in text(signed_in(Role.VIEWER), f"{PATH}?sort=severity")


@pytest.mark.parametrize(
    ("role", "acts"),
    [
        (Role.VIEWER, set()),
        (Role.OPERATOR, {"Silence…", "Begin a silence…"}),
        (Role.EDITOR, {"Silence…", "Begin a silence…", "Add a rule…", "Change…"}),
        (
            Role.ADMINISTRATOR,
            {"Silence…", "Begin a silence…", "Add a rule…", "Change…", "Add a channel…", "Send a test", "Switch off"},
        ),
    ],
)
def test_each_role_has_its_acts(role: Role, acts: set[str]) -> None:
    leaking("one")
    values = {"kind": "email", "name": "Mail", "target": "a@b.example", "place": "x", "severity": "error"}
    AlertChannel.objects.create(**values, changed_at=timezone.now())
    words = {"Silence…", "Begin a silence…", "Add a rule…", "Change…", "Add a channel…", "Send a test", "Switch off"}
    page = text(signed_in(role))
    assert {one for one in words if f">{one}<" in page} == acts


def test_a_rule_is_changed_and_its_faults_stand_at_their_fields() -> None:
    editor, row = signed_in(Role.EDITOR), AlertRule.objects.get(kind=RuleKind.DEPTH)
    path = f"{PATH}rules/{row.pk}/"
    texts = {"threshold": "50", "clear": "60", "hold": "5", "severity": "error", "is_on": "on"}
    refused = editor.post(path, texts)
    assert (refused.status_code, 'id="clear-fault"' in refused.content.decode()) == (422, True)
    assert editor.post(path, {**texts, "clear": "x"}).status_code == 422
    assert editor.post(path, {**texts, "clear": "40"}).status_code == 302
    row.refresh_from_db()
    assert (row.threshold, row.clear, row.hold_s, row.severity) == (50, 40, 300, "error")
    editor.post(path, {**texts, "clear": "30"})
    row.refresh_from_db()
    assert row.clear == 40, "the form was of the rule before the change"


def test_an_alert_is_silenced_from_its_row_and_the_silence_is_ended() -> None:
    operator = signed_in(Role.OPERATOR)
    leaking("one", "two")
    alert = Alert.objects.get(key="one")
    form = text(operator, f"{PATH}silences/new/?alert={alert.pk}")
    assert "one leaks" in form
    sent = {"alert": str(alert.pk), "owner": "Ana", "reason": "Maintenance", "hours": "4"}
    assert operator.post(f"{PATH}silences/new/", {**sent, "reason": ""}).status_code == 422
    assert operator.post(f"{PATH}silences/new/", sent).status_code == 302
    silence = AlertSilence.objects.get()
    assert (silence.rule, silence.key, silence.owner) == (alert.rule, "one", "Ana")
    assert text(operator).count(">Silenced<") == 1
    operator.post(f"{PATH}silences/{silence.pk}/end/")
    assert ">Silenced<" not in text(operator)


def test_a_channel_shows_its_secret_once_and_the_result_of_its_test(settings: Any, tmp_path: Any) -> None:
    settings.ALERT_HOSTS, settings.KEYS_SECRET, settings.HOME = ["hooks.example"], "x", tmp_path
    administrator = signed_in(Role.ADMINISTRATOR)
    sent = {"kind": "webhook", "name": "Duty", "target": "https://elsewhere.example/?t=T0P", "severity": "error"}
    refused = administrator.post(f"{PATH}channels/new/", sent)
    assert (refused.status_code, 'id="target-fault"' in refused.content.decode()) == (422, True)
    added = administrator.post(f"{PATH}channels/new/", {**sent, "target": "https://hooks.example/?t=T0P"})
    (secret,) = re.findall(r'<code class="mono">([\w-]{40,})</code>', added.content.decode())
    assert "no-store" in added.headers["Cache-Control"]
    channel = AlertChannel.objects.get()
    administrator.post(f"{PATH}channels/{channel.pk}/test/")
    assert AlertDelivery.objects.get().is_test
    page = text(administrator)
    assert "Waits for a worker" in page
    assert "Webhook to hooks.example" in page
    assert "T0P" not in page
    assert secret not in page
