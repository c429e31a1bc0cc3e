"""Which conversations end otherwise after a change: counted, with the worst groups by name.

All classes that the change can reach are compared, name by name, however large the estate is. There may be a hundred
million; a page shows some of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any

from routing.classes.indexed_estate import IndexedEstate
from routing.diff.intent import Intent
from routing.diff.result import BETTER, MOVED, WORSE, DiffGroup, Outcomes, in_worst_order
from routing.diff.run import compare_stepwise
from routing.model.estate import Estate
from routing.rules.journey import in_order

KEPT = 1_000
"""Groups that are kept, the worst."""
ENTRIES = 20
"""Entry points that a group names; of more it has the count."""
APPEARED, VANISHED = "appeared", "vanished"
"""Kinds of groups whose entry points are new or gone: what begins there did not change, it was not there."""


@dataclass
class Ends:
    """The stored result of a comparison."""

    classes: int = 0
    names: int = 0
    """Names that the change may affect."""
    counts: Counter[str] = field(default_factory=Counter)
    """Intended classes that end worse, better or elsewhere, and those of entry points that appeared or vanished."""
    kinds: Counter[str] = field(default_factory=Counter)
    """The intended classes by finer kind of change."""
    apart: Counter[str] = field(default_factory=Counter)
    """Classes that end otherwise and that nobody intends, by verdict: they are no part of what the change is called."""
    groups: list[DiffGroup] = field(default_factory=list)
    """With intended classes."""
    groups_apart: list[DiffGroup] = field(default_factory=list)
    """Without any."""
    grouped: int = 0
    """Groups with intended classes that there are, with those that are not kept."""

    @property
    def changed(self) -> int:
        """Intended classes that end otherwise, of entry points that both estates have."""
        return self.counts[WORSE] + self.counts[MOVED] + self.counts[BETTER]

    def as_json(self) -> dict[str, Any]:
        return {
            "classes": self.classes,
            "names": self.names,
            "counts": dict(self.counts),
            "apart": dict(self.apart),
            "changed": self.changed,
            "grouped": self.grouped,
        }


class EndsCount:
    """A comparison that goes on target by target, as long as its caller has time for it."""

    def __init__(self, before: Estate | IndexedEstate, after: Estate, at: datetime) -> None:
        self._stepwise = stepwise = compare_stepwise(before, after, at)
        self.ends = Ends(stepwise.classes, stepwise.names)
        self.ends.counts.update({APPEARED: stepwise.appeared, VANISHED: stepwise.vanished})
        self.total = stepwise.total
        """Targets to compare: service names, each with the identifiers that conversations may give."""
        self.done = 0
        """Targets that are compared already."""

    @property
    def is_settled(self) -> bool:
        return self.done == self.total

    def step(self) -> None:
        """Compare the next target."""
        _add(self.ends, next(self._stepwise.steps), self._stepwise.intent)
        self.done += 1
        if self.is_settled:
            _keep_worst(self.ends)


def _add(found: Ends, groups: Iterable[DiffGroup], intent: Intent) -> None:
    for group in groups:
        intended = intent.members(group)
        found.counts[group.verdict] += intended
        found.kinds[group.kind] += intended
        found.apart[group.verdict] += len(group.members) - intended
        found.grouped += bool(intended)
        (found.groups if intended else found.groups_apart).append(group)
    if max(len(found.groups), len(found.groups_apart)) > 10 * KEPT:
        _keep_worst(found)


def _keep_worst(found: Ends) -> None:
    found.groups = in_worst_order(found.groups)[:KEPT]
    found.groups_apart = in_worst_order(found.groups_apart)[:KEPT]


def group_as_json(group: DiffGroup) -> dict[str, Any]:
    """As `diff` writes it."""
    return {
        "to_service": group.traffic.shown_service,
        "to_broker_instance": group.traffic.to_broker_instance,
        "is_reply": group.traffic.is_reply,
        "before": _ends(group.before),
        "after": _ends(group.after),
        "verdict": group.verdict,
        "kind": group.kind,
        "from_count": len(group.members),
        "from": [list(node) for node in islice(group.members, ENTRIES)],
    }


def _ends(outcomes: Outcomes) -> list[list[str]]:
    return [list(outcome) for outcome in in_order(outcomes)]
