"""Which conversations end otherwise after a change: counted, with the worst groups by name.

All classes that the change can reach are compared, name by name, however large the estate is. There may be a hundred
million; a page shows some of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any

from brokerui.analysis.effect.answers import AnswersLost
from brokerui.analysis.effect.set_counts import SetCounts
from routing.classes.indexed_estate import IndexedEstate
from routing.classes.traffic_class import STAND_IN, UNKNOWN_IDENTIFIER, UNKNOWN_SERVICE, TrafficClass
from routing.diff.group_set import AlikeClasses
from routing.diff.result import (
    BETTER,
    MOVED,
    WORSE,
    WORST_FIRST,
    DiffGroup,
    Outcomes,
    in_worst_order,
)
from routing.diff.run import compare_stepwise
from routing.model.estate import Estate
from routing.rules.journey import in_order

KEPT = 1_000
"""Groups that are kept, the worst."""
SORTED_AT = 4 * KEPT
"""Groups after which those that are not kept are dropped."""
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
    lost: int = 0
    """Classes that count as worse because answers no longer return; by their outcomes they are moved."""

    @property
    def changed(self) -> int:
        """Intended classes that end otherwise, of entry points that both estates have."""
        return self.counts[WORSE] + self.counts[MOVED] + self.counts[BETTER]

    def summary(self) -> dict[str, int]:
        """How many classes are worse, better, moved and unchanged, by their outcomes, as `diff` counts them; entry
        points that are new or gone count as moved."""
        found = {verdict: self.counts[verdict] + self.apart[verdict] for verdict in (WORSE, BETTER, MOVED)}
        found[WORSE] -= self.lost
        found[MOVED] += self.lost
        found[MOVED] += self.counts[APPEARED] + self.counts[VANISHED]
        return {**found, "unchanged": self.classes - sum(found.values())}

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
    """A comparison that goes on step by step (`routing.diff.run`), as long as its caller has time for it."""

    def __init__(self, before: Estate | IndexedEstate, after: Estate, at: datetime) -> None:
        self._stepwise = stepwise = compare_stepwise(before, after, at)
        self._answers = AnswersLost(before.estate if isinstance(before, IndexedEstate) else before, after, at)
        self.ends = Ends(stepwise.classes, stepwise.names)
        self.ends.counts.update({APPEARED: stepwise.appeared, VANISHED: stepwise.vanished})
        self.total = stepwise.total
        """Targets to compare: service names, each with the identifiers that conversations may give."""
        self._counts = SetCounts(stepwise.intent)
        self._worst, self._worst_apart = _Worst(), _Worst()
        self.done = 0
        """Targets that are compared already."""

    @property
    def is_settled(self) -> bool:
        return self.done == self.total

    def step(self) -> None:
        """Compare the next targets."""
        step = next(self._stepwise.steps)
        for alike in step.alike:
            self._add(alike)
        self.done += step.targets
        self.ends.groups, self.ends.groups_apart = self._worst.groups, self._worst_apart.groups
        if self.is_settled:
            self.ends.groups, self.ends.groups_apart = self._worst.settled(), self._worst_apart.settled()

    def _add(self, alike: AlikeClasses) -> None:
        known, unknown = _parted(alike.traffics)
        service = alike.traffics[0].to_service
        count = self._counts.of(alike.found, service)
        for verdict, entries in count.entries.items():
            if entries:
                self.ends.apart[verdict] += entries * len(alike.traffics)
        for group, intended in count.intended.values():
            self._add_intended(group, intended, known)
        for group in count.answering.values():
            self._add_answering(group, alike.traffics)
        if self._worst_apart.takes(count.entries, service):
            for group in alike.found:
                pair = group.before, group.after
                if pair not in count.answering:
                    self._worst_apart.add(group, unknown if pair in count.intended else alike.traffics)

    def _add_intended(self, group: DiffGroup, intended: int, known: Sequence[TrafficClass]) -> None:
        """Count the intended classes of a group, which are among all that are counted as intended by nobody."""
        if known:
            self.ends.counts[group.verdict] += intended * len(known)
            self.ends.kinds[group.kind] += intended * len(known)
            self.ends.apart[group.verdict] -= intended * len(known)
            self.ends.grouped += len(known)
            self._worst.add(group, known)

    def _add_answering(self, group: DiffGroup, traffics: Sequence[TrafficClass]) -> None:
        """Add a group that arrives before and after: conversations that lose their answers apart from the others."""
        begun = [one for one in traffics if not one.is_reply]
        rest, lost = self._answers.parted(group) if begun else (group, None)
        if lost is None:
            self._add_group(group, traffics)
            return
        self._add_group(group, [one for one in traffics if one.is_reply])
        self._add_group(rest, begun)
        self._add_group(lost, begun)
        self.ends.lost += len(lost.members) * len(begun)

    def _add_group(self, group: DiffGroup, traffics: Sequence[TrafficClass]) -> None:
        if not traffics or not len(group.members):
            return
        known, unknown = _parted(traffics)
        self.ends.apart[group.verdict] += len(group.members) * len(traffics)
        intended = self._counts.intended(group, traffics[0].to_service)
        if intended:
            self._add_intended(group, intended, known)
        self._worst_apart.add(group, unknown if intended else traffics)


def _parted(traffics: Sequence[TrafficClass]) -> tuple[Sequence[TrafficClass], Sequence[TrafficClass]]:
    """Part the classes with an identifier that is known, or none, from those with one that occurs nowhere."""
    unknown = [one for one in traffics if one.to_broker_instance == UNKNOWN_IDENTIFIER]
    return [one for one in traffics if one not in unknown] if unknown else traffics, unknown


class _Worst:
    """The worst of many groups; they are sorted once in a while."""

    def __init__(self) -> None:
        self.groups: list[DiffGroup] = []
        self._last: tuple[int, str] | None = None
        """The verdict and service of the last group that was kept, once there are more than are kept."""

    def add(self, group: DiffGroup, traffics: Sequence[TrafficClass]) -> None:
        """Add a group of classes of one name, unless as many worse ones are there."""
        if not traffics or not self._has_room(group.verdict, traffics[0].shown_service):
            return
        self.groups += map(group.same_for, traffics)
        if len(self.groups) > SORTED_AT:
            last = self.settled()[-1]
            self._last = WORST_FIRST[last.verdict], last.traffic.shown_service

    def takes(self, entries: Mapping[str, int], service: str) -> bool:
        """Whether groups of a service with these entry points by verdict may be among the worst."""
        for verdict in WORST_FIRST:
            if entries[verdict]:
                return self._has_room(verdict, service.replace(UNKNOWN_SERVICE, STAND_IN))
        return False

    def _has_room(self, verdict: str, service: str) -> bool:
        return self._last is None or (WORST_FIRST[verdict], service) <= self._last

    def settled(self) -> list[DiffGroup]:
        """Sort, and drop all but the worst."""
        self.groups = in_worst_order(self.groups)[:KEPT]
        return self.groups


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
