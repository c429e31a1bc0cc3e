"""Tables of alerts (channels stand in `channel_models`): rules, what they found, and silences."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from brokerui.analysis.alerts.channel_models import AlertChannel, AlertDelivery
from brokerui.analysis.alerts.rules import RuleKind
from brokerui.estate.models.base import SERVICE_NAME, SYSNAME
from brokerui.estate.models.versions import AUTHOR
from brokerui.messaging.models.base import Name
from routing.common.finding import SEVERITIES

__all__ = ["Alert", "AlertChannel", "AlertDelivery", "AlertRule", "AlertSilence"]
KIND, SEVERITY, KEY = 12, 7, 300
REASON, PAGE = 300, 2_000
KINDS = [kind.value for kind in RuleKind]


class AlertRule(models.Model):
    """A rule, with the names of `rules.Rule`."""

    kind = models.CharField(max_length=KIND)
    threshold = models.IntegerField()
    clear = models.IntegerField()
    hold_s = models.IntegerField(default=0)
    severity = models.CharField(max_length=SEVERITY)
    instances = models.JSONField(default=list)
    numbers = models.JSONField(default=list)
    is_on = models.BooleanField(default=True)
    author = models.CharField(max_length=AUTHOR, blank=True)
    """The user who wrote it last; empty: it came with the product."""
    changed_at = models.DateTimeField(null=True)
    """Null: it is as it came with the product."""
    evaluated_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=KINDS), name="alerts_rule_kind"),
            models.CheckConstraint(condition=Q(severity__in=SEVERITIES), name="alerts_rule_severity"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.threshold}"


class Alert(models.Model):
    """An object whose figure reached the threshold of a rule: it is watched, open, or over."""

    rule = models.ForeignKey(AlertRule, on_delete=models.SET_NULL, null=True, related_name="alerts")
    """Null: the rule was deleted."""
    kind = models.CharField(max_length=KIND)
    severity = models.CharField(max_length=SEVERITY)
    key = Name(max_length=KEY)
    """Names the object."""
    instance = Name(max_length=SERVICE_NAME, blank=True)
    database = Name(max_length=SYSNAME, blank=True)
    number = models.IntegerField(default=0)
    heading = models.TextField()
    """A sentence as JSON (`core/sentence_json.py`)."""
    page = models.CharField(max_length=PAGE)
    figure = models.FloatField()
    peak = models.FloatField()
    since = models.DateTimeField()
    """When the figure was seen at the threshold first."""
    opened_at = models.DateTimeField(null=True)
    """Null: it has not held long enough."""
    closed_at = models.DateTimeField(null=True)
    opening_announced_at = models.DateTimeField(null=True)
    closing_announced_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-opened_at", "-id"]
        constraints = [
            models.UniqueConstraint(fields=["rule", "key"], condition=Q(closed_at=None), name="alerts_open_once"),
        ]
        indexes = [
            models.Index(fields=["-opened_at", "-id"], name="alerts_latest"),
            models.Index(fields=["closed_at"], name="alerts_closed"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"


class AlertSilence(models.Model):
    """While it lasts, alerts are kept and shown, and not announced. It is never deleted before its end: it is ended."""

    rule = models.ForeignKey(AlertRule, on_delete=models.CASCADE, null=True, related_name="silences")
    """Null: every rule."""
    instance = Name(max_length=SERVICE_NAME, blank=True)
    """Empty: every instance."""
    key = Name(max_length=KEY, blank=True)
    """The object of an alert; empty: every one."""
    owner = models.CharField(max_length=AUTHOR)
    """The person responsible."""
    reason = models.CharField(max_length=REASON)
    begins = models.DateTimeField()
    ends = models.DateTimeField()
    author = models.CharField(max_length=AUTHOR)

    class Meta:
        ordering = ["-ends", "-id"]
        constraints = [models.CheckConstraint(condition=Q(ends__gte=F("begins")), name="alerts_silence_order")]

    def __str__(self) -> str:
        return f"{self.owner} until {self.ends}"
