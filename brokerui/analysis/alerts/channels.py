"""Writing channels. Secrets are made here, given to the caller once, and kept encrypted."""

from __future__ import annotations

import json
import secrets
from datetime import datetime
from typing import Any, Final
from uuid import uuid4

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import IntegrityError, transaction

from brokerui.analysis.alerts.channel_models import NAME, TARGET, AlertChannel, ChannelKind
from brokerui.analysis.alerts.destinations import destination_of, network_of
from brokerui.analysis.alerts.errors import AlertStaleError, DeliveryError
from brokerui.analysis.alerts.messengers import messenger_check
from brokerui.estate.audit import audit
from brokerui.estate.audit_changes import changes_of, values_of
from brokerui.messaging.keys.sealing import seal, unseal
from routing.common.errors import Invalid
from routing.common.finding import SEVERITIES
from routing.common.sentence import say

MOST: Final = 50
SECRET_BYTES: Final = 32


@transaction.atomic
def channel_create(
    *, kind: str, name: str, target: str, severity: str, author: str, at: datetime
) -> tuple[AlertChannel, str]:
    """Add a channel; return it with the secret of a webhook's signatures, which is not shown again; of others it is
    empty. `target`: e-mail addresses by commas, or the URL of a webhook or messenger. Raises `Invalid`."""
    if AlertChannel.objects.count() >= MOST:
        raise Invalid("", say("there are {count} channels already: delete one first", count=MOST))
    row = AlertChannel(kind=kind, name=_name(name), place=str(uuid4()), severity=severity, author=author, changed_at=at)
    if severity not in SEVERITIES:
        raise Invalid("severity", say("is none of {names}", names=SEVERITIES))
    secret = ""
    if kind == ChannelKind.EMAIL:
        row.target = _emails(target)
    elif kind == ChannelKind.MESSENGER:
        row.target = _service(target)
        row.sealed = _sealed(row.place, target, "")
    else:
        row.target, secret = _host(target), secrets.token_urlsafe(SECRET_BYTES)
        row.sealed = _sealed(row.place, target, secret)
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        raise Invalid("name", say("another channel has this name")) from None
    audit(author=author, action="alert_channel.create", note=_words(row), changes=changes_of(None, _values(row)))
    return row, secret


@transaction.atomic
def channel_change(
    *, pk: int, severity: str, is_on: bool, author: str, at: datetime, seen_at: datetime
) -> AlertChannel:
    """Change the severity of a channel, or switch it on or off. Raises `AlertStaleError` where it changed after
    `seen_at`, and `Invalid`."""
    if severity not in SEVERITIES:
        raise Invalid("severity", say("is none of {names}", names=SEVERITIES))
    row = _seen(pk, seen_at)
    before, old = _words(row), _values(row)
    row.severity, row.is_on, row.author, row.changed_at = severity, is_on, author, at
    row.save()
    changes = changes_of(old, _values(row))
    audit(author=author, action="alert_channel.change", note=f"{before} -> {_words(row)}", changes=changes)
    return row


@transaction.atomic
def channel_delete(*, pk: int, author: str, seen_at: datetime) -> None:
    """Delete a channel with its deliveries. Raises `AlertStaleError`."""
    row = _seen(pk, seen_at)
    audit(author=author, action="alert_channel.delete", note=_words(row), changes=changes_of(_values(row), None))
    row.delete()


def address_of(row: AlertChannel) -> tuple[str, str]:
    """URL and secret of a webhook; URL of a messenger. Raises `DeliveryError` where they cannot be decrypted."""
    try:
        found = json.loads(unseal(bytes(row.sealed or b""), row.place, b""))
    except Invalid:
        problem = say("its secret cannot be decrypted: KEYS_SECRET, or keys.secret in the home, is another one now")
        raise DeliveryError(problem) from None
    return found["url"], found["secret"]


def _seen(pk: int, seen_at: datetime) -> AlertChannel:
    row = AlertChannel.objects.select_for_update().filter(pk=pk, changed_at=seen_at).first()
    if row is None:
        raise AlertStaleError
    return row


def _sealed(place: str, url: str, secret: str) -> bytes:
    return seal(json.dumps({"url": url, "secret": secret}).encode(), place, b"")


def _name(given: str) -> str:
    name = " ".join(given.split())
    if not name or len(name) > NAME or not name.isprintable():
        raise Invalid("name", say("must have 1 to {count} characters that can be shown", count=NAME))
    return name


def _emails(given: str) -> str:
    """E-mail addresses, as the mail server takes them."""
    if not settings.EMAIL_HOST:
        raise Invalid("target", say("no mail server is known: set EMAIL_HOST"))
    found = [one.strip() for one in given.split(",") if one.strip()]
    for one in found:
        try:
            validate_email(one)
        except ValidationError:
            raise Invalid("target", say("{address} is no e-mail address", address=one[:100])) from None
    joined = ", ".join(found)
    if not found or len(joined) > TARGET:
        raise Invalid("target", say("must hold e-mail addresses of {count} characters together", count=TARGET))
    return joined


def _host(url: str) -> str:
    """The host of a webhook that the administrator has allowed. Its addresses are checked before each request."""
    to = destination_of(url)
    if len(url) > 2_000:
        raise Invalid("url", say("is longer than {count} characters", count=2_000))
    names = {one.lower() for one in settings.ALERT_HOSTS}
    has_networks = any(network_of(one) is not None for one in settings.ALERT_HOSTS)
    if to.host.lower() not in names and not has_networks:
        problem = say("{host} is not allowed: an administrator of the site adds it to ALERT_HOSTS", host=to.host)
        raise Invalid("url", problem)
    return to.host[:TARGET]


def _service(url: str) -> str:
    """The service of a messenger. The addresses that it uses are checked when a message is sent."""
    if not settings.ALERT_HOSTS:
        raise Invalid("url", say("no host is allowed: an administrator of the site lists it in ALERT_HOSTS"))
    try:
        return messenger_check(url)[:TARGET]
    except DeliveryError as error:
        raise Invalid("url", error.problem) from None


def _values(row: AlertChannel) -> dict[str, Any]:
    """Return the fields for the audit; of a webhook the host alone, of a messenger the service."""
    return values_of(row, "kind", "name", "target", "severity", "is_on")


def _words(row: AlertChannel) -> str:
    return f"{row.kind} {row.name} to {row.target}, from {row.severity}, {'on' if row.is_on else 'off'}"
