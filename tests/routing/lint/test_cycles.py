"""Cycles of graphs, against the definition."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from routing.lint.cycles import circle, cycles

Graph = dict[int, list[int]]
NODES = st.integers(0, 6)
GRAPHS = st.fixed_dictionaries({node: st.lists(NODES, max_size=3) for node in range(7)})


def reached(graph: Graph, start: int) -> set[int]:
    """What can be walked to in one step or more."""
    found: set[int] = set()
    todo = [start]
    while todo:
        new = set(graph[todo.pop()]) - found
        found |= new
        todo += new
    return found


@given(GRAPHS, st.lists(NODES, max_size=3))
def test_cycles_are_the_sets_of_nodes_that_reach_each_other(graph: Graph, starts: list[int]) -> None:
    reach = {node: reached(graph, node) for node in graph}
    met = set(starts).union(*(reach[start] for start in starts))
    expected = {frozenset(n for n in met if n in reach[node] and node in reach[n]) for node in met}
    found = list(cycles(starts, graph.__getitem__))
    assert {frozenset(component) for component in found} == expected - {frozenset()}
    assert len(found) == len(expected - {frozenset()})


@given(GRAPHS)
def test_a_circle_is_a_shortest_way_back(graph: Graph) -> None:
    for component in cycles(graph, graph.__getitem__):
        start = min(component)
        way = circle(component, start, graph.__getitem__)
        assert way[0] == way[-1] == start
        assert all(b in graph[a] and b in component for a, b in pairwise(way))
        assert len(set(way)) == len(way) - 1


def test_a_long_chain_is_walked_without_recursion() -> None:
    length = 20_000
    assert [len(c) for c in cycles([0], lambda node: [(node + 1) % length])] == [length]
