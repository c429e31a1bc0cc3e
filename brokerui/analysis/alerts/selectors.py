"""Reading alerts, rules and silences."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from django.db.models import Case, F, Max, QuerySet, When

from brokerui.analysis.alerts.announcing import Announced, Quiet
from brokerui.analysis.alerts.channel_models import AlertChannel, AlertDelivery
from brokerui.analysis.alerts.models import Alert, AlertRule, AlertSilence
from routing.common.finding import SEVERITIES

NUMBER_DIGITS = 10


def rules_all() -> list[AlertRule]:
    """Every rule, in the order in which they were made."""
    return list(AlertRule.objects.all())


def alerts_open() -> QuerySet[Alert]:
    """Open alerts, the latest first."""
    return Alert.objects.filter(opened_at__isnull=False, closed_at=None)


def alerts_after(last: int | None, limit: int, *, is_open: bool | None = None) -> list[Alert]:
    """Alerts that opened, the newest first, from the one behind number `last` on."""
    rows = Alert.objects.filter(opened_at__isnull=False)
    if is_open is not None:
        rows = rows.filter(closed_at__isnull=is_open)
    if last is not None:
        rows = rows.filter(pk__lt=last)
    return list(rows.order_by("-pk")[:limit])


OVER_ORDERS: Final[Mapping[str, F | Case]] = {
    "ended": F("closed_at"),
    "began": F("since"),
    "severity": Case(*(When(severity=one, then=n) for n, one in enumerate(SEVERITIES)), default=len(SEVERITIES)),
}
"""Orders of the history, each by the name of its column; the severest comes first."""


def alerts_over(order: str, limit: int) -> list[Alert]:
    """Alerts that are over, in one of `OVER_ORDERS` (after a minus the other way); of equal ones the newest first."""
    by = OVER_ORDERS[order.removeprefix("-")]
    first = by.desc() if order.startswith("-") else by.asc()
    return list(Alert.objects.filter(opened_at__isnull=False, closed_at__isnull=False).order_by(first, "-pk")[:limit])


def rule_get(pk: int) -> AlertRule | None:
    return AlertRule.objects.filter(pk=pk).first()


def silence_get(pk: int) -> AlertSilence | None:
    return AlertSilence.objects.select_related("rule").filter(pk=pk).first()


def silences_now(at: datetime) -> list[AlertSilence]:
    """Silences that are not over, the one that ends last first."""
    return list(AlertSilence.objects.select_related("rule").filter(ends__gt=at))


def channels_all() -> list[AlertChannel]:
    """Every channel, by name."""
    return list(AlertChannel.objects.all())


def channel_get(pk: int) -> AlertChannel | None:
    return AlertChannel.objects.filter(pk=pk).first()


def deliveries_of(channel: int, limit: int = 20) -> list[AlertDelivery]:
    """The messages of a channel, the newest first."""
    return list(AlertDelivery.objects.defer("content").filter(channel=channel)[:limit])


def last_deliveries() -> dict[int, AlertDelivery]:
    """By channel: its newest message. One query."""
    newest = AlertDelivery.objects.values("channel").annotate(last=Max("pk")).order_by()
    rows = AlertDelivery.objects.defer("content").filter(pk__in=newest.values("last"))
    return {row.channel_id: row for row in rows}


def alert_get(number: str) -> Alert | None:
    """The alert of a number, as an address has it."""
    is_number = number.isascii() and number.isdecimal() and len(number) < NUMBER_DIGITS
    return Alert.objects.select_related("rule").filter(pk=int(number)).first() if is_number else None


def quiets_of(rows: Iterable[AlertSilence]) -> list[Quiet]:
    """The silences as the announcing takes them."""
    return [
        Quiet(begins=row.begins, ends=row.ends, rule=row.rule_id, instance=row.instance, key=row.key) for row in rows
    ]


def announced_of(row: Alert) -> Announced:
    """An alert as the announcing takes it."""
    return Announced(
        rule=row.rule_id,
        key=row.key,
        instance=row.instance,
        is_over=row.closed_at is not None,
        opening=row.opening_announced_at,
        closing=row.closing_announced_at,
    )
