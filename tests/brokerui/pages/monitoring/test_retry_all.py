"""Several groups of delayed conversations retried at once: shown first, then done, with the result of each."""

from __future__ import annotations

import json

import pytest
from django.test import Client

from brokerui.estate.models import AuditEntry
from brokerui.pages.delayed import choosing
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.pages.monitoring.conftest import stuck

PATH = "/delayed/retry-all/"
ONE, GONE = json.dumps(["A", "one", "First"]), json.dumps(["A", "nowhere", "First"])


def retried() -> int:
    return AuditEntry.objects.filter(action="dialog.retry").count()


def test_a_cause_is_chosen_shown_and_then_retried(wire: Wire, operator: Client) -> None:
    stuck(wire, "First", 2)
    stuck(wire, "Second")
    stuck(wire, "To", encryption=True)
    page = operator.get("/delayed/", {"cause": "9796"}).content.decode()
    assert "Retry all…" in page
    assert page.count('form="bulk" name="group"') == 2
    shown = operator.post(PATH, {"cause": "9796"}).content.decode()
    assert "Retry 3 messages" in shown
    assert shown.count('type="hidden" name="group"') == 2
    assert retried() == 0, "nothing is done before it is confirmed"
    done = operator.post(PATH, {"group": [ONE, json.dumps(["A", "one", "Second"])], "confirmed": "1"}).content.decode()
    assert "2 retries were accepted" in done
    assert retried() == 2


def test_each_group_has_its_own_result(wire: Wire, operator: Client) -> None:
    stuck(wire, "First")
    done = operator.post(PATH, {"group": [ONE, GONE], "confirmed": "1"}).content.decode()
    assert "1 retry was accepted, 1 refused" in done
    assert "refused: " in done
    assert retried() == 1


def test_what_is_no_group_is_left_out_and_viewers_do_nothing(wire: Wire, operator: Client, viewer: Client) -> None:
    stuck(wire, "First")
    for wrong in ("", "1", "[1, 2, 3]", '["A"]', "[" * 5_000):
        assert "0 retries were accepted" in operator.post(PATH, {"group": wrong, "confirmed": "1"}).content.decode()
    assert viewer.post(PATH, {"group": ONE, "confirmed": "1"}).status_code == 403
    assert 'name="group"' not in viewer.get("/delayed/").content.decode()
    assert retried() == 0


def test_more_than_one_request_does_is_said(wire: Wire, operator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    stuck(wire, "First", 2)
    stuck(wire, "Second")
    monkeypatch.setattr(choosing, "MOST", 1)
    assert "1 more is left for another time." in operator.post(PATH, {"cause": "9796"}).content.decode()
