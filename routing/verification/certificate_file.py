"""A certificate of a change, `brokerui.certificate/1`: what it claims, read strictly.

docs/reference/certificate.md describes the format.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeVar

from routing.common.errors import InputError, Invalid, must_be
from routing.common.moment import parse_moment
from routing.common.sentence import say
from routing.verification.document import Entry
from routing.verification.enumeration import ClaimedName
from routing.verification.evaluation import Ending

FORMAT = "brokerui.certificate/1"
RULES = "brokerui.rules/1"
"""The version of the routing rules by which the outcomes are claimed: docs/reference/rules.md."""
SWITCHES = {
    "begun_here_without_the_service": "delayed",
    "from_outside_without_the_service": "dropped",
    "mirrored_routes": "by_roles_in_the_document",
    "pending_route_requests": "none",
}
"""How the rules are read where the documents of Service Broker leave it open: docs/reference/certificate.md."""
VERDICTS = ("worse", "moved", "better", "unchanged")
_KEYS = (
    *("format", "rules", "switches", "at", "before", "after", "classes", "summary"),
    *("entries", "outcomes", "untouched", "traffic"),
)
_DETAIL = {"delivered": "database", "exits": "address", "delayed": "reason", "dropped": "reason"}
_T = TypeVar("_T")
Endings = frozenset[Ending]


@dataclass(frozen=True, slots=True)
class ClaimedGroup:
    """Entry points at which conversations of one kind have the same outcomes, before and after."""

    ranges: tuple[tuple[int, int], ...]
    """First and last index into the entry points of the certificate."""
    before: int
    after: int
    """Indexes into the sets of outcomes."""
    verdict: str

    def indexes(self) -> Iterator[int]:
        """The index of each entry point."""
        return (index for first, last in self.ranges for index in range(first, last + 1))


@dataclass(frozen=True, slots=True)
class ClaimedTraffic:
    """The claims about a service name with an identifier and a direction."""

    name: ClaimedName
    identifier: str | None
    is_reply: bool
    is_complete: bool
    """Whether the groups hold every entry point; else the change touches no conversation from those left out."""
    groups: tuple[ClaimedGroup, ...]


@dataclass(frozen=True, slots=True)
class ChangeCertificate:
    """All claims of a certificate."""

    at: datetime
    rules: str
    switches: dict[str, str]
    before: str
    after: str
    """SHA-256 of the documents, as BrokerUI writes them."""
    classes: int
    summary: dict[str, int]
    entries: tuple[Entry, ...]
    outcomes: tuple[Endings, ...]
    untouched: tuple[ClaimedName, ...]
    traffic: tuple[ClaimedTraffic, ...]


def read_certificate(content: bytes, *, where: str = "certificate") -> ChangeCertificate:
    """Read a certificate; raise `InputError` with the JSON path of the first thing that is none."""
    try:
        value = json.loads(content.decode("utf-8-sig"), object_pairs_hook=_members, parse_constant=_no_constant)
        return _certificate(value)
    except Invalid as fault:
        raise InputError(where, f"$.{fault.path}".rstrip("."), fault.problem) from None
    except UnicodeDecodeError as error:
        raise InputError(where, "", say("is not UTF-8: {reason}", reason=error.reason)) from None
    except json.JSONDecodeError as error:
        raise InputError(where, f"line {error.lineno}", say("is not JSON: {reason}", reason=error.msg)) from None
    except (ValueError, RecursionError):
        raise InputError(where, "", say("has a number that is too long, or is nested too deeply")) from None


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise Invalid("", say("has an object with the same key twice"))
    return members


def _no_constant(name: str) -> None:
    raise Invalid("", say("has {name}, which is not JSON", name=name))


def _certificate(value: Any) -> ChangeCertificate:
    given = _object(value, *_KEYS)
    if given.pop("format") != FORMAT:
        raise Invalid("format", must_be(f'"{FORMAT}"', value["format"]))
    entries = _each(given, "entries", _entry)
    outcomes = _each(given, "outcomes", lambda one: frozenset(_list("", one, _ending)))
    return ChangeCertificate(
        at=_in("at", lambda: parse_moment(_text(given["at"])).astimezone(UTC)),
        rules=_in("rules", lambda: _text(given["rules"])),
        switches={key: _text(one) for key, one in _in("switches", lambda: _dictionary(given["switches"])).items()},
        before=_in("before", lambda: _text(given["before"])),
        after=_in("after", lambda: _text(given["after"])),
        classes=_in("classes", lambda: _number(given["classes"])),
        summary=_in("summary", lambda: _summary(given["summary"])),
        entries=entries,
        outcomes=outcomes,
        untouched=_each(given, "untouched", _name),
        traffic=_each(given, "traffic", lambda one: _traffic(one, len(entries), len(outcomes))),
    )


def _summary(value: Any) -> dict[str, int]:
    return {key: _number(one) for key, one in _object(value, *VERDICTS).items()}


def _entry(value: Any) -> Entry:
    if isinstance(value, dict) and "outside" in value:
        return _text(_object(value, "outside")["outside"]), None
    given = _object(value, "instance", "database")
    return _text(given["instance"]), _text(given["database"])


def _ending(value: Any) -> Ending:
    kind = _dictionary(value).get("outcome")
    if not isinstance(kind, str) or kind not in _DETAIL:
        raise Invalid("outcome", must_be(say("delivered, exits, delayed or dropped"), kind))
    given = _object(value, "outcome", "instance", _DETAIL[kind])
    return Ending(kind, _text(given["instance"]), _text(given[_DETAIL[kind]]))


def _name(value: Any) -> ClaimedName:
    given = _object(value, "to_service", "stands_in")
    return ClaimedName(_text(given["to_service"]), _flag(given["stands_in"]))


def _traffic(value: Any, entries: int, outcomes: int) -> ClaimedTraffic:
    given = _object(value, "to_service", "stands_in", "to_broker_instance", "is_reply", "is_complete", "groups")
    identifier = given["to_broker_instance"]
    return ClaimedTraffic(
        ClaimedName(_text(given["to_service"]), _flag(given["stands_in"])),
        None if identifier is None else _text(identifier),
        _flag(given["is_reply"]),
        _flag(given["is_complete"]),
        _each(given, "groups", lambda one: _group(one, entries, outcomes)),
    )


def _group(value: Any, entries: int, outcomes: int) -> ClaimedGroup:
    given = _object(value, "entries", "before", "after", "verdict")
    ranges = _each(given, "entries", lambda one: _range(one, entries))
    if given["verdict"] not in VERDICTS:
        raise Invalid("verdict", must_be(", ".join(VERDICTS), given["verdict"]))
    before = _in("before", lambda: _number(given["before"], outcomes))
    after = _in("after", lambda: _number(given["after"], outcomes))
    return ClaimedGroup(ranges, before, after, given["verdict"])


def _range(value: Any, entries: int) -> tuple[int, int]:
    if not isinstance(value, list) or len(value) != 2:
        raise Invalid("", must_be(say("the first and the last index"), value))
    first, last = (_number(one, entries) for one in value)
    if last < first:
        raise Invalid("", say("ends before it begins"))
    return first, last


# ---------------------------------------------------------------- kinds of values


def _object(value: Any, *keys: str) -> dict[str, Any]:
    """An object with exactly these keys."""
    given = dict(_dictionary(value))
    for key in keys:
        if key not in given:
            raise Invalid(key, say("is missing"))
    for key in given:
        if key not in keys:
            raise Invalid("", say('has the unknown key "{key}"; known are {known}', key=key[:80], known=keys))
    return given


def _dictionary(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise Invalid("", must_be(say("an object"), value))
    return value


def _each(given: dict[str, Any], key: str, read: Callable[[Any], _T]) -> tuple[_T, ...]:
    return _list(key, given[key], read)


def _list(path: str, value: Any, read: Callable[[Any], _T]) -> tuple[_T, ...]:
    if not isinstance(value, list):
        raise Invalid(path, must_be(say("an array"), value))
    return tuple(_element(f"{path}[{index}]", one, read) for index, one in enumerate(value))


def _element(path: str, value: Any, read: Callable[[Any], _T]) -> _T:
    return _in(path, lambda: read(value))


def _in(path: str, read: Callable[[], _T]) -> _T:
    try:
        return read()
    except Invalid as fault:
        raise fault.below(path) from None


def _text(value: Any) -> str:
    if type(value) is not str:
        raise Invalid("", must_be(say("a string"), value))
    return value


def _flag(value: Any) -> bool:
    if type(value) is not bool:
        raise Invalid("", must_be(say("true or false"), value))
    return value


def _number(value: Any, below: int | None = None) -> int:
    if type(value) is not int or value < 0 or (below is not None and value >= below):
        kind = say("a whole number") if below is None else say("a whole number below {limit}", limit=below)
        raise Invalid("", must_be(kind, value))
    return value
