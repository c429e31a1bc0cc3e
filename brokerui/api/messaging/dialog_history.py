"""`dialogs/HANDLE/history/`: the timeline of both sides, and the decisions of routing as of then."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.analysis.conversations.as_json import INITIATOR, TARGET, history_as_json
from brokerui.analysis.conversations.past import MOST_PORTIONS
from brokerui.analysis.conversations.timeline import EntryKind, WireMark
from brokerui.api import openapi
from brokerui.api.etags import etag_of_json, is_known
from brokerui.api.fields import StrictIntegerField
from brokerui.api.messaging.base import MessagingView
from brokerui.api.messaging.dialogs import HANDLE, TAG
from brokerui.api.serializers import QuerySerializer, read_query

SIDES: Final = (INITIATOR, TARGET)


class HistoryQuery(QuerySerializer):
    """How far back."""

    portions = StrictIntegerField(
        min_value=0,
        max_value=MOST_PORTIONS,
        default=0,
        help_text=_("Portions of the event log that are looked through, the newest first; none where it is off."),
    )


class HistorySideSerializer(serializers.Serializer):
    """One endpoint, where its instance is hosted here."""

    side = serializers.ChoiceField(SIDES)
    instance = serializers.CharField()
    database = serializers.CharField()
    conversation_handle = serializers.UUIDField()
    service = serializers.CharField()
    state = serializers.CharField()
    to_send = serializers.IntegerField(min_value=0)
    acknowledged = serializers.IntegerField(min_value=0)
    received = serializers.IntegerField(min_value=0)


class HistoryEntrySerializer(serializers.Serializer):
    """One line of the timeline."""

    at = serializers.DateTimeField()
    kind = serializers.ChoiceField([kind.value for kind in EntryKind])
    side = serializers.ChoiceField(SIDES)
    instance = serializers.CharField(allow_null=True, help_text=_("Null: that side is not hosted here."))
    says = serializers.CharField()
    note = serializers.CharField(allow_null=True)
    wire = serializers.ChoiceField(
        [mark.value for mark in WireMark if mark], allow_null=True, help_text=_("Between the two sides.")
    )
    follows = serializers.BooleanField(help_text=_("Whether it is still to come."))


class DecidingRuleSerializer(serializers.Serializer):
    """A rule that decided."""

    rule = serializers.CharField()
    says = serializers.CharField()


class RoutingAnswerSerializer(serializers.Serializer):
    """The answer of routing by a version of the estate."""

    version = serializers.IntegerField(min_value=0)
    decides = serializers.ListField(child=serializers.CharField(), help_text=_("At the sender's instance."))
    ends = serializers.ListField(child=serializers.CharField(), help_text=_("Where the messages end."))
    rules = DecidingRuleSerializer(many=True)


class PastDecisionSerializer(serializers.Serializer):
    """The decision about a message when it was sent."""

    side = serializers.ChoiceField(SIDES)
    message_sequence_number = serializers.IntegerField(min_value=0)
    at = serializers.DateTimeField()
    then = RoutingAnswerSerializer()
    now = RoutingAnswerSerializer(allow_null=True, help_text=_("Where it differs from that of then."))


class DialogHistorySerializer(serializers.Serializer):
    """The history of a conversation."""

    conversation_id = serializers.UUIDField()
    sides = HistorySideSerializer(many=True)
    entries = HistoryEntrySerializer(many=True, help_text=_("The oldest first."))
    decisions = PastDecisionSerializer(many=True, help_text=_("For the first and last known message of each side."))
    is_logged = serializers.BooleanField(help_text=_("Whether the event log is on."))
    log_since = serializers.DateTimeField(allow_null=True, help_text=_("Since when the event log was looked through."))
    is_whole_log = serializers.BooleanField()


class DialogHistory(MessagingView):
    """The history of a conversation, read only."""

    http_method_names = ["get", "head"]

    @extend_schema(
        operation_id="dialog_history",
        tags=TAG,
        summary=_("Read the history of one"),
        description=_(
            "What the page of a conversation shows: messages that tables still have, exceptional events and clocks of"
            " both sides, the event log with `portions`, and the decisions of routing by the versions of then. No body."
        ),
        **openapi.conditional_get(DialogHistorySerializer, query=HistoryQuery, parameters=[HANDLE]),
    )
    def get(self, request: Request, handle: str) -> Response:
        """Return it."""
        body = history_as_json(handle, read_query(request, HistoryQuery)["portions"])
        etag = etag_of_json(body)
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(body, headers={"ETag": etag})
