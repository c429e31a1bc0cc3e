"""`drains/`: messages that flow after an act, and those of the last day that ended, as the page *Delayed* has them."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.analysis.drains.as_json import STATES, drain_as_json
from brokerui.analysis.drains.models import DrainAct, DrainKind
from brokerui.analysis.drains.selectors import drains_listed
from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.bodies import uncounted_page_of
from brokerui.api.cursors import page_body, read_cursor
from brokerui.api.etags import etag_of_json, is_known
from brokerui.api.queries import PageQuery
from brokerui.api.serializers import read_query
from brokerui.messaging.clock import now


class DrainSerializer(serializers.Serializer):
    """A drain."""

    id = serializers.IntegerField()
    state = serializers.ChoiceField(
        list(STATES), help_text=_("`stalled`: nothing had moved for two minutes, and messages are left.")
    )
    kind = serializers.ChoiceField(
        list(DrainKind.values),
        help_text=_("`way`: messages of a database for a service; `queue`: messages that arrived for a queue."),
    )
    act = serializers.ChoiceField(list(DrainAct.values), help_text=_("The act that lets them flow."))
    instance = serializers.CharField()
    database = serializers.CharField()
    subject = serializers.CharField(help_text=_("The service or the queue."))
    author = serializers.CharField()
    version = serializers.IntegerField(allow_null=True, help_text=_("That mended the way."))
    began_at = serializers.DateTimeField()
    messages = serializers.IntegerField(min_value=0, help_text=_("That waited at the beginning."))
    left = serializers.IntegerField(min_value=0, help_text=_("That waited at the last look."))
    estimate_s = serializers.IntegerField(
        allow_null=True, min_value=0, help_text=_("Seconds that it should take; null: no rate was known.")
    )
    left_s = serializers.IntegerField(
        allow_null=True, min_value=0, help_text=_("Seconds that the estimate leaves, while they flow.")
    )
    ended_at = serializers.DateTimeField(allow_null=True)
    took_s = serializers.IntegerField(allow_null=True, min_value=0, help_text=_("Seconds that it took."))
    is_well = serializers.BooleanField(
        allow_null=True, help_text=_("Whether routing delivers the next message, too; null: not checked yet.")
    )


class DrainsResource(ApiView):
    """The drains, read only."""

    http_method_names = ["get", "head"]

    @extend_schema(
        operation_id="drains",
        tags=openapi.tags(_("Messages")),
        summary=_("Messages that drain"),
        description=_(
            "Messages of a cause after a retry, a new version of the estate or a queue that was switched on: the"
            " estimate, the progress, and the check that nothing of them waits. Ended ones are kept for a day. The"
            " newest come first."
        ),
        **openapi.conditional_get(uncounted_page_of(DrainSerializer), query=PageQuery),
    )
    def get(self, request: Request) -> Response:
        """Return a page of them."""
        query = read_query(request, PageQuery)
        (before,) = read_cursor(query.get("cursor"), (int,)) or (None,)
        rows = drains_listed(before, query["limit"] + 1)
        at, shown = now(), rows[: query["limit"]]
        found: list[dict[str, Any]] = [drain_as_json(drain, at) for drain in shown]
        body = page_body(request, found, (shown[-1].pk,) if len(rows) > len(shown) else None)
        etag = etag_of_json({**body, "results": [{**one, "left_s": None} for one in found]})
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(body, headers={"ETag": etag})
