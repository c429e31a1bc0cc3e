"""Bodies of the requests and answers about alerts, their rules and silences."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from brokerui.analysis.alerts.models import KEY, REASON, Alert, AlertRule, AlertSilence
from brokerui.analysis.alerts.rules import HOLD_MAX_S, LARGEST, MOST_INSTANCES, MOST_NUMBERS, RuleKind
from brokerui.analysis.alerts.services import rule_of
from brokerui.analysis.alerts.wording import NEXT_STEPS, rule_sentence
from brokerui.api.etags import etag_of
from brokerui.api.fields import (
    NUMBER_DIGITS,
    ArrayField,
    MomentField,
    NameField,
    StrictBooleanField,
    StrictChoiceField,
    StrictIntegerField,
    StringField,
)
from brokerui.api.queries import PageQuery
from brokerui.api.serializers import StrictSerializer
from brokerui.core.sentence_json import sentence_from_json
from brokerui.estate.models.versions import AUTHOR
from routing.common.finding import SEVERITIES
from routing.common.moment import format_moment
from routing.common.sentence import translator

translate = translator(gettext, ngettext)
KINDS: Final = tuple(kind.value for kind in RuleKind)
MOST_NUMBER: Final = 999_999_999
_THRESHOLD: Final = _("The figure at which an alert opens, in the unit of the kind.")
_CLEAR: Final = _("The figure beyond which it closes; between the two an open alert stays. Left out: the threshold.")
_HOLD: Final = _("Seconds for which the figure must be at the threshold before the alert opens.")
_INSTANCES: Final = _("Instances that the rule is about; empty: all.")
_NUMBERS: Final = _("Numbers of causes that the rule is about; empty: all.")


class AlertQuery(PageQuery):
    """Which alerts."""

    is_open = StrictBooleanField(help_text=_("Only those that are open, or only those that are over."))


class AlertSerializer(serializers.Serializer):
    """An alert that opened."""

    number = serializers.IntegerField()
    kind = serializers.ChoiceField(KINDS)
    severity = serializers.ChoiceField(SEVERITIES)
    alert = serializers.CharField(help_text=_("The fault with its place."))
    next_step = serializers.CharField()
    page = serializers.CharField(help_text=_("The address of the page on which a person goes on."))
    instance = serializers.CharField(allow_null=True)
    database = serializers.CharField(allow_null=True)
    key = serializers.CharField(help_text=_("Names the object: a silence of this object has it."))
    rule = serializers.IntegerField(allow_null=True, help_text=_("The number of its rule; null: it was deleted."))
    figure = serializers.FloatField(allow_null=True, help_text=_("The last one; null: without end."))
    peak = serializers.FloatField(allow_null=True, help_text=_("The worst one."))
    since = serializers.DateTimeField(help_text=_("When the figure was seen at the threshold first."))
    opened_at = serializers.DateTimeField()
    closed_at = serializers.DateTimeField(allow_null=True)


class AlertRuleSerializer(serializers.Serializer):
    """A rule."""

    number = serializers.IntegerField()
    kind = serializers.ChoiceField(KINDS)
    sentence = serializers.CharField(help_text=_("The condition in words."))
    threshold = serializers.IntegerField(help_text=_THRESHOLD)
    clear = serializers.IntegerField(help_text=_CLEAR)
    hold_s = serializers.IntegerField(help_text=_HOLD)
    severity = serializers.ChoiceField(SEVERITIES)
    instances = serializers.ListField(child=serializers.CharField(), help_text=_INSTANCES)
    numbers = serializers.ListField(child=serializers.IntegerField(), help_text=_NUMBERS)
    is_on = serializers.BooleanField()
    author = serializers.CharField(allow_null=True, help_text=_("Null: it is as it came with the product."))
    changed_at = serializers.DateTimeField(allow_null=True)
    evaluated_at = serializers.DateTimeField(allow_null=True)


def _figure(**options: Any) -> StrictIntegerField:
    return StrictIntegerField(min_value=0, max_value=LARGEST, **options)


def _number() -> StrictIntegerField:
    return StrictIntegerField(min_value=0, max_value=MOST_NUMBER)


class _RuleMembers(StrictSerializer):
    """Members that a new rule and a change share."""

    clear = _figure(required=False, help_text=_CLEAR)
    hold_s = StrictIntegerField(min_value=0, max_value=HOLD_MAX_S, required=False, help_text=_HOLD)
    severity = StrictChoiceField(SEVERITIES, required=False)
    instances = ArrayField(child=NameField(), max_length=MOST_INSTANCES, required=False, help_text=_INSTANCES)
    numbers = ArrayField(child=_number(), max_length=MOST_NUMBERS, required=False, help_text=_NUMBERS)
    is_on = StrictBooleanField(required=False)


class NewAlertRuleSerializer(_RuleMembers):
    """A new rule."""

    kind = StrictChoiceField(KINDS)
    threshold = _figure(help_text=_THRESHOLD)


class AlertRuleChangeSerializer(_RuleMembers):
    """A change of a rule. A member that is left out keeps its value."""

    threshold = _figure(required=False, help_text=_THRESHOLD)


class AlertSilenceSerializer(serializers.Serializer):
    """A silence that is not over."""

    number = serializers.IntegerField()
    rule = serializers.IntegerField(allow_null=True, help_text=_("Null: every rule."))
    instance = serializers.CharField(allow_null=True, help_text=_("Null: every instance."))
    key = serializers.CharField(allow_null=True, help_text=_("Null: every object."))
    owner = serializers.CharField()
    reason = serializers.CharField()
    begins = serializers.DateTimeField()
    ends = serializers.DateTimeField()
    author = serializers.CharField()


class NewAlertSilenceSerializer(StrictSerializer):
    """A new silence, which begins now."""

    rule = StrictIntegerField(
        min_value=1, max_value=10**NUMBER_DIGITS - 1, required=False, help_text=_("The number of the rule.")
    )
    instance = NameField(required=False)
    key = StringField(max_length=KEY, required=False, help_text=_("The `key` of an alert."))
    owner = NameField(max_length=AUTHOR, help_text=_("The person responsible."))
    reason = NameField(max_length=REASON)
    ends = MomentField(help_text=_("Within the next 90 days."))


def alert_as_json(row: Alert) -> dict[str, Any]:
    """Return an alert."""
    return {
        "number": row.pk,
        "kind": row.kind,
        "severity": row.severity,
        "alert": sentence_from_json(row.heading).render(translate),
        "next_step": NEXT_STEPS[RuleKind(row.kind)].render(translate),
        "page": row.page,
        "instance": row.instance or None,
        "database": row.database or None,
        "key": row.key,
        "rule": row.rule_id,
        "figure": _finite(row.figure),
        "peak": _finite(row.peak),
        "since": format_moment(row.since),
        "opened_at": _moment(row.opened_at),
        "closed_at": _moment(row.closed_at),
    }


def alert_rule_as_json(row: AlertRule) -> dict[str, Any]:
    """Return a rule."""
    return {
        "number": row.pk,
        "kind": row.kind,
        "sentence": rule_sentence(rule_of(row)).render(translate),
        "threshold": row.threshold,
        "clear": row.clear,
        "hold_s": row.hold_s,
        "severity": row.severity,
        "instances": row.instances,
        "numbers": row.numbers,
        "is_on": row.is_on,
        "author": row.author or None,
        "changed_at": _moment(row.changed_at),
        "evaluated_at": _moment(row.evaluated_at),
    }


def alert_silence_as_json(row: AlertSilence) -> dict[str, Any]:
    """Return a silence."""
    return {
        "number": row.pk,
        "rule": row.rule_id,
        "instance": row.instance or None,
        "key": row.key or None,
        "owner": row.owner,
        "reason": row.reason,
        "begins": format_moment(row.begins),
        "ends": format_moment(row.ends),
        "author": row.author,
    }


def etag_of_rule(row: AlertRule) -> str:
    """Return the ETag of a rule: each write of it has a later moment."""
    return etag_of("alert_rule", str(row.pk), str(row.changed_at))


def etag_of_silence(row: AlertSilence) -> str:
    """Return the ETag of a silence, which changes when it is ended."""
    return etag_of("alert_silence", str(row.pk), str(row.ends))


def _moment(at: datetime | None) -> str | None:
    return None if at is None else format_moment(at)


def _finite(figure: float) -> float | None:
    return figure if math.isfinite(figure) else None
