"""The differential: what a change does to every possible class of traffic, evaluated only where the change can reach.

For each class, the nodes that the change may affect are decided before and after. If all decide as before, the class is
unchanged everywhere. Otherwise the entry points whose messages may reach such a node are found backwards, most of them
as whole cells, and evaluated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from routing.classes.indexed_estate import IndexedEstate
from routing.classes.traffic_class import UNKNOWN_IDENTIFIER, Node, TrafficClass
from routing.common.gc_control import gc_paused
from routing.common.names import is_system_service
from routing.diff.class_change import ClassChange
from routing.diff.context import DiffContext
from routing.diff.default_change import DefaultChange
from routing.diff.group_set import AlikeClasses
from routing.diff.intent import Intent
from routing.diff.per_name import NameContext
from routing.diff.replies import replies_end_alike
from routing.diff.result import Differential, DiffGroup, in_worst_order
from routing.model.estate import Estate

MOST_TARGETS = 64
"""Targets that are evaluated in one step at most, so that a caller may stop after few. Those of a name that no
changed node treats specially are one step, however many: `DefaultChange` answers them together."""


def compare(
    before: Estate | IndexedEstate,
    after: Estate,
    at: datetime,
    on_progress: Callable[[int, int, int], None] = lambda done, total, groups: None,
) -> Differential:
    """Every class whose outcomes differ between two estates at a moment, in groups.

    `on_progress` gets the targets that are compared, all of them, and the groups found; an exception from it ends the
    comparison.
    """
    with gc_paused():
        comparing = DiffContext(before, after, at)
        groups: list[DiffGroup] = []
        done, total = 0, sum(map(comparing.vocabulary.count_of_name, comparing.names))
        for step in _steps(comparing, comparing.names, comparing.delta.one_sided):
            groups += (group for alike in step.alike for group in alike.groups())
            done += step.targets
            on_progress(done, total, len(groups))
        return Differential(comparing.vocabulary.count(), in_worst_order(groups), comparing.intent())


@dataclass(frozen=True, slots=True)
class DiffStep:
    """A part of a comparison: some classes of one name, or of a few."""

    targets: int
    """The number of identifiers and directions that were compared."""
    alike: list[AlikeClasses]
    """Those that end otherwise somewhere."""


@dataclass(frozen=True, slots=True)
class StepwiseDiff:
    """A comparison that runs some classes of traffic at a time: the caller may stop, and keeps the groups it wants."""

    classes: int
    """The number of classes of all names."""
    appeared: int
    """The number of classes of entry points that only the second estate has. Steps leave them out: all are new."""
    vanished: int
    """The number of classes of entry points that only the first estate has; left out likewise."""
    names: int
    """The number of names that the change may affect."""
    total: int
    """The number of targets of all steps: one for each service name, identifier and direction."""
    steps: Iterator[DiffStep]
    """The groups of each step, of entry points that both estates have."""
    intent: Intent


def compare_stepwise(before: Estate | IndexedEstate, after: Estate, at: datetime) -> StepwiseDiff:
    """Like `compare`, but unsorted: first the names of changed routes and services, at the end the system services."""
    with gc_paused():
        comparing = DiffContext(before, after, at)
        named, names = comparing.delta.by_name, comparing.names_of_both
        each = comparing.vocabulary.count_of_entry()
        gone = sum(comparing.nowhere[0].has(node) for node in comparing.delta.one_sided)
        order = sorted(names, key=lambda name: (is_system_service(name), name not in named))
        return StepwiseDiff(
            classes=comparing.vocabulary.count(),
            appeared=(len(comparing.delta.one_sided) - gone) * each,
            vanished=gone * each,
            names=len(names),
            total=sum(map(comparing.vocabulary.count_of_name, names)),
            steps=_pausing(_joined(_steps(comparing, order, frozenset()))),
            intent=comparing.intent(),
        )


def _pausing(steps: Iterator[DiffStep]) -> Iterator[DiffStep]:
    while True:
        with gc_paused():
            step = next(steps, None)
        if step is None:
            return
        yield step


def _joined(steps: Iterable[DiffStep]) -> Iterator[DiffStep]:
    """Join steps of few targets, so that the work at each step is done less often."""
    targets, alike = 0, list[AlikeClasses]()
    for step in steps:
        if targets and targets + step.targets > MOST_TARGETS:
            yield DiffStep(targets, alike)
            targets, alike = 0, []
        targets += step.targets
        alike += step.alike
    if targets:
        yield DiffStep(targets, alike)


def _steps(comparing: DiffContext, names: Iterable[str], one_sided: Set[Node]) -> Iterator[DiffStep]:
    """All classes of these names, with these entry points of one estate only."""
    default = DefaultChange(comparing) if comparing.is_even and not one_sided else None
    for service in names:
        name = NameContext(comparing, service)
        traffics = list(comparing.vocabulary.of_name(service))
        if default is not None and not default.reaches(name):
            plain = [traffic for traffic in traffics if default.has(name, traffic)]
            yield DiffStep(len(plain), default.alike(name, plain))
            traffics = [] if len(plain) == len(traffics) else [one for one in traffics if not default.has(name, one)]
        yield from _evaluated(name, traffics, default, one_sided)


def _evaluated(
    name: NameContext, traffics: Iterable[TrafficClass], default: DefaultChange | None, one_sided: Set[Node]
) -> Iterator[DiffStep]:
    """Classes of one name, evaluated where the change can reach.

    A class that behaves like an earlier one is not evaluated again, and one that is near it only where they differ.
    """
    speakers: list[ClassChange] = []
    last: ClassChange | None = None
    rest = iter(sorted(traffics, key=_with_its_replies))
    while some := list(islice(rest, MOST_TARGETS)):
        alike: dict[ClassChange, AlikeClasses] = {}
        for traffic in some:
            speaker = _first(speakers, traffic, ClassChange.speaks_for)
            if speaker is None and last is not None and replies_end_alike(last, traffic):
                speaker = last
            if speaker is None:
                near = _first(speakers, traffic, ClassChange.is_near)
                speaker = last = ClassChange(name, traffic, near, default)
                speaker.evaluate(one_sided)
                if traffic.to_broker_instance in (None, UNKNOWN_IDENTIFIER):
                    speakers.append(speaker)
            if speaker.groups:
                alike.setdefault(speaker, AlikeClasses([], speaker.groups)).traffics.append(traffic)
        yield DiffStep(len(some), list(alike.values()))


def _with_its_replies(traffic: TrafficClass) -> tuple[bool, str]:
    """Put replies after the other messages with their identifier, and identifiers after those that speak for many."""
    identifier = traffic.to_broker_instance
    return identifier not in (None, UNKNOWN_IDENTIFIER), identifier or ""


def _first(
    classes: list[ClassChange], traffic: TrafficClass, fits: Callable[[ClassChange, TrafficClass], bool]
) -> ClassChange | None:
    for one in classes:
        if fits(one, traffic):
            return one
    return None
