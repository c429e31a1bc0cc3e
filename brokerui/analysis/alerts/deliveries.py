"""Announces alerts, and delivers each message at least once: a row is there before anything is sent."""

from __future__ import annotations

import json
import logging
import smtplib
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Final
from uuid import uuid4

from celery import current_app
from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from brokerui.analysis.alerts.announcing import is_to_be_announced
from brokerui.analysis.alerts.channel_models import AlertChannel, AlertDelivery, ChannelKind
from brokerui.analysis.alerts.channels import address_of
from brokerui.analysis.alerts.content import content_of, content_of_test, subject_of, text_of
from brokerui.analysis.alerts.errors import DeliveryError
from brokerui.analysis.alerts.messengers import messenger_send
from brokerui.analysis.alerts.models import Alert
from brokerui.analysis.alerts.selectors import announced_of, quiets_of, silences_now
from brokerui.analysis.alerts.webhooks import webhook_send
from brokerui.core.backoff import Backoff
from brokerui.core.celery_wake import wake
from brokerui.core.sentence_json import sentence_as_json
from brokerui.estate.audit import audit
from routing.common.finding import SEVERITIES
from routing.common.sentence import say

logger = logging.getLogger(__name__)
BACKOFF: Final = Backoff(first_s=15.0, max_s=3_600.0, jitter=0.2)
ATTEMPTS: Final = 10
LAPSE: Final = timedelta(minutes=2)
"""A message whose worker does not report within this time is sent again."""
TASK: Final = "brokerui.alerts.tasks.deliveries_send"
AT_ONCE: Final = 50
"""Messages of one task."""


@transaction.atomic
def alerts_announce(at: datetime) -> int:
    """Make a message for each channel about the alerts that opened or are over. Returns how many messages there are."""
    channels = list(AlertChannel.objects.filter(is_on=True))
    if not channels:
        return 0
    quiets = quiets_of(silences_now(at))
    rows = [row for row in _unannounced() if is_to_be_announced(announced_of(row), quiets, at)]
    for row in rows:
        name = "opening_announced_at" if row.closed_at is None else "closing_announced_at"
        setattr(row, name, at)
    Alert.objects.bulk_update(rows, ["opening_announced_at", "closing_announced_at"])
    made = [_delivery(one, some, at) for one in channels if (some := _for(one, rows))]
    return len(AlertDelivery.objects.bulk_create(made))


def _unannounced() -> Iterable[Alert]:
    opened = Q(closed_at=None, opened_at__isnull=False, opening_announced_at=None)
    over = Q(closed_at__isnull=False, opening_announced_at__isnull=False, closing_announced_at=None)
    return Alert.objects.select_for_update().filter(opened | over).order_by("pk")


def _for(channel: AlertChannel, rows: Iterable[Alert]) -> list[Alert]:
    wanted = SEVERITIES[: SEVERITIES.index(channel.severity) + 1]
    return [row for row in rows if row.severity in wanted]


def _delivery(channel: AlertChannel, rows: Sequence[Alert], at: datetime) -> AlertDelivery:
    return AlertDelivery(key=str(uuid4()), channel=channel, content=content_of(rows), made_at=at, due_at=at)


@transaction.atomic
def channel_test(*, channel: AlertChannel, author: str, at: datetime) -> AlertDelivery:
    """Have a test sent to a channel, also to one that is off; its delivery has the result."""
    audit(author=author, action="alert_channel.test", note=channel.name)
    content = content_of_test(author)
    transaction.on_commit(lambda: wake(current_app.signature(TASK)))
    return AlertDelivery.objects.create(
        key=str(uuid4()), channel=channel, content=content, is_test=True, made_at=at, due_at=at
    )


def deliveries_send(at: datetime) -> None:
    """Send the messages that are due."""
    due = AlertDelivery.objects.select_related("channel").filter(due_at__lte=at).order_by("due_at", "pk")
    for row in due[:AT_ONCE]:
        if _claimed(row):
            _attempt(row)


def _claimed(row: AlertDelivery) -> bool:
    """Take the message; False where another worker has. It is due again if this worker is lost."""
    lapses = timezone.now() + LAPSE
    mine = AlertDelivery.objects.filter(pk=row.pk, due_at=row.due_at, attempts=row.attempts)
    if not mine.update(due_at=lapses, attempts=row.attempts + 1):
        return False
    row.due_at, row.attempts = lapses, row.attempts + 1
    return True


def _attempt(row: AlertDelivery) -> None:
    try:
        _send(row)
    except DeliveryError as error:
        logger.warning("alerts: %s to %s: %s", row.key, row.channel.name, error.problem)
        pause = timedelta(seconds=BACKOFF.pause_s(row.attempts))
        is_last = row.attempts >= (1 if row.is_test else ATTEMPTS)
        _end(row, due_at=None if is_last else timezone.now() + pause, error=sentence_as_json(error.problem))
    else:
        _end(row, due_at=None, sent_at=timezone.now(), error="")


def _end(row: AlertDelivery, **values: object) -> None:
    """Write the result; a worker that was slower than its claim changes nothing."""
    AlertDelivery.objects.filter(pk=row.pk, attempts=row.attempts).update(**values)


def _send(row: AlertDelivery) -> None:
    now = timezone.now()
    if row.channel.kind == ChannelKind.EMAIL:
        _mail(row)
        return
    url, secret = address_of(row.channel)
    if row.channel.kind == ChannelKind.MESSENGER:
        title, text = subject_of(row.content), text_of(row.content)
        messenger_send(url=url, title=title, body=text, allowed=settings.ALERT_HOSTS)
        return
    body = json.dumps({"delivery": row.key, **row.content}, ensure_ascii=False).encode()
    at = int(now.timestamp())
    webhook_send(url=url, secret=secret, body=body, key=row.key, at=at, allowed=settings.ALERT_HOSTS)


def _mail(row: AlertDelivery) -> None:
    domain = settings.DEFAULT_FROM_EMAIL.rpartition("@")[2].rstrip(">")
    message = EmailMessage(
        subject_of(row.content),
        text_of(row.content),
        to=row.channel.target.split(", "),
        headers={"Message-ID": f"<{row.key}@{domain}>", "Auto-Submitted": "auto-generated"},
    )
    try:
        message.send()
    except (OSError, smtplib.SMTPException) as error:
        problem = say("the mail server did not take it: {reason}", reason=type(error).__name__)
        raise DeliveryError(problem) from None
