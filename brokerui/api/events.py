"""`events/`: exceptional events, the latest first."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import extend_schema
from rest_framework import serializers as fields
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api import telling
from brokerui.api.base import ApiView
from brokerui.api.ids import packed, unpacked
from brokerui.api.listing import DATABASE, INSTANCE, next_address
from brokerui.api.messaging.sys_shapes import live_page_of
from brokerui.api.parameters import LIMIT, PAGE, Parameter, choice, given, identifier, moment, number, text
from brokerui.api.problems import in_query
from brokerui.api.tags import is_known, tag_of_json
from brokerui.eventlog.exceptional import EXCEPTIONAL
from brokerui.eventlog.models import ExceptionalEvent
from brokerui.eventlog.selectors import Cursor, Filter, event_name, exceptional_page
from routing.common.moment import from_milliseconds, to_milliseconds

CLASSES: Final = sorted({str(event_class) for event_class, _subclass in EXCEPTIONAL}, key=int)
_ERROR: Final = number("error", gettext_lazy("With this error of the product."), 1, 999_999_999, 1)
FILTERS: Final = (
    INSTANCE,
    DATABASE,
    choice("event_class", gettext_lazy("Of this class."), CLASSES),
    replace(_ERROR, schema={name: value for name, value in _ERROR.schema.items() if name != "default"}),
    identifier("conversation_id", gettext_lazy("Of this conversation, where it is the one that is shown.")),
    text("target", gettext_lazy("About this service, queue or peer.")),
    moment("since", gettext_lazy("That were told at this moment or later.")),
    moment("until", gettext_lazy("That were told for the first time before this moment.")),
)
PARAMETERS: Final[tuple[Parameter, ...]] = (*FILTERS, *PAGE)


class ExceptionalEventSerializer(fields.Serializer):
    """Events that are alike in all but moment and conversation, of one hour."""

    event_class = fields.IntegerField(help_text=gettext_lazy("EventClass; from 1001 on BrokerUI's own."))
    event_name = fields.CharField()
    event_subclass = fields.IntegerField(allow_null=True)
    instance = fields.CharField(help_text=gettext_lazy("ServerName."))
    host_name = fields.CharField(help_text=gettext_lazy("The machine that told the first of them."))
    database_name = fields.CharField(allow_null=True)
    error = fields.IntegerField(allow_null=True, help_text=gettext_lazy("The product's number."))
    target = fields.CharField(allow_null=True, help_text=gettext_lazy("A service, a queue or a peer."))
    address = fields.CharField(allow_null=True)
    text_data = fields.CharField(allow_null=True)
    occurrences = fields.IntegerField(help_text=gettext_lazy("How many there were."))
    first_at = fields.DateTimeField()
    last_at = fields.DateTimeField()
    conversation_id = fields.CharField(allow_null=True, help_text=gettext_lazy("Of one of them."))
    conversation_handle = fields.CharField(allow_null=True)


def as_json(row: ExceptionalEvent) -> dict[str, Any]:
    """A row as the interface has it: what is not there is null."""
    return {
        "event_class": row.event_class,
        "event_name": event_name(row.event_class),
        "event_subclass": row.event_subclass or None,
        "instance": row.instance,
        "host_name": row.host_name,
        "database_name": row.database_name or None,
        "error": row.error or None,
        "target": row.target or None,
        "address": row.address or None,
        "text_data": row.text_data or None,
        "occurrences": row.occurrences,
        "first_at": from_milliseconds(row.first_at).isoformat(),
        "last_at": from_milliseconds(row.last_at).isoformat(),
        "conversation_id": row.conversation_id or None,
        "conversation_handle": row.conversation_handle or None,
    }


class Events(ApiView):
    """Read only."""

    http_method_names = ["get", "head"]

    @extend_schema(
        operation_id="events",
        tags=telling.tagged(gettext_lazy("Events")),
        summary=gettext_lazy("Exceptional events"),
        description=gettext_lazy(
            "What went wrong in the instances that are hosted here, the latest first. Equal events of an hour are one "
            "row with a count."
        ),
        parameters=[*telling.told(PARAMETERS), telling.IF_NONE_MATCH, telling.tag_header([200])],
        responses={
            200: live_page_of(ExceptionalEventSerializer),
            304: telling.UNCHANGED,
            **telling.problems(telling.READS),
        },
    )
    def get(self, request: Request) -> Response:
        """A page of them."""
        asked = given(request, PARAMETERS)
        after = _after(asked["cursor"]) if "cursor" in asked else None
        page = exceptional_page(_filter(asked), after=after, limit=asked.get("limit", LIMIT))
        body = {
            "count": None,
            "next": next_address(request, packed(list(page.after))) if page.after else None,
            "results": [as_json(row) for row in page.rows],
        }
        tag = tag_of_json(body)
        if is_known(request, tag):
            return Response(status=304, headers={"ETag": tag})
        return Response(body, headers={"ETag": tag})


def _filter(asked: Mapping[str, Any]) -> Filter:
    values = {one.name: asked[one.name] for one in FILTERS if one.name in asked}
    if "event_class" in values:
        values["event_class"] = int(values["event_class"])
    return Filter(**values | {name: to_milliseconds(values[name]) for name in ("since", "until") if name in values})


def _after(cursor: str) -> Cursor:
    key = unpacked(cursor)
    if isinstance(key, list) and [type(part) for part in key] == [int, int] and all(0 <= part < 2**63 for part in key):
        return Cursor(*key)
    raise in_query("cursor", _("is none that a page gave"))
