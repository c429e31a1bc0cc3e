"""Addresses of the rows that can be edited, and what the schema says of them."""

from __future__ import annotations

from typing import Any

from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_view

from brokerui.api import openapi
from brokerui.api.bodies import columns_of, marked_page_of
from brokerui.api.databases import DATABASES
from brokerui.api.instances import INSTANCES
from brokerui.api.queries import EstateQuery, NoteQuery
from brokerui.api.queues import QUEUES
from brokerui.api.resource import Resource
from brokerui.api.routes import ROUTES
from brokerui.api.row_views import RowDetail, RowList
from brokerui.api.services import SERVICES

RESOURCES = (INSTANCES, DATABASES, SERVICES, QUEUES, ROUTES)


def addresses() -> list[URLPattern]:
    """Return the addresses of all kinds of rows."""
    found = []
    for resource in RESOURCES:
        name = resource.listing.name
        found.append(path(f"{name}/", _list_view(resource).as_view(), name=name))
        found.append(path(f"{name}/<str:id>/", _detail_view(resource).as_view(), name=resource.singular))
    return found


def _list_view(resource: Resource) -> type[RowList]:
    view: type[RowList] = type(f"{resource.singular.title()}List", (RowList,), {"resource": resource})
    name, title = resource.listing.name, resource.listing.title
    return extend_schema_view(
        get=extend_schema(
            operation_id=f"{name}_list",
            tags=openapi.tags(title),
            summary=_("List"),
            description=_("A page of rows, filtered and ordered as you say."),
            **openapi.conditional_get(marked_page_of(resource.serializer), query=resource.listing.query),
        ),
        post=extend_schema(
            operation_id=f"{name}_add",
            tags=openapi.tags(title),
            summary=_("Add one"),
            description=_("Its owner must exist; its name must not exist yet."),
            request=resource.serializer,
            parameters=[NoteQuery, openapi.etag_header([201])],
            examples=[_example(resource)],
            responses={201: resource.serializer, **openapi.problems(openapi.WRITE_STATUSES)},
        ),
    )(view)


def _detail_view(resource: Resource) -> type[RowDetail]:
    view: type[RowDetail] = type(f"{resource.singular.title()}Detail", (RowDetail,), {"resource": resource})
    name, tags = resource.singular, openapi.tags(resource.listing.title)
    change = _change(resource)
    return extend_schema_view(
        get=extend_schema(
            operation_id=f"{name}_read",
            tags=tags,
            summary=_("Read one"),
            description=_("The row, with the ETag that a change of it needs."),
            **openapi.conditional_get(resource.serializer, query=EstateQuery, parameters=[openapi.ROW_ID]),
        ),
        put=extend_schema(
            operation_id=f"{name}_replace",
            tags=tags,
            summary=_("Replace one"),
            description=_("Columns that are not given get their defaults. The objects that it contains stay."),
            **change,
        ),
        patch=extend_schema(
            operation_id=f"{name}_change",
            tags=tags,
            summary=_("Change one"),
            description=_("Columns that are not given are not changed."),
            **change,
        ),
        delete=extend_schema(
            operation_id=f"{name}_delete",
            tags=tags,
            summary=_("Delete one"),
            description=_("Drops it with all objects that it contains."),
            parameters=[openapi.ROW_ID, openapi.IF_MATCH, NoteQuery],
            responses={204: None, **openapi.problems(openapi.CHANGE_STATUSES)},
        ),
    )(view)


def _change(resource: Resource) -> dict[str, Any]:
    """Return what PUT and PATCH have in common."""
    return {
        "request": columns_of(resource.serializer, resource.listing.keys),
        "parameters": [openapi.ROW_ID, openapi.IF_MATCH, NoteQuery, openapi.etag_header([200])],
        "examples": [_example(resource)],
        "responses": {200: resource.serializer, **openapi.problems(openapi.CHANGE_STATUSES)},
    }


def _example(resource: Resource) -> OpenApiExample:
    return OpenApiExample(resource.singular, value=resource.example, request_only=True)
