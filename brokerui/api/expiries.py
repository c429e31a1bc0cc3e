"""`expiries/`: routes, lifetimes of conversations and dialog timers that end within a time, as the page *Expiry*."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Final

from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.analysis.effect.wording import effect_in_words
from brokerui.analysis.expiry.conversations import ExpiringConversations, conversation_ends
from brokerui.analysis.expiry.routes import WORST, ExpiringRoute, expiring_routes
from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.etags import etag_of_json, is_known
from brokerui.api.fields import StrictIntegerField
from brokerui.api.serializers import QuerySerializer, read_query
from brokerui.estate.selectors import estate_current
from routing.common.moment import format_moment, from_milliseconds, to_milliseconds
from routing.common.sentence import translator

MOST: Final = 100
MAX_HOURS: Final = 90 * 24
WEEK: Final = 7 * 24
translate = translator(gettext, ngettext)


class ExpiryQuery(QuerySerializer):
    """How far ahead."""

    within_hours = StrictIntegerField(
        min_value=1, max_value=MAX_HOURS, default=WEEK, help_text=_("From now on; a week without it.")
    )


class OutcomeCountSerializer(serializers.Serializer):
    """Conversations that then have one outcome."""

    outcome = serializers.ChoiceField(list(WORST))
    conversations = serializers.IntegerField(min_value=1)


class ExpiringRouteSerializer(serializers.Serializer):
    """A route with the end of its lifetime."""

    at = serializers.DateTimeField()
    instance = serializers.CharField()
    database = serializers.CharField()
    name = serializers.CharField()
    remote_service_name = serializers.CharField(allow_null=True)
    effect = serializers.CharField(
        allow_null=True, help_text=_("What the end changes, in words; null: it is still being compared.")
    )
    hosted = OutcomeCountSerializer(
        many=True, help_text=_("Conversations of hosted instances that then end otherwise, the worst outcome first.")
    )
    remedy_sql = serializers.CharField(
        allow_null=True, help_text=_("Statements that make the route again without a lifetime.")
    )


class ExpiringConversationsSerializer(serializers.Serializer):
    """Conversations of a hosted service."""

    first_at = serializers.DateTimeField(help_text=_("The earliest of them."))
    instance = serializers.CharField()
    database = serializers.CharField()
    service = serializers.CharField()
    conversations = serializers.IntegerField(min_value=1)


class ExpiriesSerializer(serializers.Serializer):
    """All of them, in the order of time."""

    routes = ExpiringRouteSerializer(many=True)
    more = serializers.IntegerField(min_value=0, help_text=_("Routes that expire later and are not listed."))
    lifetimes = ExpiringConversationsSerializer(many=True, help_text=_("Conversations whose lifetime ends."))
    timers = ExpiringConversationsSerializer(many=True, help_text=_("Conversations whose dialog timer fires."))


class ExpiriesResource(ApiView):
    """Expiries, read only."""

    http_method_names = ["get", "head"]

    @extend_schema(
        operation_id="expiries",
        tags=openapi.tags(_("Messages")),
        summary=_("Routes, lifetimes and timers that end"),
        description=_(
            "Routes of the live estate with the conversations that end otherwise after them, lifetimes of conversations"
            " and dialog timers of hosted instances, in the order of time."
        ),
        **openapi.conditional_get(ExpiriesSerializer, query=ExpiryQuery),
    )
    def get(self, request: Request) -> Response:
        """Return those within the time."""
        at = timezone.now()
        until = at + timedelta(hours=read_query(request, ExpiryQuery)["within_hours"])
        routes, more = expiring_routes(estate_current(), at, until, MOST)
        begin, end = to_milliseconds(at), to_milliseconds(until)
        ends = conversation_ends(begin, end)
        body = {
            "routes": [_route(one) for one in routes],
            "more": more,
            "lifetimes": [_conversations(one) for one in ends.lifetimes],
            "timers": [_conversations(one) for one in ends.timers],
        }
        etag = etag_of_json(body)
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(body, headers={"ETag": etag})


def _route(one: ExpiringRoute) -> dict[str, Any]:
    effect = one.effect if one.is_settled else None
    hosted = [
        {"outcome": kind, "conversations": one.conversations[kind]} for kind in WORST if kind in one.conversations
    ]
    return {
        "at": format_moment(one.at),
        "instance": one.instance,
        "database": one.database,
        "name": one.route.name,
        "remote_service_name": one.route.remote_service_name,
        "effect": effect_in_words(effect).title.render(translate) if effect is not None else None,
        "hosted": hosted,
        "remedy_sql": one.remedy_sql(one.at),
    }


def _conversations(one: ExpiringConversations) -> dict[str, Any]:
    return {
        "first_at": from_milliseconds(one.first).isoformat(),
        "instance": one.instance,
        "database": one.database,
        "service": one.service,
        "conversations": one.number,
    }
