"""`forwarding/`: instances that forward messages for others, as the page *Forwarding* has them."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.analysis.monitoring.forwarding import ForwardingInstance, forwarding_now
from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.etags import etag_of_json, is_known
from brokerui.api.queries import NoQuery
from brokerui.api.serializers import read_query
from brokerui.estate.selectors import estate_current
from brokerui.messaging.clock import now
from brokerui.messaging.transmission_status import problem_words

MS = 1000


class NextHopSerializer(serializers.Serializer):
    """Fragments that wait for one next hop."""

    address = serializers.CharField()
    fragments = serializers.IntegerField(min_value=0)
    bytes = serializers.IntegerField(min_value=0, help_text=_("As they count towards the limit."))
    oldest_s = serializers.IntegerField(min_value=0)


class DroppedSerializer(serializers.Serializer):
    """Fragments that were dropped for one reason in the last hour."""

    error = serializers.IntegerField(help_text=_("The product's number."))
    reason = serializers.CharField()
    fragments = serializers.IntegerField(min_value=0)


class ForwarderSerializer(serializers.Serializer):
    """An instance that forwards, or did in the last hour."""

    instance = serializers.CharField()
    is_message_forwarding_enabled = serializers.BooleanField()
    limit_bytes = serializers.IntegerField(min_value=0, help_text=_("MESSAGE_FORWARD_SIZE, for each worker."))
    fullest_bytes = serializers.IntegerField(min_value=0, help_text=_("Held by the worker that holds most."))
    fragments = serializers.IntegerField(min_value=0)
    bytes = serializers.IntegerField(min_value=0)
    next_hops = NextHopSerializer(many=True)
    sent = serializers.IntegerField(min_value=0, help_text=_("Fragments sent on in the last hour."))
    dropped = DroppedSerializer(many=True)


class ForwardingSerializer(serializers.Serializer):
    """All of them."""

    is_known = serializers.BooleanField(
        help_text=_("False: Redis does not answer, so that held fragments are missing.")
    )
    instances = ForwarderSerializer(many=True)


class ForwardingResource(ApiView):
    """Forwarding, read only."""

    http_method_names = ["get", "head"]

    @extend_schema(
        operation_id="forwarding",
        tags=openapi.tags(_("Messages")),
        summary=_("Messages held and dropped while they are forwarded"),
        description=_(
            "Hosted instances that forward messages of others: fragments held in memory by next hop, the limit, and"
            " fragments that were sent on and dropped in the last hour, by reason."
        ),
        **openapi.conditional_get(ForwardingSerializer),
    )
    def get(self, request: Request) -> Response:
        """Return them as of now."""
        read_query(request, NoQuery)
        found = forwarding_now(estate_current().estate, now())
        body = {"is_known": found.is_known, "instances": [_as_json(one) for one in found.instances]}
        etag = etag_of_json(body)
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(body, headers={"ETag": etag})


def _as_json(one: ForwardingInstance) -> dict[str, Any]:
    hops = [
        {"address": hop.address, "fragments": hop.fragments, "bytes": hop.size, "oldest_s": hop.oldest_ms // MS}
        for hop in one.hops
    ]
    dropped = [
        {"error": number, "reason": problem_words(number), "fragments": times} for number, times in one.dropped.items()
    ]
    return {
        "instance": one.name,
        "is_message_forwarding_enabled": one.is_on,
        "limit_bytes": one.limit_bytes,
        "fullest_bytes": one.fullest_bytes,
        "fragments": one.fragments,
        "bytes": one.size,
        "next_hops": hops,
        "sent": one.sent,
        "dropped": dropped,
    }
