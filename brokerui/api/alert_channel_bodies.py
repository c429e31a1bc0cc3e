"""Bodies of the requests and answers about channels of alerts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from brokerui.analysis.alerts.channel_models import NAME, AlertChannel, AlertDelivery, ChannelKind
from brokerui.api.etags import etag_of
from brokerui.api.fields import NameField, StrictBooleanField, StrictChoiceField
from brokerui.api.serializers import StrictSerializer
from brokerui.core.sentence_json import sentence_from_json
from routing.common.finding import SEVERITIES
from routing.common.moment import format_moment
from routing.common.sentence import translator

translate = translator(gettext, ngettext)
MOST_TARGET: Final = 2_000
KINDS: Final = tuple(kind.value for kind in ChannelKind)
_SEVERITY: Final = _("The least severity of the alerts that it gets.")


class AlertDeliverySerializer(serializers.Serializer):
    """A message to a channel."""

    key = serializers.CharField(help_text=_("The Idempotency-Key: the same in each attempt."))
    is_test = serializers.BooleanField()
    made_at = serializers.DateTimeField()
    attempts = serializers.IntegerField()
    next_attempt = serializers.DateTimeField(allow_null=True, help_text=_("Null: it was delivered, or given up."))
    sent_at = serializers.DateTimeField(allow_null=True)
    error = serializers.CharField(allow_null=True, help_text=_("The last failure."))


class AlertChannelSerializer(serializers.Serializer):
    """A channel."""

    number = serializers.IntegerField()
    kind = serializers.ChoiceField(KINDS)
    name = serializers.CharField()
    target = serializers.CharField(
        help_text=_("E-mail addresses, the host of the webhook, or the service of the messenger: no URL is shown.")
    )
    severity = serializers.ChoiceField(SEVERITIES, help_text=_SEVERITY)
    is_on = serializers.BooleanField()
    author = serializers.CharField()
    changed_at = serializers.DateTimeField()


class AlertChannelDetailSerializer(AlertChannelSerializer):
    """A channel with its last messages."""

    deliveries = AlertDeliverySerializer(many=True, help_text=_("The newest first."))


class AddedAlertChannelSerializer(AlertChannelSerializer):
    """A channel that was added just now."""

    secret = serializers.CharField(
        allow_null=True, help_text=_("Of a webhook's signatures. Keep it: it is not shown again.")
    )


class NewAlertChannelSerializer(StrictSerializer):
    """A new channel."""

    kind = StrictChoiceField(KINDS)
    name = NameField(max_length=NAME)
    target = NameField(
        max_length=MOST_TARGET,
        help_text=_("E-mail addresses by commas, or the URL of the webhook or of the messenger, as `slack://…`."),
    )
    severity = StrictChoiceField(SEVERITIES, required=False, help_text=_SEVERITY)


class AlertChannelChangeSerializer(StrictSerializer):
    """A change of a channel. A member that is left out keeps its value."""

    severity = StrictChoiceField(SEVERITIES, required=False, help_text=_SEVERITY)
    is_on = StrictBooleanField(required=False)


def alert_channel_as_json(row: AlertChannel) -> dict[str, Any]:
    """Return a channel without its secrets."""
    return {
        "number": row.pk,
        "kind": row.kind,
        "name": row.name,
        "target": row.target,
        "severity": row.severity,
        "is_on": row.is_on,
        "author": row.author,
        "changed_at": format_moment(row.changed_at),
    }


def deliveries_as_json(rows: Iterable[AlertDelivery]) -> list[dict[str, Any]]:
    """Return messages of a channel without their content."""
    return [
        {
            "key": row.key,
            "is_test": row.is_test,
            "made_at": format_moment(row.made_at),
            "attempts": row.attempts,
            "next_attempt": None if row.due_at is None else format_moment(row.due_at),
            "sent_at": None if row.sent_at is None else format_moment(row.sent_at),
            "error": sentence_from_json(row.error).render(translate) if row.error else None,
        }
        for row in rows
    ]


def etag_of_channel(row: AlertChannel) -> str:
    """Return the ETag of a channel: each write of it has a later moment."""
    return etag_of("alert_channel", str(row.pk), str(row.changed_at))
