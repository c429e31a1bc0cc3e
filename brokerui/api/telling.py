"""Telling the schema: parameters, problems and examples of operations, for `extend_schema`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from brokerui.api.parameters import Parameter
from brokerui.api.shapes import ProblemSerializer
from brokerui.core.problems import KINDS, MEDIA_TYPE

ALWAYS = (401, 403, 406, 414, 429, 503)
"""Statuses of problems that every operation may have."""
READS = (*ALWAYS, 400, 404)
WRITES = (*ALWAYS, 400, 409, 413, 415, 422)
CHANGES = (*WRITES, 404, 412, 428)
"""Of what is there already."""


def tagged(name: Any) -> list[Any]:
    """The group of an operation, a text in the language of the reader."""
    return [name]


def told(parameters: Iterable[Parameter]) -> list[OpenApiParameter]:
    """Parameters of a query."""
    return [OpenApiParameter(one.name, one.schema, description=one.says) for one in parameters]


def header(name: str, says: Any, *, required: bool = False) -> OpenApiParameter:
    return OpenApiParameter(name, {"type": "string"}, OpenApiParameter.HEADER, description=says, required=required)


def response_header(name: str, says: Any, statuses: Sequence[int]) -> OpenApiParameter:
    """Of the answers with these statuses."""
    return OpenApiParameter(
        name, {"type": "string"}, OpenApiParameter.HEADER, description=says, response=list(statuses)
    )


def tag_header(statuses: Sequence[int]) -> OpenApiParameter:
    return response_header(
        "ETag", _("Stands for what was answered: send it as If-Match with a change of it."), statuses
    )


IF_NONE_MATCH = header("If-None-Match", _("The ETag of what you have: 304 where it is still so."))
IF_MATCH = header("If-Match", _("The ETag of what you read."), required=True)
ROW_ID = OpenApiParameter("id", {"type": "string"}, OpenApiParameter.PATH, description=_("The id of the row."))
UNCHANGED = OpenApiResponse(description=_("It is as you have it."))


def problems(statuses: Iterable[int]) -> dict[Any, Any]:
    """The answers to what goes wrong."""
    return {
        (status, MEDIA_TYPE): OpenApiResponse(ProblemSerializer, description=KINDS[status][1])
        for status in sorted(statuses)
    }
