"""The keys of a filter for the ways that conversations take."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from brokerui.analysis.explanations.origin import ON, OUTSIDE
from brokerui.core.filters import Term, Test, combined, one_of, parse, whole, within
from routing.classes.reachability import FirstHopOutcome
from routing.rules.decision import DELAYED, DELIVERED, DROPPED, EXITS

KEYS = ("service", "instance", "from", "via", "to", "outcome")
OUTCOMES = (DELIVERED, EXITS, DELAYED, DROPPED)


class ConversationPath(NamedTuple):
    """One way of one conversation."""

    instance: str
    database: str | None
    """None: it comes from outside."""
    service: str
    leg: FirstHopOutcome

    @property
    def places(self) -> tuple[str, ...]:
        """Every instance, database and address on it."""
        via, end = self.leg
        detail = (end.detail,) if end.kind in (DELIVERED, EXITS) else ()
        return (self.instance, self.database or "", via or "", end.instance, *detail)


def way_filter(text: str) -> Test[ConversationPath]:
    """The test that a text is. Raises `FilterError`."""
    return combined(parse(text, KEYS), MAKERS)


def _word(term: Term) -> Test[ConversationPath]:
    """A part of a name or an address, or a whole place as answers print it."""
    fits, is_it = within(term.value), whole(term.value)
    return lambda row: fits(row.service) or any(map(fits, row.places)) or any(map(is_it, (*_begin(row), *_end(row))))


def _at(texts: Callable[[ConversationPath], tuple[str, ...]]) -> Callable[[Term], Test[ConversationPath]]:
    def maker(term: Term) -> Test[ConversationPath]:
        fits = whole(term.value)
        return lambda row: any(map(fits, texts(row)))

    return maker


def _outcome(term: Term) -> Test[ConversationPath]:
    kind = one_of(term, OUTCOMES)
    return lambda row: row.leg.end.kind == kind


def _begin(row: ConversationPath) -> tuple[str, ...]:
    """As pages, commands and answers name it."""
    if row.database is None:
        return row.instance, f"{row.instance}/", f"{OUTSIDE}{row.instance}", f"{OUTSIDE[:-1]} {row.instance}"
    return row.instance, f"{row.instance}/{row.database}", f"{row.database}{ON}{row.instance}"


def _end(row: ConversationPath) -> tuple[str, ...]:
    """An exit ends at an address, everything else at an instance."""
    end = row.leg.end
    if end.kind == EXITS:
        return (end.detail,)
    if end.kind != DELIVERED:
        return end.instance, end.detail
    return end.instance, f"{end.instance}/{end.detail}", f"{end.detail}{ON}{end.instance}"


MAKERS: dict[str, Callable[[Term], Test[ConversationPath]]] = {
    "": _word,
    "service": _at(lambda row: (row.service,)),
    "instance": _at(lambda row: (row.instance, row.leg.via or "", row.leg.end.instance)),
    "from": _at(_begin),
    "via": _at(lambda row: (row.leg.via or "",)),
    "to": _at(_end),
    "outcome": _outcome,
}
