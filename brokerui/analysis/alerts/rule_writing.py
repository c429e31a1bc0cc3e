"""Writing rules and silences. Each write leaves an entry in the audit."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, Final

from django.db import transaction

from brokerui.analysis.alerts.errors import AlertStaleError
from brokerui.analysis.alerts.models import REASON, AlertRule, AlertSilence
from brokerui.analysis.alerts.rules import Rule
from brokerui.analysis.alerts.services import alerts_close, rule_of
from brokerui.core.instance_limit import check_every, check_instances
from brokerui.estate.audit import audit
from brokerui.estate.audit_changes import changes_of, values_of
from brokerui.estate.models.versions import AUTHOR
from routing.common.errors import Invalid
from routing.common.sentence import say

MOST_RULES: Final = 200
MOST_SILENCES: Final = 200
"""That are not over."""
LONGEST: Final = timedelta(days=90)
"""A silence ends; a rule that is to be quiet for longer is switched off."""


@transaction.atomic
def rule_create(*, rule: Rule, author: str, at: datetime) -> AlertRule:
    """Add a rule. Raises `Invalid` where there are too many."""
    if AlertRule.objects.count() >= MOST_RULES:
        raise Invalid("", say("there are {count} rules already: delete one first", count=MOST_RULES))
    row = _filled(AlertRule(), rule, author, at)
    row.save()
    audit(author=author, action="alert_rule.create", note=_words(row), changes=changes_of(None, _values(row)))
    return row


@transaction.atomic
def rule_change(*, pk: int, rule: Rule, author: str, at: datetime, seen_at: datetime | None) -> AlertRule:
    """Change a rule. Raises `AlertStaleError` where it was changed after `seen_at` or is gone. A rule that is switched
    off, or is about other instances now, closes the alerts that it no longer watches at the next look."""
    row = _seen(pk, seen_at)
    if rule.kind != row.kind:
        raise Invalid("kind", say("cannot be changed: add a rule of the other kind"))
    before, old = _words(row), _values(row)
    _filled(row, rule, author, at).save()
    if not rule.is_on:
        alerts_close([pk], at)
    changes = changes_of(old, _values(row))
    audit(author=author, action="alert_rule.change", note=f"{before} -> {_words(row)}", changes=changes)
    return row


@transaction.atomic
def rule_delete(*, pk: int, author: str, at: datetime, seen_at: datetime | None) -> None:
    """Delete a rule. Its open alerts are closed; the history stays."""
    row = _seen(pk, seen_at)
    alerts_close([pk], at)
    audit(author=author, action="alert_rule.delete", note=_words(row), changes=changes_of(_values(row), None))
    row.delete()


def _seen(pk: int, seen_at: datetime | None) -> AlertRule:
    row = AlertRule.objects.select_for_update().filter(pk=pk).first()
    if row is None or row.changed_at != seen_at:
        raise AlertStaleError
    return row


def _filled(row: AlertRule, rule: Rule, author: str, at: datetime) -> AlertRule:
    row.kind, row.threshold, row.clear, row.hold_s = rule.kind, rule.threshold, rule.clear, rule.hold_s
    row.severity, row.is_on = rule.severity, rule.is_on
    row.instances, row.numbers = list(rule.instances), list(rule.numbers)
    row.author, row.changed_at = author, at
    return row


def _values(row: AlertRule) -> dict[str, Any]:
    return values_of(row, "kind", "threshold", "clear", "hold_s", "severity", "instances", "numbers", "is_on")


def _words(row: AlertRule) -> str:
    rule = rule_of(row)
    parts = [f"{rule.kind} {rule.threshold}, clear {rule.clear}, for {rule.hold_s} s, {rule.severity}"]
    parts += [f"instances {', '.join(rule.instances)}"] if rule.instances else []
    parts += [f"numbers {', '.join(map(str, rule.numbers))}"] if rule.numbers else []
    return "; ".join([*parts, "on" if rule.is_on else "off"])


@transaction.atomic
def silence_begin(
    *,
    rule: AlertRule | None,
    instance: str,
    key: str,
    owner: str,
    reason: str,
    ends: datetime,
    author: str,
    at: datetime,
) -> AlertSilence:
    """Begin a silence now. Raises `Invalid` where it has no owner, no reason or no end in the next days."""
    for name, text, most in (("owner", owner, AUTHOR), ("reason", reason, REASON)):
        if not text.strip():
            raise Invalid(name, say("must not be empty"))
        if len(text) > most or not text.isprintable():
            raise Invalid(name, say("is longer than {count} characters, or holds one that cannot be shown", count=most))
    if AlertSilence.objects.filter(ends__gt=at).count() >= MOST_SILENCES:
        raise Invalid("", say("there are {count} silences already: end one first", count=MOST_SILENCES))
    if not at < ends <= at + LONGEST:
        raise Invalid("ends", say("must lie within the next {count} days", count=LONGEST.days))
    _check_instance(instance)
    row = AlertSilence.objects.create(
        rule=rule,
        instance=instance,
        key=key,
        owner=owner.strip(),
        reason=reason.strip(),
        begins=at,
        ends=ends,
        author=author,
    )
    audit(author=author, action="alert_silence.begin", note=_covers(row), changes=changes_of(None, _silence(row)))
    return row


@transaction.atomic
def silence_end(*, pk: int, author: str, at: datetime) -> None:
    """End a silence now. Raises `AlertStaleError` where it is over or gone."""
    row = AlertSilence.objects.select_for_update().filter(pk=pk, ends__gt=at).first()
    if row is None:
        raise AlertStaleError
    _check_instance(row.instance)
    before = _silence(row)
    row.ends = max(at, row.begins)
    row.save(update_fields=["ends"])
    changes = changes_of(before, _silence(row))
    audit(author=author, action="alert_silence.end", note=_covers(row), changes=changes)


def _silence(row: AlertSilence) -> dict[str, Any]:
    return values_of(row, "rule_id", "instance", "key", "owner", "reason", "begins", "ends")


def _check_instance(instance: str) -> None:
    """Raise `InstanceForbiddenError` where the user has no role for all that a silence covers."""
    if instance:
        check_instances([instance])
    else:
        check_every()


def _covers(row: AlertSilence) -> str:
    place = [f"rule {row.rule_id}" if row.rule_id else "every rule", row.instance or "every instance", row.key]
    return f"{', '.join(filter(None, place))}; {row.owner} until {row.ends:%Y-%m-%d %H:%M} UTC: {row.reason}"
