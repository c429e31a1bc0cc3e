"""Evaluates all rules, and keeps what they found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final

from django.conf import settings
from django.db import transaction

from brokerui.analysis.alerts.evaluation import Observed, RuleChanges, Watched, evaluate
from brokerui.analysis.alerts.models import Alert, AlertDelivery, AlertRule, AlertSilence
from brokerui.analysis.alerts.observing import Seen, look
from brokerui.analysis.alerts.rules import Rule, RuleKind
from brokerui.core.sentence_json import sentence_as_json
from routing.common.moment import to_milliseconds

WRITTEN: Final = ("severity", "heading", "page", "figure", "peak", "opened_at")


def alerts_look(at: datetime) -> None:
    """Look at everything once, evaluate each rule, and delete old history."""
    rules = list(AlertRule.objects.values_list("pk", "kind", "is_on"))
    alerts_evaluate(look({RuleKind(kind) for _, kind, is_on in rules if is_on}, to_milliseconds(at)), at)
    _prune(at)


def alerts_evaluate(seen: Seen, at: datetime) -> None:
    """Evaluate each rule, each in a transaction of its own."""
    for pk in AlertRule.objects.values_list("pk", flat=True):
        _evaluate_one(pk, seen, at)


@transaction.atomic
def _evaluate_one(pk: int, seen: Seen, at: datetime) -> None:
    """Evaluate one rule. Two workers take turns; one with an older look changes nothing."""
    row = AlertRule.objects.select_for_update().filter(pk=pk).first()
    if row is None or (row.evaluated_at is not None and row.evaluated_at >= at):
        return
    observed = seen.get(RuleKind(row.kind))
    rows = {one.key: one for one in Alert.objects.filter(rule=row, closed_at=None)}
    result = evaluate(rule_of(row), {key: _watched(one) for key, one in rows.items()}, observed, at)
    _write(row, rows, result, {one.key: one for one in observed or ()}, at)
    AlertRule.objects.filter(pk=pk).update(evaluated_at=at)


def rule_of(row: AlertRule) -> Rule:
    """The rule as the evaluation takes it."""
    return Rule(
        kind=RuleKind(row.kind),
        threshold=row.threshold,
        clear=row.clear,
        hold_s=row.hold_s,
        severity=row.severity,
        instances=tuple(row.instances),
        numbers=tuple(row.numbers),
        is_on=row.is_on,
    )


def _watched(row: Alert) -> Watched:
    return Watched(since=row.since, figure=row.figure, peak=row.peak, opened_at=row.opened_at)


def _write(
    rule: AlertRule, rows: Mapping[str, Alert], result: RuleChanges, seen: Mapping[str, Observed], at: datetime
) -> None:
    gone = [row.pk for key, row in rows.items() if key not in result.watched]
    Alert.objects.filter(pk__in=gone, opened_at=None).delete()
    Alert.objects.filter(pk__in=gone).update(closed_at=at)
    kept = [
        _renewed(row, rule, result.watched[key], seen[key]) for key, row in rows.items() if _is_in(key, result, seen)
    ]
    Alert.objects.bulk_update(kept, WRITTEN)
    new = [key for key in result.watched if key not in rows]
    Alert.objects.bulk_create(_renewed(_new(rule, key, seen[key]), rule, result.watched[key], seen[key]) for key in new)


def _is_in(key: str, result: RuleChanges, seen: Mapping[str, Observed]) -> bool:
    return key in result.watched and key in seen


def _new(rule: AlertRule, key: str, one: Observed) -> Alert:
    return Alert(rule=rule, kind=rule.kind, key=key, instance=one.instance, database=one.database, number=one.number)


def _renewed(row: Alert, rule: AlertRule, watched: Watched, one: Observed) -> Alert:
    row.severity, row.heading, row.page = rule.severity, sentence_as_json(one.heading), one.page
    row.figure, row.peak, row.since, row.opened_at = watched.figure, watched.peak, watched.since, watched.opened_at
    return row


def alerts_close(rows: Iterable[int], at: datetime) -> None:
    """Close the open alerts of these rules: nobody looks at their objects any more."""
    found = Alert.objects.filter(rule__in=list(rows), closed_at=None)
    found.filter(opened_at=None).delete()
    found.update(closed_at=at)


def _prune(at: datetime) -> None:
    """Delete alerts and silences that ended long ago."""
    before = at - timedelta(days=settings.ALERTS_KEEP_DAYS)
    Alert.objects.filter(closed_at__lt=before).delete()
    AlertDelivery.objects.filter(due_at=None, made_at__lt=before).delete()
    AlertSilence.objects.filter(ends__lt=before).delete()
