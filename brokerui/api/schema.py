"""The OpenAPI 3.1 description of the interface, made once for each language."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiJsonRenderer2, OpenApiYamlRenderer
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.etags import etag_of_json, is_known
from brokerui.api.queries import NoQuery
from brokerui.api.serializers import StrictSerializer, read_query


class TokenScheme(OpenApiAuthenticationExtension):
    """The token of a request, in the schema."""

    target_class = "brokerui.api.access.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


class SessionScheme(OpenApiAuthenticationExtension):
    """The session of a browser, in the schema."""

    target_class = "rest_framework.authentication.SessionAuthentication"
    name = "session"
    priority = 1

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "apiKey", "in": "cookie", "name": "sessionid"}


class StrictObject(OpenApiSerializerExtension):
    """An object of a request: the schema says that unknown keys are refused."""

    target_class = StrictSerializer
    match_subclasses = True

    def map_serializer(self, auto_schema: Any, direction: str) -> dict[str, Any]:
        mapped: dict[str, Any] = auto_schema._map_serializer(self.target, direction, bypass_extensions=True)
        return mapped | {"additionalProperties": False} if direction == "request" else mapped


class SchemaDocument(ApiView):
    """The OpenAPI description."""

    renderer_classes = [OpenApiJsonRenderer2, OpenApiJsonRenderer, OpenApiYamlRenderer]

    @extend_schema(
        operation_id="schema",
        tags=openapi.tags(_("Interface")),
        summary=_("Read this schema"),
        description=_("As JSON, or as YAML (`Accept: application/vnd.oai.openapi`)."),
        parameters=[openapi.IF_NONE_MATCH, openapi.etag_header([200])],
        responses={
            (200, "application/json"): {"type": "object"},
            304: openapi.NOT_MODIFIED,
            **openapi.problems([*openapi.COMMON_STATUSES, 400]),
        },
    )
    def get(self, request: Request) -> Response:
        """Return it as JSON or YAML."""
        read_query(request, NoQuery)
        schema, etag = _made(get_language() or "")
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(schema, headers={"ETag": etag})


def schema() -> dict[str, Any]:
    """Return the description in the language of the request."""
    return _made(get_language() or "")[0]


@lru_cache
def _made(_language: str) -> tuple[dict[str, Any], str]:
    made: dict[str, Any] = SchemaGenerator(urlconf="brokerui.urls").get_schema(request=None, public=True)
    return made, etag_of_json(made)
