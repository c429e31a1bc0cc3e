"""What a change is called, and how its answer is put together."""

from __future__ import annotations

import pytest

from routing.classes.class_evaluator import HopResult, NextHop
from routing.classes.default_behaviour import EquivalenceClass
from routing.classes.traffic_class import Node, TrafficClass
from routing.diff.intent import Intent
from routing.diff.result import (
    Differential,
    DiffGroup,
    GroupMembers,
    in_worst_order,
    kind_of_change,
    verdict_of_change,
)
from routing.model.estate import Estate
from routing.rules.decision import Outcome
from tests.strategies import AT

SOME = {
    "to A": Outcome("delivered", "a", "db"),
    "to B": Outcome("delivered", "b", "db"),
    "exits": Outcome("exits", "a", "tcp://x:4022"),
    "delayed": Outcome("delayed", "a", "no_route"),
    "dropped": Outcome("dropped", "a", "no_route"),
    "loops": Outcome("dropped", "a", "hop_limit"),
}


def outcomes(words: str) -> frozenset[Outcome]:
    """`to A, delayed` as a set."""
    return frozenset(SOME[word] for word in words.split(", ") if word)


@pytest.mark.parametrize(
    ("before", "after", "verdict", "kind"),
    [
        ("", "to A", "moved", "appeared"),
        ("to A", "", "moved", "vanished"),
        ("to A", "to B", "moved", "moved"),
        ("to A", "to A, to B", "moved", "widened"),
        ("to A, to B", "to B", "moved", "narrowed"),
        ("to A", "exits", "worse", "newly_exits"),
        ("to A", "to A, delayed", "worse", "newly_delayed"),
        ("to A", "delayed, dropped", "worse", "newly_dropped"),
        ("to A", "dropped, loops", "worse", "newly_loops"),
        ("dropped", "loops", "moved", "newly_loops"),
        ("loops", "dropped, loops", "moved", "widened"),
        ("exits, delayed", "delayed", "worse", "narrowed"),
        ("delayed", "exits, delayed", "better", "newly_exits"),
        ("dropped", "to A", "better", "newly_delivered"),
        ("dropped", "delayed", "better", "newly_delayed"),
        ("to A, dropped", "to B, dropped", "moved", "moved"),
        ("to A, dropped", "exits, dropped", "worse", "newly_exits"),
    ],
)
def test_a_change_is_judged_by_the_worst_then_by_the_best(before: str, after: str, verdict: str, kind: str) -> None:
    assert verdict_of_change(outcomes(before), outcomes(after)) == verdict
    assert kind_of_change(outcomes(before), outcomes(after)) == kind


# ---------------------------------------------------------------- members

NODES: list[Node] = [("a", "1"), ("a", None), ("b", "1"), ("b", "2"), ("b", None)]
ORDER = {node: place for place, node in enumerate(NODES)}


def cell(*places: int) -> EquivalenceClass:
    onward = HopResult(frozenset(), frozenset({NextHop("hub", 0)}))
    return EquivalenceClass(onward, {NODES[place]: None for place in places})


def members() -> GroupMembers:
    """The cell of 0, 2 and 3 without 2, the cell of 4, and 1 alone."""
    return GroupMembers(ORDER, [(cell(0, 2, 3), frozenset({NODES[2]})), (cell(4), frozenset())], [NODES[1]])


def test_members_are_counted_and_told_in_the_order_of_the_estates() -> None:
    assert len(members()) == 4
    assert list(members()) == [NODES[0], NODES[1], NODES[3], NODES[4]]


def test_an_entry_point_that_does_not_belong_is_no_member() -> None:
    assert [node in members() for node in NODES] == [True, True, False, True, True]
    assert "a" not in members()


def group(service: str, before: str, after: str, *places: int, identifier: str | None = None) -> DiffGroup:
    traffic = TrafficClass(service, identifier, False)
    return DiffGroup(traffic, outcomes(before), outcomes(after), GroupMembers(ORDER, single=[NODES[p] for p in places]))


WORSE, MOVED, BETTER = (
    group("S", "to A", "delayed", 1, 0),
    group("S", "to A", "to B", 2),
    group("S", "dropped", "exits", 3),
)
AGAIN = group("S", "to B", "delayed", 4, identifier="id")
NOBODY = Intent(Estate(), Estate(), AT, lambda name: ())
"""No estate, and so no route that names anything."""
COMPARISON = Differential(20, in_worst_order([BETTER, AGAIN, MOVED, WORSE]), NOBODY)


def test_the_worst_stands_first_then_moved_then_better() -> None:
    assert COMPARISON.groups == [WORSE, AGAIN, MOVED, BETTER]
    assert [one.kind for one in COMPARISON.groups] == ["newly_delayed", "newly_delayed", "moved", "newly_exits"]


def test_groups_of_one_verdict_are_told_by_name_identifier_direction_and_ends() -> None:
    groups = [
        group("A", "to A", "exits"),
        group("A", "to A", "exits, delayed"),
        group("A", "to B", "delayed"),
        group("A", "to A", "delayed", identifier="id"),
        group("B", "to A", "delayed"),
    ]
    assert [g.traffic[:2] for g in in_worst_order(groups[::-1])] == [g.traffic[:2] for g in groups]
    assert in_worst_order(groups) == in_worst_order(groups[::-1])


def test_rows_are_every_member_of_every_group() -> None:
    assert list(COMPARISON.rows()) == [
        (NODES[0], WORSE),
        (NODES[1], WORSE),
        (NODES[4], AGAIN),
        (NODES[2], MOVED),
        (NODES[3], BETTER),
    ]


def test_the_summary_counts_classes_and_leaves_the_rest_unchanged() -> None:
    assert COMPARISON.summary() == {"worse": 3, "better": 1, "moved": 1, "unchanged": 15}


def test_nothing_changed_is_all_unchanged() -> None:
    assert Differential(7, [], NOBODY).summary() == {"worse": 0, "better": 0, "moved": 0, "unchanged": 7}
