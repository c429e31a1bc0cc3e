"""The keys of a filter for findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from brokerui.analysis.explanations.origin import ON
from brokerui.analysis.lint.stored_findings import StoredFinding
from brokerui.core.filters import FilterError, Term, Test, kept, one_of, parse, whole, within
from routing.common.finding import SEVERITIES
from routing.common.sentence import say
from routing.lint.registry import CHECKS


def findings_kept(text: str, findings: Iterable[StoredFinding]) -> list[StoredFinding]:
    """The findings that a filter lets through. Raises `FilterError`."""
    return kept(findings, parse(text, tuple(key for key in MAKERS if key)), MAKERS)


def _word(term: Term) -> Test[StoredFinding]:
    fits, is_place = within(term.value), whole(term.value)
    # A remedy names what the place and the reason name already.
    return lambda found: any(fits(value) for value in found[:-1] if value is not None) or any(map(is_place, _at(found)))


def _at(found: StoredFinding) -> Iterator[str]:
    """As pages, commands and answers name the place of a finding and its database."""
    owner = f"{found.instance}/{found.database}" if found.database else found.instance or ""
    yield owner
    yield f"{found.database}{ON}{found.instance}"
    yield f"{owner}/{found.object}"


def _severity(term: Term) -> Test[StoredFinding]:
    severity = one_of(term, SEVERITIES)
    return lambda found: found.severity == severity


def _code(term: Term) -> Test[StoredFinding]:
    fits = whole(term.value)
    if not any(fits(check.code) for check in CHECKS):
        raise FilterError.of(term, say("no finding has this code"))
    return lambda found: fits(found.code)


def _place(value: Callable[[StoredFinding], str | None]) -> Callable[[Term], Test[StoredFinding]]:
    def make(term: Term) -> Test[StoredFinding]:
        fits = whole(term.value)
        if "/" not in term.value and ON not in term.value:
            return lambda found: fits(value(found) or "")
        return lambda found: fits(value(found) or "") or any(map(fits, _at(found)))

    return make


MAKERS: Mapping[str, Callable[[Term], Test[StoredFinding]]] = {
    "": _word,
    "severity": _severity,
    "code": _code,
    "instance": _place(lambda found: found.instance),
    "database": _place(lambda found: found.database),
    "object": _place(lambda found: found.object),
}
