"""The order in which the servers of a change follow one another, so that no conversation suffers in between.

Between two steps some servers have the change and others not yet. A class of traffic suffers there if its outcomes are
worse than both before the change and after it. The order with the fewest such classes is found, one without any where
there is one.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final

from routing.classes.indexed_estate import IndexedEstate
from routing.classes.traffic_class import Node, TrafficClass, Vocabulary
from routing.diff.result import WORSE, DiffGroup
from routing.diff.run import compare
from routing.model.estate import Estate, Instance

Step = tuple[str, ...]
"""Instances that change at once."""
Worse = Mapping[TrafficClass, list[DiffGroup]]
Done = frozenset[int]
"""Indexes of the steps that are done."""
MOST_STATES: Final = 300
"""States in between that are looked at; with more than eight steps there may be more."""


@dataclass(frozen=True, slots=True)
class Harm:
    """Classes that are worse for a moment than both before and after."""

    count: int = 0
    node: Node | None = None
    """The entry point of the first one, and its traffic."""
    traffic: TrafficClass | None = None


NO_HARM: Final = Harm()


@dataclass(frozen=True, slots=True)
class OrderedStep:
    """A step, and what suffers from then on until the next one."""

    instances: Step
    harm: Harm


def step_order(before: Estate, after: Estate, steps: Sequence[Step], at: datetime) -> list[OrderedStep] | None:
    """Return the steps in the order in which the fewest classes suffer; of equal orders the one nearest to the given.

    None where more states than `MOST_STATES` would have to be looked at.
    """
    first, last = IndexedEstate(before), IndexedEstate(after)
    known: dict[Done, Harm] = {frozenset(): NO_HARM, frozenset(range(len(steps))): NO_HARM}

    def harm(done: Done) -> Harm:
        if done not in known:
            known[done] = _harm(first, last, between(before, after, [steps[index] for index in done]), at)
        return known[done]

    order = _cheapest(len(steps), lambda done: harm(done).count)
    if order is None:
        return None
    return [OrderedStep(steps[index], harm(frozenset(order[: place + 1]))) for place, index in enumerate(order)]


def between(before: Estate, after: Estate, done: Sequence[Step]) -> Estate:
    """Return the estate in which only some steps are done. The hop limit is as before.

    An address that a changed instance takes over is its own from then on: the other instance has lost it.
    """
    changed = {name for step in done for name in step}
    there = {name: after.instances[name] for name in changed if name in after.instances}
    taken = {address.key for instance in there.values() for address in instance.addresses}
    found = {
        name: there.get(name) if name in changed else _without(before.instances.get(name), taken)
        for name in dict.fromkeys([*before.instances, *after.instances])
    }
    return replace(before, instances={name: one for name, one in found.items() if one is not None})


def _without(instance: Instance | None, taken: Collection[str]) -> Instance | None:
    if instance is None or not any(address.key in taken for address in instance.addresses):
        return instance
    return replace(instance, addresses=tuple(one for one in instance.addresses if one.key not in taken))


def _cheapest(count: int, cost: Callable[[Done], int]) -> tuple[int, ...] | None:
    """Return the cheapest path from no step to all of them; the given order is tried first among equal ones."""
    waiting: list[tuple[int, int, tuple[int, ...]]] = [(0, 0, ())]
    seen: set[Done] = set()
    while waiting:
        spent, _, path = heapq.heappop(waiting)
        done = frozenset(path)
        if done in seen:
            continue
        if len(path) == count:
            return path
        seen.add(done)
        if len(seen) > MOST_STATES:
            return None
        for index in range(count):
            if index not in done:
                longer = (*path, index)
                heapq.heappush(waiting, (spent + cost(done | {index}), -len(longer), longer))
    return ()


def _harm(before: IndexedEstate, after: IndexedEstate, middle: Estate, at: datetime) -> Harm:
    """Return the classes that are worse in between than both before and after."""
    since, until = _worse(compare(before, middle, at).groups), _worse(compare(after, middle, at).groups)
    pairs = _same_traffic(Vocabulary(before.estate, middle), since, Vocabulary(after.estate, middle), until)
    count, found = 0, NO_HARM
    for one, other in sorted(pairs, key=repr):
        nodes = {node for group in until.get(other, ()) for node in group.members}
        for node in (node for group in since.get(one, ()) for node in group.members if node in nodes):
            found = found if found.count else Harm(1, node, one)
            count += 1
    return replace(found, count=count)


def _same_traffic(
    words: Vocabulary, since: Worse, other_words: Vocabulary, until: Worse
) -> set[tuple[TrafficClass, TrafficClass]]:
    """Return the classes of both comparisons that are of the same traffic: one of them may know fewer names."""
    there = {(one, _class_in(other_words, one)) for one in since}
    return there | {(_class_in(words, one), one) for one in until}


def _class_in(words: Vocabulary, traffic: TrafficClass) -> TrafficClass:
    return words.class_of(traffic.to_service, traffic.to_broker_instance, is_reply=traffic.is_reply)


def _worse(groups: Sequence[DiffGroup]) -> Worse:
    found: defaultdict[TrafficClass, list[DiffGroup]] = defaultdict(list)
    for group in groups:
        if group.verdict == WORSE:
            found[group.traffic].append(group)
    return found
