"""Alerts for a monitoring system: their number by kind and severity, which are few however many alerts there are."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count
from prometheus_client.metrics_core import Metric

from brokerui.analysis.alerts.channel_models import AlertDelivery
from brokerui.analysis.alerts.selectors import alerts_open, rules_all
from brokerui.eventlog.exposition import gauge


def alert_metrics() -> Iterator[Metric]:
    """Yield the metrics. Each kind and severity that a rule has is there, with 0 where no alert is open."""
    rules = [rule for rule in rules_all() if rule.is_on]
    counts = {(rule.kind, rule.severity): 0 for rule in rules}
    counts |= {(kind, severity): n for kind, severity, n in _open()}
    values = [({"kind": kind, "severity": severity}, n) for (kind, severity), n in sorted(counts.items())]
    yield gauge("brokerui_alerts", "Open alerts.", values)
    looks = [rule.evaluated_at.timestamp() if rule.evaluated_at else 0 for rule in rules]
    help_text = "When the rule that was evaluated longest ago was evaluated; 0: never."
    yield gauge("brokerui_alerts_evaluated_timestamp_seconds", help_text, [({}, min(looks))] if looks else [])
    waiting = AlertDelivery.objects.filter(due_at__isnull=False).count()
    yield gauge(
        "brokerui_alert_deliveries_waiting", "Messages about alerts to be sent, or sent again.", [({}, waiting)]
    )


def _open() -> list[tuple[str, str, int]]:
    rows = alerts_open().order_by().values_list("kind", "severity")
    return list(rows.annotate(n=Count("pk")))
