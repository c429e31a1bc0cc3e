"""Views of the rows that can be edited: the list of a kind, and one row of it."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiExample, extend_schema, extend_schema_view
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api import telling
from brokerui.api.base import ApiView
from brokerui.api.editing import edited
from brokerui.api.ids import Key, id_of, key_of
from brokerui.api.listing import listed
from brokerui.api.parameters import NOTE, VIEWED, given
from brokerui.api.problems import Problem
from brokerui.api.resources import RESOURCES, Resource
from brokerui.api.shapes import columns_of, page_of
from brokerui.api.tags import is_known, require_match, tag_of_json
from brokerui.estate.viewed import viewed_from
from routing.common.errors import Invalid, must_be
from routing.common.sentence import say
from routing.documents.json_decoders import string
from routing.model.estate import Edit, Estate


class Rows(ApiView):
    """All rows of a kind."""

    resource: ClassVar[Resource]

    def get(self, request: Request) -> Response:
        """A page of them."""
        return listed(request, self.resource.listing)

    def post(self, request: Request) -> Response:
        """Add one."""
        resource = self.resource
        owners, value = _split(request.data, resource)
        new = resource.read(value)
        key = (*owners, new.name)

        def make(estate: Estate) -> list[Edit]:
            if resource.find(estate, key) is not None:
                raise Problem(409, _("There is one of this name already."), code="exists", existing=id_of(key))
            return [resource.put(estate, key, new)]

        edited(request, _what(resource, key), make)
        location = reverse(f"api:{resource.singular}", args=[id_of(key)])
        return _row(resource, key, new, status=201, headers={"Location": location})


class OneRow(ApiView):
    """One row of a kind."""

    resource: ClassVar[Resource]

    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - as the schema has it
        """It."""
        given(request, VIEWED)
        estate = viewed_from(request.query_params.dict()).estate
        key = self._key(id)
        body = self.resource.as_json(key, self._found(estate, key))
        tag = tag_of_json(body)
        if is_known(request, tag):
            return Response(status=304, headers={"ETag": tag})
        return Response(body, headers={"ETag": tag})

    def put(self, request: Request, id: str) -> Response:  # noqa: A002 - the same
        """Replace it: columns that are not given get their defaults."""
        return self._replace(request, id, keep=False)

    def patch(self, request: Request, id: str) -> Response:  # noqa: A002 - the same
        """Change the columns that are given."""
        return self._replace(request, id, keep=True)

    def delete(self, request: Request, id: str) -> Response:  # noqa: A002 - the same
        """Drop it, with all that is in it."""
        key = self._key(id)

        def make(estate: Estate) -> list[Edit]:
            self._require_match(request, key, self._found(estate, key))
            return [self.resource.drop(estate, key)]

        edited(request, _what(self.resource, key), make)
        return Response(status=204)

    def _replace(self, request: Request, word: str, *, keep: bool) -> Response:
        key = self._key(word)
        made: list[Any] = []

        def make(estate: Estate) -> list[Edit]:
            old = self._found(estate, key)
            current = self._require_match(request, key, old)
            made[:] = [self.resource.read(self._columns(request.data, current, keep=keep))]
            return [self.resource.put(estate, key, made[0])]

        edited(request, _what(self.resource, key), make)
        return _row(self.resource, key, made[0])

    def _columns(self, data: Any, current: dict[str, Any], *, keep: bool) -> dict[str, Any]:
        """What is to be read, without id and owners; what names the row must be as it is."""
        columns = dict(_object(data))
        names = ("id", *self.resource.listing.keys)
        for name in names:
            if name in columns and columns[name] != current[name]:
                raise Invalid(name, say("cannot be changed: delete this one and add another"))
        # As JSON gives it back: lists, not tuples.
        base = json.loads(json.dumps(current)) if keep else {"name": current["name"]}
        return {name: value for name, value in {**base, **columns}.items() if name not in names[:-1]}

    def _key(self, word: str) -> Key:
        key = key_of(word, len(self.resource.listing.keys))
        if key is None:
            raise _absent()
        return key

    def _found(self, estate: Estate, key: Key) -> Any:
        found = self.resource.find(estate, key)
        if found is None:
            raise _absent()
        return found

    def _require_match(self, request: Request, key: Key, value: Any) -> dict[str, Any]:
        current = self.resource.as_json(key, value)
        require_match(request, tag_of_json(current))
        return current


def _row(resource: Resource, key: Key, value: Any, *, status: int = 200, headers: Any = None) -> Response:
    body = resource.as_json(key, value)
    return Response(body, status=status, headers={"ETag": tag_of_json(body), **(headers or {})})


def _split(data: Any, resource: Resource) -> tuple[Key, dict[str, Any]]:
    """The owners of a new row, and its columns."""
    value = dict(_object(data))
    owners = []
    for name in resource.listing.keys[:-1]:
        if name not in value:
            raise Invalid(name, say("is missing"))
        try:
            owners.append(string(value.pop(name)))
        except Invalid as fault:
            raise fault.below(name) from None
    return tuple(owners), value


def _object(data: Any) -> dict[str, Any]:
    if type(data) is not dict:
        raise Invalid("", must_be(say("an object"), data))
    return data


def _absent() -> Problem:
    return Problem(404, _("There is no such row, or no longer."))


def _what(resource: Resource, key: Key) -> str:
    """For the history of versions."""
    return f"{resource.singular} {'/'.join(key)}"


# -- Addresses and schema ----------------------------------------------------------------------------------


def addresses() -> list[URLPattern]:
    """Of all kinds."""
    found = []
    for resource in RESOURCES:
        name = resource.listing.name
        found.append(path(f"{name}/", _rows(resource).as_view(), name=name))
        found.append(path(f"{name}/<str:id>/", _one_row(resource).as_view(), name=resource.singular))
    return found


def _rows(resource: Resource) -> type[Rows]:
    view: type[Rows] = type(f"{resource.singular.title()}Rows", (Rows,), {"resource": resource})
    name, title = resource.listing.name, resource.listing.title
    return extend_schema_view(
        get=extend_schema(
            operation_id=f"{name}_list",
            tags=telling.tagged(title),
            summary=_("List"),
            description=_("A page of rows, filtered and ordered as you say."),
            parameters=[*telling.told(resource.listing.parameters), telling.IF_NONE_MATCH, telling.tag_header([200])],
            responses={200: page_of(resource.shape), 304: telling.UNCHANGED, **telling.problems(telling.READS)},
        ),
        post=extend_schema(
            operation_id=f"{name}_add",
            tags=telling.tagged(title),
            summary=_("Add one"),
            description=_("What it belongs to has to be there; its name must not."),
            request=resource.shape,
            parameters=[*telling.told([NOTE]), telling.tag_header([201])],
            examples=[_example(resource)],
            responses={201: resource.shape, **telling.problems(telling.WRITES)},
        ),
    )(view)


def _one_row(resource: Resource) -> type[OneRow]:
    view: type[OneRow] = type(f"One{resource.singular.title()}", (OneRow,), {"resource": resource})
    change = [telling.ROW_ID, telling.IF_MATCH, *telling.told([NOTE])]
    refused = telling.problems(telling.CHANGES)
    tags, examples = telling.tagged(resource.listing.title), [_example(resource)]
    name = resource.singular
    return extend_schema_view(
        get=extend_schema(
            operation_id=f"{name}_read",
            tags=tags,
            summary=_("Read one"),
            description=_("With the ETag that a change of it takes."),
            parameters=[telling.ROW_ID, *telling.told(VIEWED), telling.IF_NONE_MATCH, telling.tag_header([200])],
            responses={200: resource.shape, 304: telling.UNCHANGED, **telling.problems(telling.READS)},
        ),
        put=extend_schema(
            operation_id=f"{name}_replace",
            summary=_("Replace one"),
            description=_("Columns that are not given get their defaults. What is in it stays."),
            request=columns_of(resource.shape, resource.listing.keys),
            parameters=[*change, telling.tag_header([200])],
            responses={200: resource.shape, **refused},
            tags=tags,
            examples=examples,
        ),
        patch=extend_schema(
            operation_id=f"{name}_change",
            summary=_("Change one"),
            description=_("Columns that are not given stay as they are."),
            request=resource.shape,
            parameters=[*change, telling.tag_header([200])],
            responses={200: resource.shape, **refused},
            tags=tags,
            examples=examples,
        ),
        delete=extend_schema(
            operation_id=f"{name}_delete",
            tags=tags,
            summary=_("Delete one"),
            description=_("With all that is in it."),
            parameters=change,
            responses={204: None, **refused},
        ),
    )(view)


def _example(resource: Resource) -> OpenApiExample:
    return OpenApiExample(resource.singular, value=resource.example, request_only=True)
