"""A step of a draft that its address names: undo and redo, and those of the review, which may say why."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Final

from django.utils.translation import gettext_lazy
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api import openapi
from brokerui.api.base import ApiView
from brokerui.api.change_bodies import ChangeSerializer, NothingSerializer
from brokerui.api.change_review_bodies import CommentSerializer
from brokerui.api.change_writing import change_response, change_written
from brokerui.api.serializers import StrictSerializer, read_body
from brokerui.changes.models import SavedDraft

_TAG: Final = gettext_lazy("Changes")
Service = Callable[..., SavedDraft]


class DraftStepView(ApiView):
    """A step of a draft."""

    service: Service
    body: ClassVar[type[StrictSerializer]]

    def post(self, request: Request, number: str) -> Response:
        """Take the step."""
        shape = type(self).body
        given = request.data or {} if shape is NothingSerializer else request.data
        body = read_body(given, shape)
        return change_response(change_written(request, number, type(self).service, **body))


def plain_step(name: str, service: Service, summary: Any, description: Any) -> Any:
    """Return the view of a step without a body."""
    return _view(name, service, NothingSerializer, summary=summary, description=description, request=None)


def commented_step(name: str, service: Service, summary: Any, description: Any) -> Any:
    """Return the view of a step of the review."""
    example = request_example("comment", {"comment": "Directory is retired next week."})
    about = {"summary": summary, "description": description, "request": CommentSerializer, "examples": [example]}
    return _view(name, service, CommentSerializer, **about)


def request_example(name: str, value: dict[str, Any]) -> OpenApiExample:
    """Return an example of a request."""
    return OpenApiExample(name, value=value, request_only=True)


def _view(name: str, service: Service, body: type[StrictSerializer], **about: Any) -> Any:
    members = {"service": staticmethod(service), "body": body}
    view: type[DraftStepView] = type(f"Change{name.title()}", (DraftStepView,), members)
    described = extend_schema(
        operation_id=f"change_{name}", tags=openapi.tags(_TAG), **about, **openapi.write(ChangeSerializer)
    )
    return extend_schema_view(post=described)(view).as_view()
