"""Many ways as a picture that one can read: the largest places by themselves, the rest together, nothing left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

MOST_NODES, MOST_STREAMS = 20, 150
"""Places of a column, and streams of all."""
SIZES = (MOST_NODES, 16, 12, 9, 6, 4, 2, 1)
REST = ""
"""Key of the node that stands for all folded ones."""


class Path(NamedTuple):
    """From where, by where, to where and how it ends there; places by name, none of them `REST`."""

    origin: str
    via: str | None
    """None: it does not leave its instance, or leaves the estate at once."""
    end: str
    outcome: str


class FlowPlace(NamedTuple):
    """A place of the picture. Column 0: origins, 1: next hops, 2: ends."""

    column: int
    name: str


class Lane(NamedTuple):
    """Conversations that go from one place to another and end one way."""

    source: FlowPlace
    target: FlowPlace
    outcome: str


@dataclass(frozen=True)
class Folded:
    """The picture."""

    places: tuple[FlowPlace, ...]
    """By column, the largest first, the rest last."""
    lanes: Mapping[Lane, float]
    """With their weights, the heaviest first."""
    folded: tuple[int, int, int]
    """How many places of each column are in its `REST`."""
    of_places: tuple[int, int, int]
    """How many there are in all."""

    @property
    def kept(self) -> list[set[str]]:
        """By column: what stands by itself."""
        return [{place.name for place in self.places if place.column == column} - {REST} for column in range(3)]


def folded(weights: Mapping[Path, float], always: Iterable[str] = ()) -> Folded:
    """As much as can be read. `always` are ends that stay by themselves, however small they are."""
    sizes = [_sizes(weights, column) for column in range(3)]
    kept_always = set(always)
    for most in SIZES:
        kept = [_largest(counts, most, kept_always if column == 2 else set()) for column, counts in enumerate(sizes)]
        lanes = _lanes(weights, kept)
        if len(lanes) <= MOST_STREAMS or most == SIZES[-1]:
            return _folded(lanes, kept, sizes)
    raise AssertionError("the last size ends it")


def _folded(lanes: Counter[Lane], kept: Sequence[set[str]], sizes: Sequence[Counter[str]]) -> Folded:
    return Folded(
        _places(lanes, sizes),
        dict(sorted(lanes.items(), key=lambda one: (-one[1], one[0]))),
        (len(sizes[0]) - len(kept[0]), len(sizes[1]) - len(kept[1]), len(sizes[2]) - len(kept[2])),
        (len(sizes[0]), len(sizes[1]), len(sizes[2])),
    )


def _sizes(weights: Mapping[Path, float], column: int) -> Counter[str]:
    counts: Counter[str] = Counter()
    for path, weight in weights.items():
        name = path[column]
        if name is not None:
            counts[name] += weight  # type: ignore[assignment]  # a weight may be a fraction
    return counts


def _largest(counts: Counter[str], most: int, always: set[str]) -> set[str]:
    """Where only one place would be folded, it stays instead."""
    ranked = sorted(counts, key=lambda name: (name not in always, -counts[name], name))
    return set(ranked[: most if len(ranked) > most + 1 else most + 1])


class Cut:
    """Paths as they are drawn where only these places stand by themselves. Most are drawn alike, and are made once."""

    def __init__(self, kept: Sequence[Container[str]]) -> None:
        self._kept = kept
        self._lanes: dict[tuple[str, str | None, str, str], tuple[Lane, ...]] = {}

    def lanes(self, path: Path) -> tuple[Lane, ...]:
        """The streams that a path is part of."""
        origin, via, end, outcome = path
        origins, vias, ends = self._kept
        key = (
            origin if origin in origins else REST,
            via if via is None or via in vias else REST,
            end if end in ends else REST,
            outcome,
        )
        found = self._lanes.get(key)
        if found is None:
            stops = [FlowPlace(column, name) for column, name in enumerate(key[:3]) if name is not None]
            found = self._lanes[key] = tuple(Lane(source, target, outcome) for source, target in pairwise(stops))
        return found


def _lanes(weights: Mapping[Path, float], kept: Sequence[set[str]]) -> Counter[Lane]:
    drawn: Counter[tuple[Lane, ...]] = Counter()
    cut = Cut(kept)
    for path, weight in weights.items():
        drawn[cut.lanes(path)] += weight  # type: ignore[assignment]  # a weight may be a fraction
    lanes: Counter[Lane] = Counter()
    for those, weight in drawn.items():
        for lane in those:
            lanes[lane] += weight
    return lanes


def _places(lanes: Iterable[Lane], sizes: Sequence[Counter[str]]) -> tuple[FlowPlace, ...]:
    found = {place for lane in lanes for place in (lane.source, lane.target)}

    def order(place: FlowPlace) -> tuple[int, bool, int, str]:
        return place.column, place.name == REST, -sizes[place.column][place.name], place.name

    return tuple(sorted(found, key=order))
