"""`estate/`: the estate document."""

from __future__ import annotations

from django.http import StreamingHttpResponse
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.etags import etag_of, is_known
from brokerui.api.queries import EstateQuery
from brokerui.api.serializers import read_query
from brokerui.changes.estate_view import estate_view_from
from routing.documents.estate_document import FORMAT
from routing.documents.writer import estate_as_json
from routing.model.estate import MAX_HOP_LIMIT


class EstateSerializer(serializers.Serializer):
    """An estate document, `brokerui.estate/1`."""

    format = serializers.ChoiceField(["brokerui.estate/1"])
    hop_limit = serializers.IntegerField(min_value=0, max_value=MAX_HOP_LIMIT)
    instances = serializers.ListField(child=serializers.DictField())


class EstateDocument(ApiView):
    """The estate document."""

    @extend_schema(
        operation_id="estate_read",
        tags=openapi.tags(_("Estate")),
        summary=_("Read the estate document"),
        description=_("The whole estate, canonical: what the command line and other BrokerUIs read."),
        **openapi.conditional_get(EstateSerializer, query=EstateQuery),
    )
    def get(self, request: Request) -> Response | StreamingHttpResponse:
        """Return canonical JSON, a piece at a time."""
        read_query(request, EstateQuery)
        viewed = estate_view_from(request.query_params.dict())
        headers = {"ETag": etag_of(viewed.key)}
        if is_known(request, headers["ETag"]):
            return Response(status=304, headers=headers)
        pieces = estate_as_json(viewed.estate, FORMAT)
        return StreamingHttpResponse(pieces, content_type="application/json", headers=headers)
