"""The keys of a filter for routes."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from types import MappingProxyType

from brokerui.analysis.explanations.origin import ON
from brokerui.analysis.lint.stored_findings import RouteKey, StoredFinding
from brokerui.changes.marks import ADDED, ALTERED
from brokerui.core.filters import FilterError, Term, Test, kept, one_of, parse, plain, whole, within
from brokerui.core.typed_moments import read_moment
from brokerui.estate.refs import Ref
from brokerui.estate.refs import route as route_ref
from brokerui.pages.routes.rows import RouteRow
from routing.common.errors import Invalid
from routing.common.names import is_system_service
from routing.common.sentence import say
from routing.lint.local import AUTO_CREATED
from routing.lint.registry import CHECKS
from routing.model.address import Address

Fits = Callable[[str], bool]
UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
LATEST = datetime.max.replace(tzinfo=UTC)
_DURATION = re.compile(r"([0-9]{1,5})([mhdw])")
KEYS = (
    "name",
    "instance",
    "database",
    "service",
    "address",
    "broker",
    "mirror",
    "is",
    "expires",
    "has",
    "finding",
    "hide",
)
KINDS = ("expired", "wildcard", "local", "transport", "network", "mirrored", ADDED, ALTERED)


@dataclass(frozen=True, slots=True)
class RouteFilter:
    """The parsed filter of the page."""

    terms: tuple[Term, ...]

    @property
    def asks_for_findings(self) -> bool:
        """Whether it can be answered only once the estate has been looked over."""
        return any(term.key in ("has", "finding") for term in self.terms)

    def kept(
        self,
        rows: Iterable[RouteRow],
        at: datetime,
        findings: Mapping[RouteKey, tuple[StoredFinding, ...]],
        changed: Mapping[Ref, str] = MappingProxyType({}),
    ) -> list[RouteRow]:
        """The rows that it lets through at a moment; `changed` says which ones a draft adds or alters."""
        return kept(rows, self.terms, _Meaning(at, findings, changed).makers)


def route_filter(text: str) -> RouteFilter:
    """The filter that a text is. Raises `FilterError`."""
    found = RouteFilter(parse(text, KEYS))
    found.kept((), LATEST, {})  # every word must mean something, at any moment
    return found


class _Meaning:
    """A test for each kind of word."""

    def __init__(
        self, at: datetime, findings: Mapping[RouteKey, tuple[StoredFinding, ...]], changed: Mapping[Ref, str]
    ) -> None:
        self._at = at
        self._findings = findings
        self._changed = changed
        self.makers: Mapping[str, Callable[[Term], Test[RouteRow]]] = {
            "": _word,
            "name": _column(lambda row: (row.route.name, _place(row))),
            "instance": _column(lambda row: (row.instance, *_owners(row))),
            "database": _column(lambda row: (row.database, *_owners(row))),
            "service": _column(lambda row: (row.route.remote_service_name or "",)),
            "broker": _column(lambda row: (row.route.broker_instance or "",)),
            "address": _column(lambda row: _spellings(row.route.address)),
            "mirror": _column(lambda row: _spellings(row.route.mirror_address)),
            "is": self._is,
            "expires": self._expires,
            "has": self._has,
            "finding": self._finding,
            "hide": _hide,
        }

    def _is(self, term: Term) -> Test[RouteRow]:
        kind = one_of(term, KINDS)
        at = self._at
        tests: dict[str, Test[RouteRow]] = {
            "expired": lambda row: row.route.expired(at),
            "wildcard": lambda row: row.is_wildcard,
            "local": lambda row: row.route.address.is_local,
            "transport": lambda row: row.route.address.is_transport,
            "network": lambda row: row.route.address.is_network,
            "mirrored": lambda row: row.route.mirror_address is not None,
            ADDED: lambda row: self._changed.get(route_ref(*row.key)) == ADDED,
            ALTERED: lambda row: self._changed.get(route_ref(*row.key)) == ALTERED,
        }
        return tests[kind]

    def _expires(self, term: Term) -> Test[RouteRow]:
        """Keeps unexpired routes by the time until they expire."""
        if term.value == "never":
            return lambda row: row.route.lifetime is None
        sign, text = term.value[:1], term.value[1:]
        if sign not in ("<", ">"):
            raise _wrong_time(term)
        until, at = self._moment(term, text), self._at
        if sign == ">":
            return lambda row: row.route.lifetime is not None and row.route.lifetime > max(until, at)
        return lambda row: row.route.lifetime is not None and at < row.route.lifetime < until

    def _moment(self, term: Term, text: str) -> datetime:
        duration = _DURATION.fullmatch(text)
        try:
            if duration:
                return self._at + timedelta(**{UNITS[duration[2]]: int(duration[1])})
            return read_moment(text)
        except OverflowError:
            return LATEST
        except Invalid:
            raise _wrong_time(term) from None

    def _has(self, term: Term) -> Test[RouteRow]:
        one_of(term, ("finding",))
        findings = self._findings
        return lambda row: row.key in findings

    def _finding(self, term: Term) -> Test[RouteRow]:
        fits, findings = whole(term.value), self._findings
        if not any(fits(check.code) for check in CHECKS):
            raise FilterError.of(term, say("no finding has this code"))
        return lambda row: any(fits(finding.code) for finding in findings.get(row.key, ()))


def _word(term: Term) -> Test[RouteRow]:
    if "*" in term.value:
        fits = within(term.value)
        return lambda row: any(fits(value) for value in row.values() if value is not None)
    part = plain(term.value)
    if "/" not in part and ON not in part:
        return lambda row: part in row.text
    return lambda row: part in row.text or part == _place(row).casefold() or part in map(str.casefold, _owners(row))


def _place(row: RouteRow) -> str:
    """As findings and commands name a route."""
    return f"{row.instance}/{row.database}/{row.route.name}"


def _owners(row: RouteRow) -> tuple[str, str]:
    """As commands and answers name its database."""
    return f"{row.instance}/{row.database}", f"{row.database}{ON}{row.instance}"


def _column(values: Callable[[RouteRow], Iterable[str]]) -> Callable[[Term], Test[RouteRow]]:
    def make(term: Term) -> Test[RouteRow]:
        fits: Fits = whole(term.value)
        return lambda row: any(map(fits, values(row)))

    return make


def _spellings(address: Address | None) -> Collection[str]:
    """As it was written, and canonical."""
    return ("",) if address is None else {address.text, address.key}


def _hide(term: Term) -> Test[RouteRow]:
    one_of(term, ("system",))
    return lambda row: not _is_system(row)


def _is_system(row: RouteRow) -> bool:
    """Whether the product makes such a route itself."""
    service = row.route.remote_service_name
    if service is not None:
        return is_system_service(service)
    return row.route.name == AUTO_CREATED and row.is_wildcard and row.route.address.is_local


def _wrong_time(term: Term) -> FilterError:
    problem = say("expires: takes never, or < or > before a duration or a moment: <7d, >12h, <2030-01-31")
    return FilterError.of(term, problem)
