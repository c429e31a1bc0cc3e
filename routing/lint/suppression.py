"""Suppressions, `brokerui.suppressions/1`: findings that a named owner accepts, object by object, for a time.

{"format": "brokerui.suppressions/1", "suppressions": [
  {"code": "unknown-address", "instance": "host1", "database": "Orders", "object": "ToPartner",
   "owner": "ana@example.com", "reason": "the partner's instance, not ours", "expires": "2030-01-31T00:00:00Z"}]}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from routing.common.errors import InputError, Invalid, must_be
from routing.common.finding import Finding
from routing.common.moment import parse_moment
from routing.common.sentence import say
from routing.documents.json_decoders import Decoder, fields, or_null, string, unknown_key
from routing.documents.json_pull import JsonPull

FORMAT = "brokerui.suppressions/1"
Key = tuple[str, str | None, str | None, str | None]


@dataclass(frozen=True, slots=True)
class FindingSuppression:
    """Hides one finding of one object until it expires."""

    code: str
    instance: str | None
    database: str | None
    object: str | None
    owner: str
    reason: str
    expires: datetime

    @property
    def key(self) -> Key:
        return self.code, self.instance, self.database, self.object

    def expired(self, at: datetime) -> bool:
        """Expired at and after this time, like a route."""
        return at >= self.expires


@dataclass(frozen=True, slots=True)
class Suppressed:
    """The findings that remain, and the state of the suppressions."""

    findings: tuple[Finding, ...]
    count: int
    """The number of suppressed findings."""
    expired: tuple[FindingSuppression, ...]
    unused: tuple[FindingSuppression, ...]
    """Suppressions that have not expired and match no finding any more."""


def suppress(findings: Iterable[Finding], suppressions: Iterable[FindingSuppression], at: datetime) -> Suppressed:
    """Remove the findings that are suppressed at this time."""
    given = tuple(suppressions)
    expired = tuple(suppression for suppression in given if suppression.expired(at))
    active = {suppression.key: suppression for suppression in given if not suppression.expired(at)}
    kept, used = [], set()
    count = 0
    for finding in findings:
        key = finding.code, finding.instance, finding.database, finding.object
        if key in active:
            used.add(key)
            count += 1
        else:
            kept.append(finding)
    unused = tuple(suppression for key, suppression in active.items() if key not in used)
    return Suppressed(tuple(kept), count, expired, unused)


def read_suppressions(
    text: str, codes: Iterable[str], *, where: str = "suppressions"
) -> tuple[FindingSuppression, ...]:
    """Read suppressions from a JSON text; their codes must be among `codes`.

    Raises `InputError` with the JSON path and the reason at the first error.
    """
    try:
        return _SuppressionReader(text, frozenset(codes)).document()
    except Invalid as fault:
        raise InputError(where, f"$.{fault.path}".rstrip("."), fault.problem) from None


class _SuppressionReader:
    """Reads one suppression at a time, whatever the size of the text."""

    def __init__(self, text: str, codes: frozenset[str]) -> None:
        self._json = JsonPull(text)
        self._converters: Mapping[str, Decoder] = {
            "code": _one_of(codes),
            "instance": or_null(string),
            "database": or_null(string),
            "object": or_null(string),
            "owner": _not_empty,
            "reason": _not_empty,
            "expires": lambda value: parse_moment(string(value)),
        }

    def document(self) -> tuple[FindingSuppression, ...]:
        found: tuple[FindingSuppression, ...] = ()
        seen = set()
        for key in self._json.members():
            if key == "format":
                self._format()
            elif key == "suppressions":
                found = tuple(self._suppressions())
            else:
                raise Invalid("", unknown_key(key, ("format", "suppressions")))
            seen.add(key)
        self._json.end()
        if "format" not in seen:
            raise Invalid("format", say('is missing; it must be "{format}"', format=FORMAT))
        return found

    def _format(self) -> None:
        value = self._json.value()
        if value != FORMAT:
            raise Invalid("format", must_be(f'"{FORMAT}"', value))

    def _suppressions(self) -> Iterable[FindingSuppression]:
        keys: dict[Key, int] = {}
        for index in self._json.elements():
            try:
                suppression = self._suppression()
            except Invalid as fault:
                raise fault.below(f"suppressions[{index}]") from None
            first = keys.setdefault(suppression.key, index)
            if first != index:
                problem = say("is for the same finding as suppressions[{first}]", first=first)
                raise Invalid(f"suppressions[{index}]", problem)
            yield suppression

    def _suppression(self) -> FindingSuppression:
        required = ("code", "instance", "object", "owner", "reason", "expires")
        return FindingSuppression(**{"database": None, **fields(self._json.value(), self._converters, required)})


def _one_of(codes: frozenset[str]) -> Decoder:
    def converted(value: Any) -> str:
        if string(value) not in codes:
            raise Invalid("", must_be(say("the code of a finding"), value))
        return string(value)

    return converted


def _not_empty(value: Any) -> str:
    """A non-empty owner or reason: a suppression must have both."""
    if not string(value).strip():
        raise Invalid("", say("must not be empty"))
    return string(value)
