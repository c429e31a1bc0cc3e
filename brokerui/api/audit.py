"""`audit/`: who changed what, the latest first, with the values before and after."""

from __future__ import annotations

from typing import Any, Final

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.accounts.levels import Level
from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.bodies import uncounted_page_of
from brokerui.api.cursors import not_a_cursor, page_body, read_cursor
from brokerui.api.etags import etag_of_json, is_known
from brokerui.api.fields import MomentField, NameField
from brokerui.api.queries import PageQuery
from brokerui.api.serializers import read_query
from brokerui.estate.audit_reading import AuditFilter, AuditKey, audit_page
from brokerui.estate.models import AuditEntry
from brokerui.estate.models.versions import AUTHOR
from routing.common.moment import format_moment

ACTION_CHARS: Final = 50


class AuditEntryQuery(PageQuery):
    """Which entries."""

    author = NameField(max_length=AUTHOR, help_text=_("Acts of this user."))
    action = NameField(max_length=ACTION_CHARS, help_text=_("A whole act, or its beginning as `user.`."))
    about = NameField(help_text=_("A part of the note, which names the object."))
    since = MomentField(help_text=_("Acts at this time or later."))
    until = MomentField(help_text=_("Acts before this time."))


@extend_schema_field({"type": ["string", "number", "boolean", "null"]})
class ValueField(serializers.JSONField):
    """A value before or after an act."""


class ChangedFieldSerializer(serializers.Serializer):
    """A field that an act changed."""

    field = serializers.CharField()
    old = ValueField(help_text=_("The value before; null: there was none."))
    new = ValueField(help_text=_("The value after; null: there is none any more."))


class AuditEntrySerializer(serializers.Serializer):
    """An act."""

    number = serializers.IntegerField()
    at = serializers.DateTimeField()
    author = serializers.CharField()
    address = serializers.CharField(allow_null=True, help_text=_("Of the client; null for a command or a worker."))
    action = serializers.CharField()
    note = serializers.CharField(allow_blank=True)
    version = serializers.IntegerField(allow_null=True, help_text=_("The version of the estate that it led to."))
    changes = ChangedFieldSerializer(
        many=True, allow_null=True, help_text=_("Null: the entry was written before values were kept.")
    )


def as_json(entry: AuditEntry) -> dict[str, Any]:
    """Return an entry."""
    kept = entry.changes
    changes = None if kept is None else [{"field": name, "old": old, "new": new} for name, old, new in kept]
    return {
        "number": entry.pk,
        "at": format_moment(entry.at),
        "author": entry.author,
        "address": entry.address,
        "action": entry.action,
        "note": entry.note,
        "version": entry.version.number if entry.version else None,
        "changes": changes,
    }


def _after(key: tuple[Any, ...] | None) -> AuditKey | None:
    try:
        return AuditKey.of(*key) if key else None
    except OverflowError:
        raise not_a_cursor() from None


class AuditList(ApiView):
    """The audit, read only."""

    http_method_names = ["get", "head"]
    read = Level.EDIT

    @extend_schema(
        operation_id="audit",
        tags=openapi.tags(_("Audit")),
        summary=_("Acts that changed something"),
        description=_("The latest first, each with the fields that it changed and their values before and after."),
        **openapi.conditional_get(uncounted_page_of(AuditEntrySerializer), query=AuditEntryQuery),
    )
    def get(self, request: Request) -> Response:
        """Return a page of them."""
        query = read_query(request, AuditEntryQuery)
        cursor, limit = query.pop("cursor", None), query.pop("limit")
        key = read_cursor(cursor, (int, int))
        page = audit_page(AuditFilter(**query), after=_after(key), limit=limit)
        last = page.after.numbers() if page.after else None
        body = page_body(request, [as_json(entry) for entry in page.rows], last)
        etag = etag_of_json(body)
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(body, headers={"ETag": etag})
