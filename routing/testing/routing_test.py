"""One routing test, and how the tests of a file are read from its plain value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from routing.common.errors import Invalid, must_be
from routing.common.names import SERVICE_NAME_CHARS, check_name
from routing.common.sentence import say
from routing.documents.json_decoders import Decoder, boolean, fields, identifier_or_null, moment, or_null, string
from routing.testing.outcome_pattern import OutcomePattern, parse_pattern

MAX_TESTS = 10_000
"""Tests of one file."""
TEST_NAME_CHARS = 200
MAX_ORIGIN_CHARS = 600
"""An instance of 256 characters and a database of 128, percent-encoded where need be."""
MAX_PATTERNS = 100
"""Outcomes that one key of a test lists."""
Patterns = tuple[OutcomePattern, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoutingTest:
    """A conversation, and the outcomes that it must, may and must never have."""

    name: str
    origin: str | None = None
    """`INSTANCE/DATABASE`: the database that begins the conversation. None: it comes from outside."""
    outside: str | None = None
    """The instance that it reaches from outside."""
    to_service: str
    to_broker_instance: str | None = None
    is_reply: bool = False
    at: datetime | None = None
    """The moment for which it is judged; None: the moment that the caller gives."""
    must: Patterns = ()
    """Every outcome matches one of these; empty: no condition."""
    may: Patterns = ()
    """Each of these is matched by an outcome."""
    never: Patterns = ()
    """No outcome matches any of these."""

    def __post_init__(self) -> None:
        if (self.origin is None) == (self.outside is None):
            raise Invalid("", say("needs either from or outside"))
        if not (self.must or self.may or self.never):
            raise Invalid("", say("needs one of must, may and never"))


def routing_tests_from(value: Any) -> tuple[RoutingTest, ...]:
    """The tests of a file, from its plain value; raise `Invalid` with the JSON path of the first error."""
    return tuple(fields(value, {"tests": _tests}, ("tests",))["tests"])


def _tests(value: Any) -> tuple[RoutingTest, ...]:
    if type(value) is not list:
        raise Invalid("", must_be(say("an array"), value))
    if len(value) > MAX_TESTS:
        raise Invalid("", say("has more than {limit} tests", limit=MAX_TESTS))
    found: list[RoutingTest] = []
    first: dict[str, int] = {}
    for index, element in enumerate(value):
        try:
            found.append(_test(element))
        except Invalid as fault:
            raise fault.below(f"[{index}]") from None
        earlier = first.setdefault(found[-1].name, index)
        if earlier != index:
            raise Invalid(f"[{index}].name", say("is the name of tests[{first}] already", first=earlier))
    return tuple(found)


def _test(value: Any) -> RoutingTest:
    given = fields(value, _TEST, ("name", "to"))
    return RoutingTest(**{_FIELDS.get(key, key): member for key, member in given.items()})


def _name(value: Any) -> str:
    name = string(value)
    check_name(name, "", TEST_NAME_CHARS)
    if not name.isprintable() or not name.strip():
        raise Invalid("", say("must be one line of printable characters"))
    return name


def _service(value: Any) -> str:
    check_name(string(value), "", SERVICE_NAME_CHARS)
    return string(value)


def _place(value: Any) -> str:
    check_name(string(value), "", MAX_ORIGIN_CHARS)
    return string(value)


def _patterns(value: Any) -> Patterns:
    """One pattern, or a list of several."""
    if type(value) is str:
        return (parse_pattern(value),)
    if type(value) is not list:
        raise Invalid("", must_be(say("an outcome or a list of outcomes"), value))
    if not 0 < len(value) <= MAX_PATTERNS:
        raise Invalid("", say("must list 1 to {limit} outcomes", limit=MAX_PATTERNS))
    return tuple(_pattern(index, element) for index, element in enumerate(value))


def _pattern(index: int, value: Any) -> OutcomePattern:
    try:
        return parse_pattern(string(value))
    except Invalid as fault:
        raise fault.below(f"[{index}]") from None


_FIELDS = {"from": "origin", "to": "to_service", "broker": "to_broker_instance", "reply": "is_reply"}
"""Fields of a test by key of the file, where they have another name."""
_TEST: Mapping[str, Decoder] = {
    "name": _name,
    "from": _place,
    "outside": _place,
    "to": _service,
    "broker": identifier_or_null,
    "reply": boolean,
    "at": or_null(moment),
    "must": _patterns,
    "may": _patterns,
    "never": _patterns,
}
