"""Serializers of requests: they describe a body or a query in the schema, and read it.

Unknown keys are refused. The first value that is wrong ends the reading: a hostile body costs no more than its first
fault. Reading is DRF's `run_validation`, on one serializer per class for all requests of the process: it holds nothing
of a request, and making its fields anew takes longer than reading a small body.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final, NamedTuple

from django.utils.functional import cached_property
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.fields import empty
from rest_framework.request import Request

from brokerui.api.problems import first_fault, in_query
from routing.common.errors import Invalid, must_be
from routing.common.names import check_name
from routing.common.sentence import say
from routing.documents.json_decoders import unknown_key

MAX_TEXT: Final = 4_000
"""Characters of a parameter, whatever its field takes. The longest, a cursor, holds three names."""


class _Plan(NamedTuple):
    """Fields of a serializer as the reader of bodies needs them."""

    fields: Mapping[str, Any]
    required: tuple[str, ...]
    defaults: Mapping[str, Any]


class StrictSerializer(serializers.Serializer):
    """An object of a JSON body. `validate` makes the value that a view gets of its members."""

    def run_validation(self, data: Any = empty) -> Any:
        """Return the value; raises `ValidationError` for the whole body, `Invalid` for an object within one."""
        if data is None and self.allow_null:
            return None
        parent: Any = self.parent
        if parent is not None:
            return self.validate(self.to_internal_value(data))
        try:
            return self.validate(self.to_internal_value(data))
        except Invalid as fault:
            raise ValidationError({fault.path: [fault.problem.render(_)]}) from None

    def to_internal_value(self, data: Any) -> dict[str, Any]:
        """Return the members, each read by its field."""
        if type(data) is not dict:
            raise Invalid("", must_be(say("an object"), data))
        plan = self._plan
        found = dict(plan.defaults)
        for key, member in data.items():
            field = plan.fields.get(key)
            if field is None:
                raise self.refusal(key)
            try:
                found[key] = field.run_validation(member)
            except Invalid as fault:
                raise fault.below(key) from None
        for key in plan.required:
            if key not in data:
                raise Invalid(key, say("is missing"))
        return found

    def refusal(self, key: str) -> Invalid:
        """Return the fault of a key that this object does not have."""
        return Invalid("", unknown_key(key, self._plan.fields))

    @cached_property
    def _plan(self) -> _Plan:
        fields = {name: field for name, field in self.fields.items() if not field.read_only}
        required = tuple(name for name, field in fields.items() if field.required)
        defaults = {name: field.default for name, field in fields.items() if field.default is not empty}
        return _Plan(fields, required, defaults)

    @property
    def names(self) -> tuple[str, ...]:
        """The keys that it reads."""
        return tuple(self._plan.fields)


class TextSerializer(StrictSerializer):
    """Values that arrive as texts: of a query, or of a form."""

    def to_internal_value(self, data: Mapping[str, str]) -> dict[str, Any]:
        values = {}
        for name, text in data.items():
            try:
                check_name(text, "", MAX_TEXT)
                values[name] = self._plan.fields[name].from_text(text)
            except Invalid as fault:
                raise fault.below(name) from None
        return super().to_internal_value(values)


class QuerySerializer(TextSerializer):
    """The parameters of an address. Each may be left out."""

    def get_fields(self) -> dict[str, Any]:
        fields = super().get_fields()
        for field in fields.values():
            field.required = False
        return fields


@cache
def reader_of(serializer: type[Any]) -> Any:
    """Return the one serializer of a class that reads all requests."""
    return serializer()


def read_body(data: Any, serializer: type[StrictSerializer]) -> Any:
    """Return the value of a JSON body; raises `ValidationError`."""
    return reader_of(serializer).run_validation(data)


def read_query(request: Request, serializer: type[QuerySerializer]) -> dict[str, Any]:
    """Return the parameters that a request gives; a problem for one that is unknown, doubled or wrong."""
    reader = reader_of(serializer)
    texts = {}
    for name, values in request.query_params.lists():
        if name not in reader.names:
            names = ", ".join(reader.names) or "-"
            raise in_query(name, _("there is no such parameter here; known are %(names)s") % {"names": names})
        if len(values) > 1:
            raise in_query(name, _("stands twice"))
        texts[name] = values[0]
    try:
        found: dict[str, Any] = reader.run_validation(texts)
    except ValidationError as error:
        raise in_query(*first_fault(error)) from None
    return found
