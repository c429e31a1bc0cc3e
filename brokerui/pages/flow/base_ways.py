"""The ways of a draft beside those of the version it was made on: how many of each stream there were before."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from brokerui.analysis.flow.folding import Cut, Lane, Path
from brokerui.analysis.reachability.changed_pairs import base_pairs_of
from brokerui.analysis.reachability.matrix import Matrix
from brokerui.pages.flow.page import FlowPage, Ways, ways_of
from routing.classes.reachability import FirstHopOutcome
from routing.classes.traffic_class import Node

PairLegs = Mapping[tuple[Node, str], frozenset[FirstHopOutcome]]


@dataclass(frozen=True, slots=True)
class BaseWays:
    """The ways of the base, as the picture of the draft folds them."""

    lanes: Counter[Lane] = field(default_factory=Counter)
    changed: int = 0
    """Pairs of origin and service whose ways differ."""


def base_ways(page: FlowPage) -> BaseWays | None:
    """Return the ways before the edits of the draft; None where they are not compared."""
    before = base_pairs_of(page.viewed, page.known)
    if before is None:
        return None
    ways = ways_of(before, page.page_query, page.page_query.test())
    old, new = _legs(before, ways), _legs(page.matrix, page.ways)
    return BaseWays(_lanes(page, before, ways), sum(old.get(pair) != new.get(pair) for pair in old.keys() | new.keys()))


def _lanes(page: FlowPage, before: Matrix, ways: Ways) -> Counter[Lane]:
    """Fold as the picture does; places that the draft has no more stand by themselves."""
    paths = Counter(page.path_from(before.nodes[node], leg) for node, _, leg in ways)
    gone = [_names(paths, column) - _names(page.weights, column) for column in range(3)]
    cut, lanes = Cut([kept | old for kept, old in zip(page.picture.kept, gone, strict=True)]), Counter[Lane]()
    for path, count in paths.items():
        lanes.update(dict.fromkeys(cut.lanes(path), count))
    return lanes


def _names(paths: Iterable[Path], column: int) -> set[str]:
    return {name for path in paths if (name := path[column]) is not None}


def _legs(matrix: Matrix, ways: Ways) -> PairLegs:
    found: defaultdict[tuple[Node, str], set[FirstHopOutcome]] = defaultdict(set)
    for node, name, leg in ways:
        found[matrix.nodes[node], matrix.names[name]].add(leg)
    return {pair: frozenset(legs) for pair, legs in found.items()}
