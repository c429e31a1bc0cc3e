"""`events/`: exceptional events, the latest first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.bodies import uncounted_page_of
from brokerui.api.cursors import page_body, read_cursor
from brokerui.api.etags import etag_of_json, is_known
from brokerui.api.fields import IdentifierField, MomentField, NameField, StrictChoiceField, StrictIntegerField
from brokerui.api.listing import database_filter, instance_filter
from brokerui.api.printed_places import with_printed_place
from brokerui.api.queries import PageQuery
from brokerui.api.serializers import read_query
from brokerui.estate.selectors import estate_current
from brokerui.eventlog.exceptional import EXCEPTIONAL, why_exceptional
from brokerui.eventlog.models import ExceptionalEvent
from brokerui.eventlog.selectors import Cursor, Filter, event_name, exceptional_page
from routing.common.moment import from_milliseconds, to_milliseconds

CLASSES: Final = {event_name(number): number for number in sorted({number for number, _subclass in EXCEPTIONAL})}
EVENT_CLASSES: Final = [*map(str, CLASSES.values()), *CLASSES]
MAX_ERROR: Final = 999_999_999


class EventQuery(PageQuery):
    """Which events."""

    instance = instance_filter()
    database = database_filter()
    event_class = StrictChoiceField(EVENT_CLASSES, help_text=gettext_lazy("Of this class, by number or name."))
    error = StrictIntegerField(
        min_value=1, max_value=MAX_ERROR, help_text=gettext_lazy("With this error of the product.")
    )
    conversation_id = IdentifierField(help_text=gettext_lazy("Events whose example is of this conversation."))
    target = NameField(help_text=gettext_lazy("Events about this service, queue or peer."))
    since = MomentField(help_text=gettext_lazy("Events whose latest occurrence is at this time or later."))
    until = MomentField(help_text=gettext_lazy("Events whose first occurrence is before this time."))


class ExceptionalEventSerializer(serializers.Serializer):
    """Events that are alike in all but moment and conversation, of one hour."""

    event_class = serializers.IntegerField(help_text=gettext_lazy("EventClass; from 1001 on BrokerUI's own."))
    event_name = serializers.CharField()
    event_subclass = serializers.IntegerField(allow_null=True)
    instance = serializers.CharField(help_text=gettext_lazy("ServerName."))
    host_name = serializers.CharField(help_text=gettext_lazy("The machine that reported the first of them."))
    database_name = serializers.CharField(allow_null=True)
    error = serializers.IntegerField(allow_null=True, help_text=gettext_lazy("The product's number."))
    why = serializers.CharField(help_text=gettext_lazy("Why an operator should know of it."))
    target = serializers.CharField(allow_null=True, help_text=gettext_lazy("A service, a queue or a peer."))
    address = serializers.CharField(allow_null=True)
    text_data = serializers.CharField(allow_null=True)
    occurrences = serializers.IntegerField(help_text=gettext_lazy("Number of equal events."))
    first_at = serializers.DateTimeField()
    last_at = serializers.DateTimeField()
    conversation_id = serializers.CharField(allow_null=True, help_text=gettext_lazy("Of one of them."))
    conversation_handle = serializers.CharField(allow_null=True)


def as_json(row: ExceptionalEvent) -> dict[str, Any]:
    """Return a row of the response: what an event does not have is null."""
    return {
        "event_class": row.event_class,
        "event_name": event_name(row.event_class),
        "event_subclass": row.event_subclass or None,
        "instance": row.instance,
        "host_name": row.host_name,
        "database_name": row.database_name or None,
        "error": row.error or None,
        "why": why_exceptional(row.event_class, row.event_subclass, row.error),
        "target": row.target or None,
        "address": row.address or None,
        "text_data": row.text_data or None,
        "occurrences": row.occurrences,
        "first_at": from_milliseconds(row.first_at).isoformat(),
        "last_at": from_milliseconds(row.last_at).isoformat(),
        "conversation_id": row.conversation_id or None,
        "conversation_handle": row.conversation_handle or None,
    }


class EventList(ApiView):
    """Exceptional events, read only."""

    http_method_names = ["get", "head"]

    @extend_schema(
        operation_id="events",
        tags=openapi.tags(gettext_lazy("Events")),
        summary=gettext_lazy("Exceptional events"),
        description=gettext_lazy(
            "What went wrong in the hosted instances, the latest first. Equal events of an hour are one "
            "row with a count."
        ),
        **openapi.conditional_get(uncounted_page_of(ExceptionalEventSerializer), query=EventQuery),
    )
    def get(self, request: Request) -> Response:
        """Return a page of them."""
        query = read_query(request, EventQuery)
        if "database" in query:
            query = with_printed_place(query, estate_current().estate)
        cursor, limit = query.pop("cursor", None), query.pop("limit")
        key = read_cursor(cursor, (int, int))
        after = None if key is None else Cursor(*key)
        page = exceptional_page(_filter(query), after=after, limit=limit)
        body = page_body(request, [as_json(row) for row in page.rows], page.after)
        etag = etag_of_json(body)
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(body, headers={"ETag": etag})


def _filter(query: Mapping[str, Any]) -> Filter:
    values = dict(query)
    if "event_class" in values:
        wanted = values["event_class"]
        values["event_class"] = CLASSES.get(wanted) or int(wanted)
    return Filter(**values | {name: to_milliseconds(values[name]) for name in ("since", "until") if name in values})
