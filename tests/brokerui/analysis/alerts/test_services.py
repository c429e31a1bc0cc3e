"""Alerts in the database: one that is open for each rule and object, history, silences, old looks, pruning."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from brokerui.analysis.alerts.errors import AlertStaleError
from brokerui.analysis.alerts.evaluation import Observed
from brokerui.analysis.alerts.models import Alert, AlertRule, AlertSilence
from brokerui.analysis.alerts.observing import look
from brokerui.analysis.alerts.rule_writing import rule_change, rule_create, rule_delete, silence_begin, silence_end
from brokerui.analysis.alerts.rules import Rule, RuleKind
from brokerui.analysis.alerts.selectors import alerts_open
from brokerui.analysis.alerts.services import alerts_evaluate, alerts_look, rule_of
from brokerui.analysis.overview.diagnosis import diagnosed
from brokerui.core.jobs.models import Job, JobState
from brokerui.core.sentence_json import sentence_from_json
from brokerui.estate.models import AuditEntry
from brokerui.eventlog.models import MINUTE, Sampled
from brokerui.eventlog.samples import OfSample
from brokerui.messaging.clock import now
from routing.common.errors import Invalid
from routing.common.moment import to_milliseconds
from routing.common.sentence import say
from tests.brokerui.messaging.conftest import client as redis_client
from tests.brokerui.messaging.conftest import lists, one_valkey, valkey, wire
from tests.brokerui.messaging.endpoint.certificates import Authority
from tests.brokerui.messaging.hosted import Wire
from tests.brokerui.pages.monitoring.conftest import begun, nothing_counted

__all__ = ["lists", "nothing_counted", "one_valkey", "redis_client", "valkey", "wire"]
pytestmark = [pytest.mark.both_databases, pytest.mark.django_db]
STEP = timedelta(minutes=1)
BUSY = Rule(kind=RuleKind.DEPTH, threshold=10, clear=5)


@pytest.fixture
def rule() -> AlertRule:
    """The only rule."""
    AlertRule.objects.all().delete()
    return rule_create(rule=BUSY, author="me", at=timezone.now())


def figures(**by_key: float) -> Mapping[RuleKind, list[Observed]]:
    seen = [
        Observed(key=key, figure=figure, heading=say("Many in {q}", q=key), page="/queues/", instance="host1")
        for key, figure in by_key.items()
    ]
    return {RuleKind.DEPTH: seen}


def test_the_rules_that_come_with_the_product_work_and_are_on() -> None:
    rules = [rule_of(row) for row in AlertRule.objects.all()]
    assert {rule.kind for rule in rules} == set(RuleKind)
    assert all(rule.is_on for rule in rules)


def test_one_alert_is_open_for_an_object_and_its_history_stays(rule: AlertRule) -> None:
    at = timezone.now()
    for number, figure in enumerate((12, 30, 7, 4, 11)):
        alerts_evaluate(figures(a=figure), at + number * STEP)
    (over,) = Alert.objects.filter(closed_at__isnull=False)
    (still,) = alerts_open()
    assert (over.opened_at, over.closed_at, over.peak) == (at, at + 3 * STEP, 30)
    assert (still.figure, still.opened_at) == (11, at + 4 * STEP)
    assert str(sentence_from_json(still.heading)) == "Many in a"


def test_an_older_look_of_another_worker_changes_nothing(rule: AlertRule) -> None:
    at = timezone.now()
    alerts_evaluate(figures(a=12), at)
    alerts_evaluate(figures(), at - STEP)
    alerts_evaluate(figures(), at)
    assert alerts_open().count() == 1


def test_a_figure_that_does_not_hold_leaves_no_history(rule: AlertRule) -> None:
    AlertRule.objects.update(hold_s=120)
    at = timezone.now()
    alerts_evaluate(figures(a=12, b=12), at)
    assert Alert.objects.count() == 2
    assert not alerts_open()
    alerts_evaluate(figures(a=3, b=12), at + STEP)
    alerts_evaluate(figures(b=12), at + 2 * STEP)
    assert [one.key for one in Alert.objects.all()] == ["b"]
    assert alerts_open().get().since == at


def test_a_rule_is_changed_by_the_user_who_has_seen_it_last(rule: AlertRule) -> None:
    at = timezone.now()
    alerts_evaluate(figures(a=12), at)
    seen = rule.changed_at
    off = Rule(kind=RuleKind.DEPTH, threshold=10, clear=5, is_on=False)
    rule_change(pk=rule.pk, rule=off, author="me", at=at, seen_at=seen)
    assert Alert.objects.get().closed_at == at
    with pytest.raises(AlertStaleError):
        rule_change(pk=rule.pk, rule=BUSY, author="you", at=at, seen_at=seen)
    other = Rule(kind=RuleKind.AGE, threshold=10, clear=5)
    with pytest.raises(Invalid, match="kind"):
        rule_change(pk=rule.pk, rule=other, author="you", at=at, seen_at=at)
    rule_delete(pk=rule.pk, author="me", at=at, seen_at=at)
    assert Alert.objects.get().rule is None
    actions = AuditEntry.objects.order_by("pk").values_list("action", "note")
    assert [action for action, _ in actions] == ["alert_rule.create", "alert_rule.change", "alert_rule.delete"]
    assert list(actions)[1][1].endswith("off")


@pytest.mark.parametrize(
    ("wrong", "where"),
    [
        ({"owner": " "}, "owner"),
        ({"reason": ""}, "reason"),
        ({"ends": -STEP}, "ends"),
        ({"ends": 99 * 1440 * STEP}, "ends"),
    ],
)
def test_a_silence_has_an_owner_a_reason_and_an_end(wrong: dict[str, Any], where: str) -> None:
    at = timezone.now()
    given = {"owner": "Ana", "reason": "maintenance", "ends": STEP} | wrong
    with pytest.raises(Invalid) as refused:
        silence(at, **given)
    assert refused.value.path == where
    assert not AlertSilence.objects.exists()


def silence(at: datetime, *, owner: str, reason: str, ends: timedelta) -> AlertSilence:
    return silence_begin(rule=None, instance="", key="", owner=owner, reason=reason, ends=at + ends, author="me", at=at)


def test_a_silence_is_ended_once_and_kept() -> None:
    at = timezone.now()
    row = silence(at, owner="Ana", reason="maintenance", ends=60 * STEP)
    silence_end(pk=row.pk, author="me", at=at + STEP)
    with pytest.raises(AlertStaleError):
        silence_end(pk=row.pk, author="me", at=at + 2 * STEP)
    assert AlertSilence.objects.get().ends == at + STEP


def test_history_is_deleted_after_its_days(rule: AlertRule, settings: Any) -> None:
    settings.ALERTS_KEEP_DAYS = 2
    AlertRule.objects.update(is_on=False)
    at = timezone.now()
    kept = {"rule": rule, "kind": "depth", "severity": "warning", "heading": "{}", "page": "/", "figure": 1, "peak": 1}
    for days in (1, 3):
        ended = at - timedelta(days=days)
        Alert.objects.create(**kept, key=str(days), since=ended, opened_at=ended, closed_at=ended)
    alerts_look(at)
    assert [one.key for one in Alert.objects.all()] == ["1"]


def test_a_look_has_the_figures_of_the_pages(wire: Wire) -> None:
    begun("Nowhere")
    wire.carry()
    at = now()
    fields = {"seconds": MINUTE, "at": at - at % 60_000, "instance": "A", "database": "one", "error": 0, "role": ""}
    Sampled.objects.create(kind=OfSample.TRANSMISSION_QUEUE, name="", depth=7, oldest_age_ms=120_000, **fields)
    ended = {"requested_at": timezone.now(), "due_at": timezone.now(), "state": JobState.FAILED, "attempts": 3}
    Job.objects.create(kind="lint", key="one", **ended)
    Job.objects.create(kind="lint", key="two", **ended)
    Job.objects.create(kind="lint", key="two", **ended | {"state": JobState.DONE})
    seen = look(set(RuleKind), at)
    (cause,) = seen[RuleKind.DELAYED] or ()
    (shown,) = diagnosed()
    assert (cause.figure, cause.instance, cause.database) == (shown["messages"], "A", "one")
    assert str(cause.heading) == shown["cause"]
    assert [(one.key, one.figure) for one in seen[RuleKind.DEPTH] or ()] == [("A/one", 7)]
    assert [one.figure for one in seen[RuleKind.AGE] or ()] == [2]
    assert [(one.key, one.figure) for one in seen[RuleKind.JOB] or ()] == [("lint one", 3)]
    assert {kind for kind, found in seen.items() if found == []} == {
        *(RuleKind.DROPPED, RuleKind.DISAGREEMENT, RuleKind.LEAK, RuleKind.MIRROR, RuleKind.EXPIRY),
        *(RuleKind.STALE, RuleKind.CERTIFICATE),
    }


def test_a_certificate_has_the_days_until_it_ends(tmp_path: Path, settings: Any) -> None:
    authority = Authority(tmp_path)
    certificate, _ = authority.files("host1", days=20)
    settings.ENDPOINT_CERTIFICATE, settings.ENDPOINT_AUTHORITY = str(certificate), str(authority.path)
    at = to_milliseconds(timezone.now())
    own, trusted = look({RuleKind.CERTIFICATE}, at)[RuleKind.CERTIFICATE] or ()
    assert str(own.heading) == "The certificate CN=host1 of ENDPOINT_CERTIFICATE expires"
    assert (round(own.figure), round(trusted.figure)) == (20, 1)
    (later, _) = look({RuleKind.CERTIFICATE}, at + 30 * 86_400_000)[RuleKind.CERTIFICATE] or ()
    assert (str(later.heading)[-11:], later.figure) == ("has expired", 0)
    settings.ENDPOINT_CERTIFICATE = str(tmp_path / "none.pem")
    assert look({RuleKind.CERTIFICATE}, at)[RuleKind.CERTIFICATE] is None


def test_samples_of_minutes_ago_say_nothing(wire: Wire) -> None:
    at = to_milliseconds(timezone.now())
    old = {"seconds": MINUTE, "at": at - 10 * 60_000, "instance": "A", "database": "one", "error": 0, "role": ""}
    Sampled.objects.create(kind=OfSample.QUEUE, name="q", depth=7, oldest_age_ms=None, **old)
    assert look({RuleKind.DEPTH}, at)[RuleKind.DEPTH] is None
