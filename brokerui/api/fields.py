"""Fields of requests: each describes a value in the schema and reads it, so that both have the same limits.

They are DRF's fields without DRF's conversions: `"5"` is not a number and `1` is not a flag. A value that is refused
raises `Invalid` with the sentence that the engine has for it; `brokerui.api.serializers` adds the path.
"""

from __future__ import annotations

import binascii
from base64 import b64decode
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.fields import empty

from routing.common.errors import Invalid, must_be
from routing.common.identifier import parse_identifier
from routing.common.moment import format_moment, parse_moment, typed_moment
from routing.common.names import SERVICE_NAME_CHARS, check_name
from routing.common.sentence import Sentence, say
from routing.documents.edits_json import edits_from
from routing.documents.json_decoders import boolean, integer, string
from routing.model.address import ADDRESS_CHARS, parse_address, parse_network_address

NUMBER_DIGITS = 10
"""Digits of the longest number in a query, as an int of the product may have. Numbers in paths have fewer."""


class StrictField(serializers.Field):
    """A field that converts nothing. Its limits are arguments of DRF's fields, which the schema shows too."""

    def run_validation(self, data: Any = empty) -> Any:
        """Return the value that a view gets; raises `Invalid`."""
        return None if data is None and self.allow_null else self.to_internal_value(data)

    def from_text(self, text: str) -> Any:
        """Return the JSON value that a query parameter or a field of a form stands for."""
        return text


class StringField(StrictField, serializers.CharField):
    """Any string of up to `max_length` characters."""

    def __init__(self, **options: Any) -> None:
        super().__init__(trim_whitespace=False, **options)

    def to_internal_value(self, data: Any) -> Any:
        text = string(data)
        if not text and not self.allow_blank:
            raise Invalid("", say("must not be empty"))
        if self.max_length is not None and len(text) > self.max_length:
            raise Invalid("", say("is longer than {limit} characters", limit=self.max_length))
        return text


class NameField(StringField):
    """A name that a column of the product can hold; its longest ones unless `max_length` says less."""

    max_length: int

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"max_length": SERVICE_NAME_CHARS, **options})

    def to_internal_value(self, data: Any) -> Any:
        text = string(data)
        check_name(text, "", self.max_length)
        return text


class StrictChoiceField(StrictField, serializers.ChoiceField):
    """One of a few words."""

    def to_internal_value(self, data: Any) -> Any:
        if type(data) is not str or data not in self.choices:
            raise Invalid("", must_be(say("one of {known}", known=tuple(self.choices)), data))
        return data


class StrictBooleanField(StrictField, serializers.BooleanField):
    """`true` or `false`."""

    def to_internal_value(self, data: Any) -> Any:
        return boolean(data)

    def from_text(self, text: str) -> Any:
        if text not in ("true", "false"):
            raise Invalid("", must_be(say("true or false"), text))
        return text == "true"


class StrictIntegerField(StrictField, serializers.IntegerField):
    """A whole number from `min_value` to `max_value`."""

    min_value: int
    max_value: int

    def to_internal_value(self, data: Any) -> Any:
        number = integer(data)
        if not self.min_value <= number <= self.max_value:
            raise Invalid("", must_be(self._range(), data))
        return number

    def from_text(self, text: str) -> Any:
        if not (text.isascii() and text.isdecimal() and len(text) <= NUMBER_DIGITS):
            raise Invalid("", must_be(self._range(), text))
        return int(text)

    def _range(self) -> Sentence:
        return say("a whole number from {low} to {high}", low=self.min_value, high=self.max_value)


class IdentifierField(StrictField, serializers.UUIDField):
    """A GUID, in the notations that the product takes."""

    def to_internal_value(self, data: Any) -> Any:
        return parse_identifier(string(data))


class MomentField(StrictField, serializers.DateTimeField):
    """A date and time as ISO 8601, in UTC unless it has an offset."""

    def to_internal_value(self, data: Any) -> Any:
        return parse_moment(string(data))

    def from_text(self, text: str) -> Any:
        """As people and pages write it, too."""
        return format_moment(typed_moment(text))


class AddressField(StringField):
    """`LOCAL`, `TRANSPORT` or `tcp://HOST[:PORT]`."""

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=ADDRESS_CHARS, **options)

    def to_internal_value(self, data: Any) -> Any:
        return parse_address(super().to_internal_value(data))


class NetworkAddressField(AddressField):
    """`tcp://HOST[:PORT]`."""

    def to_internal_value(self, data: Any) -> Any:
        return parse_network_address(StringField.to_internal_value(self, data))


@extend_schema_field({"type": "string", "contentEncoding": "base64"})
class Base64Field(StringField):
    """The body of a message: bytes, from base64."""

    def to_internal_value(self, data: Any) -> Any:
        try:
            return b64decode(string(data), validate=True)
        except (binascii.Error, ValueError):
            raise Invalid("", say("must be base64, or null")) from None


class ArrayField(StrictField, serializers.ListField):
    """An array of `min_length` to `max_length` values; read as a tuple."""

    def to_internal_value(self, data: Any) -> Any:
        if type(data) is not list:
            raise Invalid("", must_be(say("an array"), data))
        self.check_length(data)
        read = self.child.run_validation
        found = []
        for index, member in enumerate(data):
            try:
                found.append(read(member))
            except Invalid as fault:
                raise fault.below(f"[{index}]") from None
        return tuple(found)

    def check_length(self, data: list[Any]) -> None:
        """Raises `Invalid` at the first element too many."""
        if self.max_length is not None and len(data) > self.max_length:
            raise Invalid(f"[{self.max_length}]", say("is one too many: the limit is {limit}", limit=self.max_length))
        if self.min_length is not None and len(data) < self.min_length:
            raise Invalid("", say("must not be empty"))


class EditsField(ArrayField):
    """Edits of the engine, read by its own reader."""

    child = serializers.DictField()

    def to_internal_value(self, data: Any) -> Any:
        if type(data) is list:
            self.check_length(data)
        return edits_from(data)


class TextField(StringField):
    """A text that people read, over several lines where they like; it may be empty unless `allow_blank` says no."""

    def __init__(self, *, allow_blank: bool = True, **options: Any) -> None:
        super().__init__(allow_blank=allow_blank, **options)

    def to_internal_value(self, data: Any) -> Any:
        text = super().to_internal_value(data)
        if text:
            check_name(text, "", len(text))
        return text
