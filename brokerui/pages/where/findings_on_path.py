"""Findings of lint on the way of a conversation: the cause, with its remedy, beside the answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from brokerui.analysis.lint.stored_findings import StoredFinding
from brokerui.pages.where.answer import WhereAnswer
from routing.common.sentence import Sentence
from routing.model.conversation import Conversation
from routing.rules.journey_account import HopAccount

NO_RETURN = "no-return-route"
MAX_FINDINGS = 4
"""Findings that are written out."""


def findings_on_path(
    answer: WhereAnswer, conversation: Conversation, findings: Iterable[StoredFinding]
) -> tuple[StoredFinding, ...]:
    """Those about a route that is taken, about the places where it begins and ends, and, in a table that is asked,
    about the service: a route with its name misspelt is not taken, and is the cause for that very reason. That replies
    get nowhere is told only where those of this conversation do."""
    ends = [one.end for one in (*answer.outcomes, *answer.other_outcomes)]
    taken = {route for hop in answer.hops for route in _taken(hop)}
    tables = {(hop.instance, hop.table) for hop in answer.hops}
    targets = {(end.instance, end.outcome.detail) for end in ends}
    service = conversation.to_service
    returns = answer.explanation.returns
    arrived = {(back.target.instance, back.target.detail) for back in returns if back.arrives}
    astray = {(back.target.instance, back.target.detail) for back in returns if not back.arrives}

    def is_on_way(found: StoredFinding) -> bool:
        here = found.instance or "", found.database or ""
        if found.code == NO_RETURN and here in arrived - astray:
            return False  # the replies of other conversations get nowhere
        if found.is_about_a_route:
            return (*here, found.object) in taken or (here in tables and _is_about(found, service))
        if found.is_about_the_whole:
            return here in targets or here in tables
        return here in targets and _is_about(found, service)

    places = {instance for instance, _ in tables | targets}
    return tuple(found for found in findings if found.instance in places and is_on_way(found))


def kinds_of(found: Sequence[StoredFinding]) -> list[tuple[int, StoredFinding, int]]:
    """The first listed finding of each kind: its number, the finding, and how many there are of the kind."""
    kinds = Counter((one.severity, one.code) for one in found)
    firsts: dict[tuple[str, str], tuple[int, StoredFinding, int]] = {}
    for number, one in enumerate(found[:MAX_FINDINGS], start=1):
        key = one.severity, one.code
        firsts.setdefault(key, (number, one, kinds[key]))
    return list(firsts.values())


def _taken(hop: HopAccount) -> Iterator[tuple[str, str, str]]:
    """The routes that decided, though they lead nowhere."""
    for step in hop.steps:
        if step.taken:
            yield from ((hop.instance, hop.table, name) for name in step.routes)


def _is_about(found: StoredFinding, service: str) -> bool:
    """Whether it, or its remedy, names the service."""
    quoted = service.replace("'", "''")
    return f"N'{quoted}'" in (found.remedy_sql or "") or service in _names(found.reason)


def _names(value: object) -> Iterator[object]:
    """All that a sentence names."""
    if isinstance(value, Sentence):
        for part in value.values.values():
            yield from _names(part)
    elif isinstance(value, tuple):
        for part in value:
            yield from _names(part)
    else:
        yield value
