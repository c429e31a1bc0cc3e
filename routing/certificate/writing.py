"""Writes the certificate of a change: its claims about every class of conversations."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

from routing.classes.class_evaluator import ClassEvaluator
from routing.classes.traffic_class import STAND_IN, UNKNOWN_SERVICE, Node, TrafficClass, Vocabulary
from routing.common.errors import Invalid
from routing.common.gc_control import gc_paused
from routing.common.moment import format_moment
from routing.common.sentence import say
from routing.diff.result import UNCHANGED, WORST_FIRST, Outcomes, verdict_of_change
from routing.documents.conversation_json import entry_as_json
from routing.documents.digest import estate_sha256
from routing.documents.estate_document import write_estate
from routing.model.estate import Estate
from routing.rules.journey import in_order
from routing.verification.certificate_file import FORMAT, RULES, SWITCHES
from routing.verification.checking import canonical
from routing.verification.document import ReadDocument
from routing.verification.enumeration import in_order as entry_order
from routing.verification.untouched import NOWHERE, Untouched

MOST_LISTED = 100_000
"""Up to this number of classes all are listed. Above, only those that the change touches are."""
MOST_EVALUATED = 2_000_000
"""A change that touches more classes has no certificate."""


def write_certificate(
    before: Estate,
    after: Estate,
    at: datetime,
    *,
    most_listed: int = MOST_LISTED,
    most_evaluated: int = MOST_EVALUATED,
) -> str:
    """The certificate of a change at a moment, as canonical JSON.

    Raises `Invalid` where the change touches more than `most_evaluated` classes.
    """
    with gc_paused():
        return canonical(_Writing(before, after, at, most_listed, most_evaluated).document())


class _Writing:
    """Collects the claims of one certificate."""

    def __init__(self, before: Estate, after: Estate, at: datetime, most_listed: int, most_evaluated: int) -> None:
        self._before, self._after, self._at = before, after, at
        self._words = Vocabulary(before, after)
        self._entries = sorted(self._words.entries, key=entry_order)
        self._index = {entry: number for number, entry in enumerate(self._entries)}
        self._touched = self._touched_entries() if self._words.count() > most_listed else {}
        evaluated = sum(self._words.count_of_name(name) * len(self._entries_of(name)) for name in self._names_listed())
        if evaluated > max(most_evaluated, most_listed):
            problem = say(
                "the change touches {count} classes of conversations; a certificate lists {limit} at the most",
                count=f"{evaluated:,}",
                limit=f"{most_evaluated:,}",
            )
            raise Invalid("", problem)

    def _touched_entries(self) -> dict[str, frozenset[Node]]:
        """By name: the entry points that the change touches, for names at which it touches some or none."""
        untouched = Untouched(*(ReadDocument(_document(one), self._at) for one in (self._before, self._after)))
        found = {name: untouched.touched(name) for name in self._words.identifiers}
        return {name: touched for name, touched in found.items() if touched is not None}

    def _names_listed(self) -> list[str]:
        return sorted(name for name in self._words.identifiers if self._touched.get(name) != NOWHERE)

    def _entries_of(self, name: str) -> list[int]:
        """The indexes of the entry points that are listed for a name."""
        touched = self._touched.get(name)
        if touched is None:
            return list(range(len(self._entries)))
        return sorted(self._index[entry] for entry in touched)

    def document(self) -> dict[str, Any]:
        """The value of the certificate."""
        traffic = [one for name in self._names_listed() for one in self._words.of_name(name)]
        grouped = {one: self._groups(one) for one in traffic}
        sets = sorted({ends for groups in grouped.values() for pair in groups for ends in pair}, key=_set_order)
        index = {ends: number for number, ends in enumerate(sets)}
        return {
            "format": FORMAT,
            "rules": RULES,
            "switches": SWITCHES,
            "at": format_moment(self._at),
            "before": estate_sha256(self._before),
            "after": estate_sha256(self._after),
            "classes": self._words.count(),
            "summary": self._summary(grouped),
            "entries": [entry_as_json(*entry) for entry in self._entries],
            "outcomes": [[outcome.as_json() for outcome in in_order(ends)] for ends in sets],
            "untouched": [_name(name) for name, touched in sorted(self._touched.items()) if touched == NOWHERE],
            "traffic": [
                _traffic(one, groups, index, is_complete=one.to_service not in self._touched)
                for one, groups in grouped.items()
            ],
        }

    def _groups(self, traffic: TrafficClass) -> dict[tuple[Outcomes, Outcomes], list[int]]:
        """The indexes of entry points by their outcomes before and after."""
        sides = ClassEvaluator(self._before, traffic, self._at), ClassEvaluator(self._after, traffic, self._at)
        found: dict[tuple[Outcomes, Outcomes], list[int]] = {}
        for index in self._entries_of(traffic.to_service):
            before, after = (_ends(side, self._entries[index]) for side in sides)
            found.setdefault((before, after), []).append(index)
        return found

    def _summary(self, grouped: dict[TrafficClass, dict[tuple[Outcomes, Outcomes], list[int]]]) -> dict[str, int]:
        counts = dict.fromkeys((*WORST_FIRST, UNCHANGED), 0)
        for groups in grouped.values():
            for pair, indexes in groups.items():
                counts[_verdict(*pair)] += len(indexes)
        counts[UNCHANGED] += self._words.count() - sum(counts.values())
        return counts


def _document(estate: Estate) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(write_estate(estate))
    return document


def _ends(evaluator: ClassEvaluator, entry: Node) -> Outcomes:
    return evaluator.ends(evaluator.start(entry)) if evaluator.has(entry) else frozenset()


def _verdict(before: Outcomes, after: Outcomes) -> str:
    return UNCHANGED if before == after else verdict_of_change(before, after)


def _set_order(ends: Outcomes) -> str:
    return canonical([outcome.as_json() for outcome in in_order(ends)])


def _name(service: str) -> dict[str, Any]:
    return {
        "to_service": service.replace(UNKNOWN_SERVICE, STAND_IN),
        "stands_in": service.endswith(UNKNOWN_SERVICE),
    }


def _traffic(
    traffic: TrafficClass,
    groups: dict[tuple[Outcomes, Outcomes], list[int]],
    index: dict[Outcomes, int],
    *,
    is_complete: bool,
) -> dict[str, Any]:
    return {
        **_name(traffic.to_service),
        "to_broker_instance": traffic.to_broker_instance,
        "is_reply": traffic.is_reply,
        "is_complete": is_complete,
        "groups": [
            {
                "entries": list(_ranges(at)),
                "before": index[before],
                "after": index[after],
                "verdict": _verdict(before, after),
            }
            for (before, after), at in groups.items()
        ],
    }


def _ranges(indexes: Iterable[int]) -> Iterator[list[int]]:
    """First and last of each run of neighbours; the indexes are sorted."""
    run: list[int] = []
    for index in indexes:
        if run and index == run[1] + 1:
            run[1] = index
        else:
            if run:
                yield run
            run = [index, index]
    if run:
        yield run
