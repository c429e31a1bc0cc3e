"""Pairs that a draft changes: the matrix of its estate beside the matrix of the version it was made on."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from brokerui.analysis.reachability.matrix import Matrix
from brokerui.analysis.reachability.selectors import KnownPairs, known_of, names_of
from brokerui.changes.estate_view import EstateView, base_view_of
from routing.classes.reachability import FirstHopOutcome

MOST: Final = 500_000
"""Pairs that are compared while a page waits; the page of the effect compares all."""
NOWHERE: Final = ""
"""In place of a verdict: the base does not have the pair."""
Legs = Mapping[tuple[int, int], frozenset[FirstHopOutcome]]


def base_pairs_of(viewed: EstateView, known: KnownPairs) -> Matrix | None:
    """Return the pairs of the version that the draft was made on; None where the page shows no draft, or a worker has
    not decided all pairs of both yet."""
    base = base_view_of(viewed)
    if base is None or not known.is_whole:
        return None
    before = known_of(base, names_of(base))
    return before.matrix if before.is_whole else None


def changed_pairs(
    before: Matrix, after: Matrix, nodes: Collection[int], names: Collection[int]
) -> dict[tuple[int, int], str] | None:
    """Return the verdicts before, of those pairs that end otherwise now or take another way; None where there are too
    many pairs to compare. Pairs have the numbers of the matrix after."""
    if len(nodes) * len(names) > MOST:
        return None
    return dict(_changed(before, after, nodes, names))


def _changed(
    before: Matrix, after: Matrix, nodes: Collection[int], names: Collection[int]
) -> Iterator[tuple[tuple[int, int], str]]:
    old_node = {node: number for number, node in enumerate(before.nodes)}
    old_name = {name: number for number, name in enumerate(before.names)}
    old_legs, new_legs = _legs(before), _legs(after)
    for name in names:
        named = old_name.get(after.names[name])
        for node in nodes:
            begun = old_node.get(after.nodes[node])
            if begun is None or named is None:
                yield (node, name), NOWHERE
                continue
            verdict = before.verdict(begun, named)
            if verdict != after.verdict(node, name) or old_legs[begun, named] != new_legs[node, name]:
                yield (node, name), verdict


def _legs(matrix: Matrix) -> Legs:
    found: defaultdict[tuple[int, int], set[FirstHopOutcome]] = defaultdict(set)
    for node, name, leg in matrix.ways:
        found[node, name].add(leg)
    return defaultdict(frozenset, {pair: frozenset(legs) for pair, legs in found.items()})
