"""Cycles of a graph: Tarjan's strongly connected components, without recursion."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

_N = TypeVar("_N")


def cycles(starts: Iterable[_N], follow: Callable[[_N], Sequence[_N]]) -> Iterator[list[_N]]:
    """The strongly connected components with a cycle, among the nodes reachable from `starts`."""
    number: dict[_N, int] = {}
    for start in starts:
        if start not in number:
            yield from _from(start, follow, number)


def _from(start: _N, follow: Callable[[_N], Sequence[_N]], number: dict[_N, int]) -> Iterator[list[_N]]:
    """Depth-first search. `number` holds the order in which nodes are met; `low` the lowest number reachable from a
    node."""
    low: dict[_N, int] = {}
    open_nodes: list[_N] = []
    path = [(start, iter(follow(start)))]
    _meet(start, number, low, open_nodes)
    while path:
        node, rest = path[-1]
        following = next((n for n in rest if n not in number or n in low), None)
        if following is None:
            path.pop()
            if path:
                low[path[-1][0]] = min(low[path[-1][0]], low[node])
            if low[node] == number[node]:
                yield from _closed(node, follow, low, open_nodes)
        elif following in number:
            low[node] = min(low[node], number[following])
        else:
            _meet(following, number, low, open_nodes)
            path.append((following, iter(follow(following))))


def _meet(node: _N, number: dict[_N, int], low: dict[_N, int], open_nodes: list[_N]) -> None:
    number[node] = low[node] = len(number)
    open_nodes.append(node)


def _closed(
    node: _N, follow: Callable[[_N], Sequence[_N]], low: dict[_N, int], open_nodes: list[_N]
) -> Iterator[list[_N]]:
    """The component that the search has just completed, unless it is a single node without an edge to itself."""
    component: list[_N] = []
    while not component or component[-1] != node:
        component.append(open_nodes.pop())
        del low[component[-1]]
    if len(component) > 1 or node in follow(node):
        yield component


def circle(component: Sequence[_N], start: _N, follow: Callable[[_N], Sequence[_N]]) -> list[_N]:
    """A shortest cycle through `start` within its component: `[start, …, start]`."""
    inside = set(component)
    came_by: dict[_N, _N] = {}
    todo = [start]
    for node in todo:
        for following in follow(node):
            if following in inside and following not in came_by:
                came_by[following] = node
                todo.append(following)
    way = [start]
    while len(way) == 1 or way[-1] != start:
        way.append(came_by[way[-1]])
    return way[::-1]
