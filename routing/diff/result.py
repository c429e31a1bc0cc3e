"""The result of a comparison: groups of classes with the same outcomes before and the same after."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from heapq import merge

from routing.classes.default_behaviour import EquivalenceClass
from routing.classes.traffic_class import Node, TrafficClass
from routing.diff.intent import Intent
from routing.rules.decision import DELAYED, DELIVERED, DROPPED, EXITS, HOP_LIMIT, Outcome
from routing.rules.verdict import goodness

WORSE, BETTER, MOVED = "worse", "better", "moved"
ANSWERS_LOST = "answers_lost"
"""A kind of change that callers find by following acknowledgements and replies: the outcomes do not tell it."""
CHANGED, UNCHANGED = "changed", "unchanged"
WORST_FIRST = {WORSE: 0, MOVED: 1, BETTER: 2}
Outcomes = frozenset[Outcome]
Pair = tuple[Outcomes, Outcomes]
"""Outcomes before and after."""
CACHED = 10_000
"""Pairs of outcomes whose verdict is kept: a comparison meets the same pairs again and again."""


@dataclass(slots=True)
class GroupMembers:
    """The entry points of a group: cells, each without some of its entry points, and single ones."""

    order: Mapping[Node, int]
    """The sort position of every entry point."""
    cells: list[tuple[EquivalenceClass, frozenset[Node]]] = field(default_factory=list)
    """A cell, and those of its entry points that do not belong to the group."""
    single: list[Node] = field(default_factory=list)

    def __len__(self) -> int:
        if not self.cells:
            return len(self.single)
        return sum(len(cell.entries) - len(without) for cell, without in self.cells) + len(self.single)

    def __contains__(self, node: object) -> bool:
        return node in self.single or any(node in cell.entries and node not in out for cell, out in self.cells)

    def __iter__(self) -> Iterator[Node]:
        parts = [_left(cell, without) for cell, without in self.cells]
        return merge(*parts, sorted(self.single, key=self.order.__getitem__), key=self.order.__getitem__)

    def unsorted(self) -> Iterator[Node]:
        """Yield the entry points in any order, which is quicker."""
        yield from self.single
        for cell, without in self.cells:
            yield from _left(cell, without)


def _left(cell: EquivalenceClass, without: frozenset[Node]) -> Iterator[Node]:
    return (node for node in cell.entries if node not in without)


@dataclass(slots=True)
class DiffGroup:
    """The classes of one name, identifier and direction with equal outcomes before, and equal outcomes after."""

    traffic: TrafficClass
    before: Outcomes
    after: Outcomes
    members: GroupMembers
    loses_answers: bool = False
    """Delivered as before, but acknowledgements and replies no longer all return: a caller has followed them."""
    verdict: str = field(init=False)
    """`better` or `worse` by the worst outcome of the set, then by its best; else `moved`."""

    def __post_init__(self) -> None:
        self.verdict = WORSE if self.loses_answers else verdict_of_change(self.before, self.after)

    def same_for(self, traffic: TrafficClass) -> DiffGroup:
        """The group of another class with the same outcomes at the same entry points."""
        group = object.__new__(DiffGroup)
        group.traffic, group.before, group.after = traffic, self.before, self.after
        group.members, group.verdict, group.loses_answers = self.members, self.verdict, self.loses_answers
        return group

    @property
    def kind(self) -> str:
        """The kind of change, finer than the verdict."""
        return ANSWERS_LOST if self.loses_answers else kind_of_change(self.before, self.after)


@lru_cache(CACHED)
def verdict_of_change(before: Outcomes, after: Outcomes) -> str:
    """`better`, `worse` or `moved`. An entry point that exists on one side only is `moved`."""
    if not before or not after:
        return MOVED
    old, new = goodness(before), goodness(after)
    if old == new:
        return MOVED
    return WORSE if new > old else BETTER


@lru_cache(CACHED)
def kind_of_change(before: Outcomes, after: Outcomes) -> str:
    """`appeared`, `vanished`; `newly_dropped` etc. for a new kind of outcome; `widened`, `narrowed`, `moved`."""
    if not before:
        return "appeared"
    if not after:
        return "vanished"
    if any(_loops(end) for end in after) and not any(_loops(end) for end in before):
        return "newly_loops"
    new = {outcome.kind for outcome in after} - {outcome.kind for outcome in before}
    for kind in (DROPPED, DELAYED, EXITS, DELIVERED):
        if kind in new:
            return f"newly_{kind}"
    if before < after:
        return "widened"
    return "narrowed" if after < before else "moved"


def _loops(outcome: Outcome) -> bool:
    return outcome.kind == DROPPED and outcome.detail == HOP_LIMIT


@dataclass
class Differential:
    """The complete result. `rows` yields single classes; there may be a hundred million."""

    classes: int
    groups: list[DiffGroup]
    """Worst first, then by service name and identifier."""
    intent: Intent

    def summary(self) -> dict[str, int]:
        """How many classes are worse, better, moved and unchanged."""
        counts = _counted((group.verdict, len(group.members)) for group in self.groups)
        return {**counts, "unchanged": self.classes - sum(counts.values())}

    @cached_property
    def intended(self) -> dict[str, int]:
        """How many of the intended classes are worse, better and moved."""
        return _counted((group.verdict, self.intent.members(group)) for group in self.groups)

    @property
    def verdict(self) -> str:
        """`worse` if an intended class is, `changed` if anything changes, else `unchanged`."""
        if self.intended[WORSE]:
            return WORSE
        return CHANGED if self.groups else UNCHANGED

    def rows(self) -> Iterator[tuple[Node, DiffGroup]]:
        """Every changed class, worst first."""
        return ((node, group) for group in self.groups for node in group.members)


def _counted(verdicts: Iterable[tuple[str, int]]) -> dict[str, int]:
    counts = dict.fromkeys((WORSE, BETTER, MOVED), 0)
    for verdict, number in verdicts:
        counts[verdict] += number
    return counts


def in_worst_order(groups: list[DiffGroup]) -> list[DiffGroup]:
    """Sort by verdict, then by what identifies a group, so that the same input gives the same text."""
    return sorted(groups, key=_rank)


def _rank(group: DiffGroup) -> tuple[object, ...]:
    traffic = group.traffic
    return (
        WORST_FIRST[group.verdict],
        traffic.shown_service,
        traffic.to_broker_instance is not None,
        traffic.to_broker_instance or "",
        traffic.is_reply,
        sorted(group.before),
        sorted(group.after),
    )
