"""`changes/ID/sql/`: a draft as T-SQL, one script for each instance."""

from __future__ import annotations

from typing import Any, Final

from django.utils import timezone
from django.utils.translation import gettext_lazy
from drf_spectacular.utils import OpenApiExample, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.change_bodies import ChangeSerializer, change_as_json, draft_found, etag_of_change
from brokerui.api.change_writing import change_response, change_written
from brokerui.api.etags import is_known
from brokerui.api.fields import NameField, StringField
from brokerui.api.import_results import FindingSerializer
from brokerui.api.queries import NoQuery
from brokerui.api.serializers import StrictSerializer, read_body, read_query
from brokerui.changes.draft_sql import draft_sql, sql_replace
from brokerui.core.templatetags.wording import translate
from routing.model.estate import INSTANCE_NAME_CHARS

EXAMPLE: Final = OpenApiExample(
    "script",
    value={
        "instance": "host1",
        "sql": "USE Orders;\nCREATE ROUTE ToParts WITH SERVICE_NAME = N'OrderParts', ADDRESS = N'tcp://host2';",
    },
    request_only=True,
)
_TAG: Final = gettext_lazy("Changes")


class ScriptOfChangeSerializer(StrictSerializer):
    """The script of one instance."""

    instance = NameField(max_length=INSTANCE_NAME_CHARS)
    sql = StringField(
        allow_blank=True,
        help_text=gettext_lazy(
            "What changes the base of the draft, on this instance; empty: nothing. LIFETIME counts from now."
        ),
    )


class ChangeSqlSerializer(ChangeSerializer):
    """The draft with the edits of the script."""

    unsupported_count = serializers.IntegerField(min_value=0)
    unsupported = FindingSerializer(
        many=True, help_text=gettext_lazy("Statements that the draft cannot hold, each with its line.")
    )


class ChangeSql(ApiView):
    """The T-SQL of a draft."""

    @extend_schema(
        operation_id="change_sql_read",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Read the T-SQL"),
        description=gettext_lazy(
            "What the draft changes, by name of the instance. Lines that begin with `-- brokerui:` hold what T-SQL "
            "cannot say, among it the moment at which a route ends."
        ),
        **openapi.conditional_get(
            {"type": "object", "additionalProperties": {"type": "string"}}, parameters=[openapi.NUMBER]
        ),
    )
    def get(self, request: Request, number: str) -> Response:
        """Return a script for each instance."""
        read_query(request, NoQuery)
        draft = draft_found(number)
        etag = etag_of_change(draft, change_as_json(draft))
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(draft_sql(draft), headers={"ETag": etag})

    @extend_schema(
        operation_id="change_sql_replace",
        tags=openapi.tags(_TAG),
        summary=gettext_lazy("Replace the T-SQL of an instance"),
        description=gettext_lazy(
            "Runs the script on the base of the draft: the edits become what it says for this instance, as one step "
            "that can be taken back. Other instances stay as they are in the draft. 422 names each line that cannot be "
            "read or that SQL Server would refuse, and nothing is written then."
        ),
        request=ScriptOfChangeSerializer,
        examples=[EXAMPLE],
        **openapi.write(ChangeSqlSerializer),
    )
    def put(self, request: Request, number: str) -> Response:
        """Replace the edits of one instance."""
        body = read_body(request.data, ScriptOfChangeSerializer)
        written = change_written(request, number, sql_replace, at=timezone.now().replace(microsecond=0), **body)
        unsupported: list[dict[str, Any]] = [one.as_json(translate) for one in written.unsupported]
        answer = change_as_json(written.draft) | {"unsupported_count": len(unsupported), "unsupported": unsupported}
        return change_response(written.draft, body=answer)
