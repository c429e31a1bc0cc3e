"""Parameters of an address: what each is called, means and may be. Requests are read by them; the schema tells them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.request import Request

from brokerui.api.problems import in_query
from routing.common.errors import Invalid, must_be
from routing.common.identifier import parse_identifier
from routing.common.moment import parse_moment
from routing.common.names import SERVICE_NAME_CHARS, check_name
from routing.common.sentence import say
from routing.model.address import parse_address

LONGEST = 4_000
"""Characters of a parameter. The longest, a cursor, holds three names."""
LIMIT, MOST = 100, 1_000
"""Rows of a page, unless the request says otherwise; and at most."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter."""

    name: str
    says: str | Promise
    read: Callable[[str], Any]
    """The value of a text; raises `Invalid`."""
    schema: dict[str, Any]
    """Of OpenAPI."""


def text(name: str, says: str | Promise, limit: int = SERVICE_NAME_CHARS) -> Parameter:
    def read(value: str) -> str:
        check_name(value, "", limit)
        return value

    return Parameter(name, says, read, {"type": "string", "minLength": 1, "maxLength": limit})


def flag(name: str, says: str | Promise) -> Parameter:
    return Parameter(name, says, _boolean, {"type": "boolean"})


def number(name: str, says: str | Promise, low: int, high: int, default: int) -> Parameter:
    def read(value: str) -> int:
        if not (value.isascii() and value.isdecimal() and len(value) < 10 and low <= int(value) <= high):
            raise Invalid("", must_be(say("a whole number from {low} to {high}", low=low, high=high), value))
        return int(value)

    return Parameter(name, says, read, {"type": "integer", "minimum": low, "maximum": high, "default": default})


def choice(name: str, says: str | Promise, allowed: Sequence[str]) -> Parameter:
    def read(value: str) -> str:
        if value not in allowed:
            raise Invalid("", must_be(say("one of {known}", known=tuple(allowed)), value))
        return value

    return Parameter(name, says, read, {"type": "string", "enum": list(allowed)})


def identifier(name: str, says: str | Promise) -> Parameter:
    return Parameter(name, says, parse_identifier, {"type": "string", "format": "uuid"})


def address(name: str, says: str | Promise) -> Parameter:
    return Parameter(name, says, lambda value: parse_address(value).key, {"type": "string", "maxLength": 256})


def moment(name: str, says: str | Promise) -> Parameter:
    # A plus sign that nobody escaped arrives as a space.
    return Parameter(
        name,
        says,
        lambda value: parse_moment(value.replace(" ", "+") if "T" in value else value),
        {"type": "string", "format": "date-time"},
    )


VIEWED = (
    text("scenario", gettext_lazy("Of this scenario instead of the live estate."), 200),
    text("as_of", gettext_lazy("As it was in this version (its number), or at this moment (ISO 8601)."), 40),
)
"""Which estate a request is about; `brokerui.estate.viewed` reads them."""
PAGE = (
    number("limit", gettext_lazy("Rows of a page."), 1, MOST, LIMIT),
    text("cursor", gettext_lazy("Where the page before ended, as its `next` says."), LONGEST),
)
NOTE = text("note", gettext_lazy("Why, for the history of versions."), 1_000)


def given(request: Request, known: Iterable[Parameter]) -> dict[str, Any]:
    """The values of the parameters that a request gives; a problem for one that is unknown, doubled or wrong."""
    parameters = {parameter.name: parameter for parameter in known}
    found = {}
    for name, values in request.query_params.lists():
        if name not in parameters:
            names = ", ".join(parameters) or "-"
            raise in_query(name, _("there is no such parameter here; known are %(names)s") % {"names": names})
        if len(values) > 1:
            raise in_query(name, _("stands twice"))
        found[name] = _value(parameters[name], values[0])
    return found


def _value(parameter: Parameter, text: str) -> Any:
    try:
        check_name(text, "", LONGEST)
        return parameter.read(text)
    except Invalid as fault:
        raise in_query(parameter.name, fault.problem.render(_)) from None


def _boolean(value: str) -> bool:
    if value not in ("true", "false"):
        raise Invalid("", must_be(say("true or false"), value))
    return value == "true"
