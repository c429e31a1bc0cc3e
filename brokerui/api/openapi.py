"""Parts of operations in the schema beside their bodies and queries: headers, problems, tags."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse

from brokerui.api.bodies import ProblemSerializer
from brokerui.api.fields import NUMBER_DIGITS
from brokerui.core.problems import KINDS, MEDIA_TYPE

COMMON_STATUSES = (401, 403, 406, 414, 429, 503)
"""Statuses of the problems that every operation may answer."""
READ_STATUSES = (*COMMON_STATUSES, 400, 404)
WRITE_STATUSES = (*COMMON_STATUSES, 400, 409, 413, 415, 422)
CHANGE_STATUSES = (*WRITE_STATUSES, 404, 412, 428)
"""Statuses of the answer to a change of an existing row."""


def tags(name: Any) -> list[Any]:
    """Return the tags of an operation: its group, in the language of the reader."""
    return [name]


def header(name: str, says: Any, *, required: bool = False, max_length: int | None = None) -> OpenApiParameter:
    """Return a header of requests; `max_length` in characters."""
    shape: dict[str, Any] = {"type": "string"} if max_length is None else {"type": "string", "maxLength": max_length}
    return OpenApiParameter(name, shape, OpenApiParameter.HEADER, description=says, required=required)


def response_header(name: str, says: Any, statuses: Sequence[int]) -> OpenApiParameter:
    """Return a header of the responses with these statuses."""
    return OpenApiParameter(
        name, {"type": "string"}, OpenApiParameter.HEADER, description=says, response=list(statuses)
    )


def guid_in_path(name: str, says: Any) -> OpenApiParameter:
    """Return a GUID as a part of an address."""
    return OpenApiParameter(name, {"type": "string", "format": "uuid"}, OpenApiParameter.PATH, description=says)


def etag_header(statuses: Sequence[int]) -> OpenApiParameter:
    """Return the ETag of the responses with these statuses."""
    return response_header(
        "ETag", _("Identifies the state of the object: send it as If-Match with a change."), statuses
    )


IF_NONE_MATCH = header("If-None-Match", _("The ETag of the response that you have: 304 if it is still current."))
IF_MATCH = header("If-Match", _("The ETag of what you read."), required=True)
ROW_ID = OpenApiParameter("id", {"type": "string"}, OpenApiParameter.PATH, description=_("The id of the row."))
NUMBER = OpenApiParameter(
    "number", {"type": "integer", "minimum": 1, "maximum": 10 ** (NUMBER_DIGITS - 1) - 1}, OpenApiParameter.PATH
)
"""Number of a version or an import."""
NOT_MODIFIED = OpenApiResponse(description=_("The response that you have is still current."))


def problems(statuses: Iterable[int]) -> dict[Any, Any]:
    """Return the responses of a list of statuses: problem documents."""
    return {
        (status, MEDIA_TYPE): OpenApiResponse(ProblemSerializer, description=KINDS[status][1])
        for status in sorted(statuses)
    }


def conditional_get(response: Any, *, query: Any = None, parameters: Sequence[OpenApiParameter] = ()) -> dict[str, Any]:
    """Return what a GET with an ETag says of its parameters and responses, for `extend_schema`."""
    queries = [] if query is None else [query]
    return {
        "parameters": [*parameters, *queries, IF_NONE_MATCH, etag_header([200])],
        "responses": {200: response, 304: NOT_MODIFIED, **problems(READ_STATUSES)},
    }


def write(response: Any) -> dict[str, Any]:
    """Return what a write of a numbered resource that takes `If-Match` says, for `extend_schema`."""
    return {
        "parameters": [NUMBER, IF_MATCH, etag_header([200])],
        "responses": {200: response, **problems(CHANGE_STATUSES)},
    }
