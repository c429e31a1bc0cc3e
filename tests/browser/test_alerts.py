"""The page of alerts and its forms in a real browser: nothing for axe to find, and no sideways scroll."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from brokerui.analysis.alerts.channel_models import AlertChannel
from brokerui.analysis.alerts.deliveries import channel_test
from brokerui.analysis.alerts.evaluation import Observed
from brokerui.analysis.alerts.rule_writing import silence_begin
from brokerui.analysis.alerts.rules import RuleKind
from brokerui.analysis.alerts.services import alerts_evaluate
from routing.common.sentence import say
from tests.browser.conftest import faults_in_each_look, faults_in_look

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]
LONG = "a-server-with-a-rather-long-name.of-a-domain.example/ADatabaseWhoseNameHasNoPlaceToBreak"


def test_axe_finds_nothing_on_any_of_its_pages(site: Page) -> None:
    """Takes six seconds: axe looks at five pages, at the first one in three widths."""
    at = timezone.now()
    heading = say("Conversations of {place} never close", place=LONG)
    seen = [
        Observed(key=key, figure=5_000, heading=heading, page="/servers/", instance=LONG[:40]) for key in ("a", "b")
    ]
    alerts_evaluate({RuleKind.LEAK: seen}, at)
    alerts_evaluate({RuleKind.LEAK: seen[:1]}, at + timedelta(minutes=1))
    values = {"kind": "email", "target": "a@b.example", "place": "x", "severity": "error", "author": "me"}
    channel = AlertChannel.objects.create(name="Operators", changed_at=at, **values)
    channel_test(channel=channel, author="me", at=at)
    whole = {"rule": None, "instance": LONG[:40], "key": "", "owner": "Ana", "reason": "Maintenance", "author": "me"}
    silence_begin(**whole, ends=at + timedelta(hours=1), at=at)
    site.goto("/alerts/")
    expect(site.get_by_text("1 alert is open.")).to_be_visible()
    site.get_by_text("Delete…").click()
    assert faults_in_each_look(site, (390, 844), (1024, 768), (1280, 900)) == []
    for number, form in enumerate(("rules/new/", "silences/new/", "channels/new/", "rules/1/")):
        site.goto(f"/alerts/{form}")
        assert faults_in_look(site, (390, 844), ("light", "dark")[number % 2]) == []
