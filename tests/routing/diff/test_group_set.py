"""Groups that classes share: a set leaves groups of its base out without changing the base."""

from __future__ import annotations

import random
from collections import defaultdict

from routing.classes.traffic_class import Node, TrafficClass
from routing.diff.group_set import GroupSet
from routing.diff.result import GroupMembers, Pair
from routing.diff.senders import Senders
from routing.rules.decision import DELIVERED, DROPPED, Outcome

NODES: list[Node] = [("a", str(number)) for number in range(12)]
ORDER = {node: place for place, node in enumerate(NODES)}
TRAFFIC = TrafficClass("//s", None, False)
PAIRS: list[Pair] = [
    (frozenset({Outcome(DELIVERED, "a", str(number))}), frozenset({Outcome(DROPPED, "a", "no_route")}))
    for number in range(4)
]


def put(groups: GroupSet, pair: Pair, node: Node) -> None:
    groups.group(pair, TRAFFIC, GroupMembers(ORDER)).members.single.append(node)


def shown(groups: GroupSet) -> dict[Pair, list[Node]]:
    assert len(list(groups)) == len(groups)
    assert bool(groups) == bool(list(groups))
    return {(group.before, group.after): list(group.members) for group in groups}


def test_a_set_over_another_one_is_what_a_set_of_its_own_would_be() -> None:
    for seed in range(200):
        rng = random.Random(seed)
        groups, expected = GroupSet(), defaultdict[Pair, set[Node]](set)
        for _ in range(3):
            below, gone = shown(groups), set(rng.sample(NODES, rng.randrange(6)))
            groups, base = GroupSet(groups), groups
            gone -= {node for nodes in expected.values() for node in nodes} - base.places.keys()
            groups.leave_out(gone)
            for pair in expected:
                expected[pair] -= gone
            for node in set(NODES) - {node for nodes in expected.values() for node in nodes}:
                if rng.random() < 0.5:
                    pair = rng.choice(PAIRS)
                    put(groups, pair, node)
                    expected[pair].add(node)
            assert shown(groups) == {pair: sorted(nodes, key=ORDER.get) for pair, nodes in expected.items() if nodes}
            assert shown(base) == below
            assert {id(group) for group in groups.without()} <= {id(group) for group in base}


def test_senders_are_the_same_however_many_are_looked_up() -> None:
    rng = random.Random(1)
    leads = {node: set[str | None](rng.sample("abcd", rng.randrange(3))) for node in NODES}
    entries = {**dict.fromkeys(NODES[:10]), ("a", None): None, ("b", None): None}.keys()
    senders, towards = Senders(entries, leads), frozenset("bc")
    for _ in range(20):
        nodes = {*rng.sample(NODES, 5), ("a", None), ("b", None)}
        expected = {node for node in nodes & set(NODES[:10]) if not towards.isdisjoint(leads[node])} | {("b", None)}
        assert senders.among(nodes, towards) == expected
