"""Views of the rows that can be edited: the list of a kind, and one row of it."""

from __future__ import annotations

import json
from typing import Any, ClassVar

from django.urls import reverse
from django.utils.translation import gettext as _
from rest_framework.request import Request
from rest_framework.response import Response

from brokerui.api.base import ApiView
from brokerui.api.draft_rows import changed_rows
from brokerui.api.editing import apply_edits
from brokerui.api.etags import etag_of_json, is_known, require_match
from brokerui.api.ids import Key, id_of, key_of
from brokerui.api.listing import list_rows
from brokerui.api.problems import ApiProblem
from brokerui.api.queries import EstateQuery
from brokerui.api.resource import Resource
from brokerui.api.serializers import read_body, read_query
from brokerui.changes.estate_view import estate_view_from
from routing.common.errors import Invalid, must_be
from routing.common.sentence import say
from routing.model.estate import Edit, Estate


class RowList(ApiView):
    """All rows of a kind."""

    resource: ClassVar[Resource]

    def get(self, request: Request) -> Response:
        """Return a page of them."""
        return list_rows(request, self.resource.listing, changed_rows)

    def post(self, request: Request) -> Response:
        """Add one."""
        resource = self.resource
        key, new = _key_and_value(resource, request.data)

        def make(estate: Estate) -> list[Edit]:
            if resource.find(estate, key) is not None:
                raise ApiProblem(409, _("There is one of this name already."), code="exists", existing=id_of(key))
            return [resource.put(estate, key, new)]

        apply_edits(request, _description(resource, key), make)
        location = reverse(f"api:{resource.singular}", args=[id_of(key)])
        return _row_response(resource, key, new, status=201, headers={"Location": location})


class RowDetail(ApiView):
    """One row of a kind."""

    resource: ClassVar[Resource]

    def get(self, request: Request, id: str) -> Response:  # noqa: A002 - as the schema has it
        """Return it, with the ETag that a change of it takes."""
        read_query(request, EstateQuery)
        estate = estate_view_from(request.query_params.dict()).estate
        key = self._key(id)
        body = self.resource.as_json(key, self._find(estate, key))
        etag = etag_of_json(body)
        if is_known(request, etag):
            return Response(status=304, headers={"ETag": etag})
        return Response(body, headers={"ETag": etag})

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
            self._require_match(request, key, self._find(estate, key))
            return [self.resource.drop(estate, key)]

        apply_edits(request, _description(self.resource, key), make)
        return Response(status=204)

    def _replace(self, request: Request, word: str, *, keep: bool) -> Response:
        key = self._key(word)
        made: list[Any] = []

        def make(estate: Estate) -> list[Edit]:
            current = self._require_match(request, key, self._find(estate, key))
            row = _changed(request.data, current, self.resource, keep=keep)
            made[:] = [_key_and_value(self.resource, row)[1]]
            return [self.resource.put(estate, key, made[0])]

        apply_edits(request, _description(self.resource, key), make)
        return _row_response(self.resource, key, made[0])

    def _key(self, word: str) -> Key:
        key = key_of(word, len(self.resource.listing.keys))
        if key is None:
            raise _absent()
        return key

    def _find(self, estate: Estate, key: Key) -> Any:
        found = self.resource.find(estate, key)
        if found is None:
            raise _absent()
        return found

    def _require_match(self, request: Request, key: Key, value: Any) -> dict[str, Any]:
        current = self.resource.as_json(key, value)
        require_match(request, etag_of_json(current))
        return current


def _key_and_value(resource: Resource, data: Any) -> tuple[Key, Any]:
    """Read a row, with its owners; raises `ValidationError` and `Invalid`."""
    columns = read_body(data, resource.serializer)
    owners = tuple(columns.pop(name) for name in resource.listing.keys[:-1])
    value = resource.make(**columns)
    return (*owners, value.name), value


def _changed(data: Any, current: dict[str, Any], resource: Resource, *, keep: bool) -> dict[str, Any]:
    """Return the row that a body asks for, with its present owners and name, and without its read-only columns."""
    if type(data) is not dict:
        raise Invalid("", must_be(say("an object"), data))
    columns, keys = dict(data), resource.listing.keys
    only_read = [name for name, field in resource.serializer().fields.items() if field.read_only]
    for name in (*only_read, *keys):
        if name in columns and columns[name] != current[name]:
            raise Invalid(name, say("cannot be changed: delete this one and add another"))
    # As JSON gives it back: lists, not tuples.
    base = json.loads(json.dumps(current)) if keep else {name: current[name] for name in keys}
    return {name: value for name, value in {**base, **columns}.items() if name not in only_read}


def _row_response(resource: Resource, key: Key, value: Any, *, status: int = 200, headers: Any = None) -> Response:
    body = resource.as_json(key, value)
    return Response(body, status=status, headers={"ETag": etag_of_json(body), **(headers or {})})


def _absent() -> ApiProblem:
    return ApiProblem(404, _("There is no such row, or no longer."))


def _description(resource: Resource, key: Key) -> str:
    """Return what the history of versions says of a change."""
    return f"{resource.singular} {'/'.join(key)}"
