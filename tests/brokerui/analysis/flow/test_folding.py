"""Many ways in a picture: the largest places stand by themselves, and everything still adds up."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from brokerui.analysis.flow.folding import (
    MOST_NODES,
    MOST_STREAMS,
    REST,
    FlowPlace,
    Folded,
    Lane,
    Path,
    folded,
)


def drawn(seed: int, size: int) -> dict[Path, float]:
    rng = random.Random(seed)
    paths = {
        Path(
            f"o{rng.randrange(size)}",
            rng.choice([None, f"v{rng.randrange(size)}"]),
            f"e{rng.randrange(size)}",
            rng.choice(["delivered", "dropped"]),
        )
        for _ in range(size * 20)
    }
    return {path: rng.randint(1, 9) for path in sorted(paths, key=str)}


def in_and_out(picture: Folded) -> tuple[Counter[FlowPlace], Counter[FlowPlace]]:
    comes: Counter[FlowPlace] = Counter()
    goes: Counter[FlowPlace] = Counter()
    for lane, weight in picture.lanes.items():
        goes[lane.source] += int(weight)
        comes[lane.target] += int(weight)
    return comes, goes


@pytest.mark.parametrize("size", [1, 3, 15, 30, 200])
@pytest.mark.parametrize("seed", range(3))
def test_nothing_is_lost(seed: int, size: int) -> None:
    weights = drawn(seed, size)
    picture = folded(weights)
    comes, goes = in_and_out(picture)
    whole = sum(weights.values())
    assert sum(goes[place] for place in picture.places if place.column == 0) == whole
    assert sum(comes[place] for place in picture.places if place.column == 2) == whole
    for place in picture.places:
        if place.column == 1:
            assert comes[place] == goes[place]
    assert len(picture.lanes) <= MOST_STREAMS
    for column in range(3):
        shown = [place for place in picture.places if place.column == column]
        assert len(shown) <= MOST_NODES + 2
        assert len(shown) - (FlowPlace(column, REST) in shown) + picture.folded[column] == picture.of_places[column]


def test_a_small_picture_is_the_ways_themselves() -> None:
    weights = {Path("a", "b", "c", "delivered"): 2.0, Path("a", None, "x", "dropped"): 1.0}
    picture = folded(weights)
    assert picture.lanes == {
        Lane(FlowPlace(0, "a"), FlowPlace(1, "b"), "delivered"): 2,
        Lane(FlowPlace(1, "b"), FlowPlace(2, "c"), "delivered"): 2,
        Lane(FlowPlace(0, "a"), FlowPlace(2, "x"), "dropped"): 1,
    }
    assert picture.folded == (0, 0, 0)


def test_the_heaviest_stay_and_so_does_what_always_has_to() -> None:
    weights = {Path(f"o{n}", None, f"e{n:02}", "delivered"): float(n + 1) for n in range(60)}
    weights[Path("o1", None, "lost", "dropped")] = 0.5
    picture = folded(weights, ["lost"])
    names = [place.name for place in picture.places if place.column == 2]
    assert "lost" in names
    assert names[0] == "e59"
    assert names[-1] == REST


def test_weights_need_not_be_whole_numbers() -> None:
    picture = folded({Path("a", "b", "c", "delivered"): 0.25})
    assert set(picture.lanes.values()) == {0.25}
