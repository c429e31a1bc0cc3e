"""The schema of the interface (OpenAPI 3.1), made once for each language."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer, OpenApiJsonRenderer2, OpenApiYamlRenderer
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api import telling
from brokerui.api.base import ApiView
from brokerui.api.parameters import given
from brokerui.api.tags import is_known, tag_of_json

SCHEMES = ("token", "session")


class TokenScheme(OpenApiAuthenticationExtension):
    """How the schema tells of tokens."""

    target_class = "brokerui.api.access.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer"}


class SessionScheme(OpenApiAuthenticationExtension):
    """How the schema tells of sessions."""

    target_class = "rest_framework.authentication.SessionAuthentication"
    name = "session"
    priority = 1

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "apiKey", "in": "cookie", "name": "sessionid"}


class Schema(ApiView):
    """The schema."""

    renderer_classes = [OpenApiJsonRenderer2, OpenApiJsonRenderer, OpenApiYamlRenderer]

    @extend_schema(
        operation_id="schema",
        tags=telling.tagged(_("Interface")),
        summary=_("Read this schema"),
        description=_("As JSON, or as YAML (`Accept: application/vnd.oai.openapi`)."),
        parameters=[telling.IF_NONE_MATCH, telling.tag_header([200])],
        responses={
            (200, "application/json"): {"type": "object"},
            304: telling.UNCHANGED,
            **telling.problems([*telling.ALWAYS, 400]),
        },
    )
    def get(self, request: Request) -> Response:
        """OpenAPI 3.1."""
        given(request, ())
        schema, tag = _made(get_language() or "")
        if is_known(request, tag):
            return Response(status=304, headers={"ETag": tag})
        return Response(schema, headers={"ETag": tag})


def schema() -> dict[str, Any]:
    """In the language of the request."""
    return _made(get_language() or "")[0]


@lru_cache
def _made(_language: str) -> tuple[dict[str, Any], str]:
    made: dict[str, Any] = SchemaGenerator(urlconf="brokerui.urls").get_schema(request=None, public=True)
    return made, tag_of_json(made)
