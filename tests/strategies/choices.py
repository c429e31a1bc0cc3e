"""One way to choose, driven by Hypothesis (which then shrinks) or by ``random.Random``.

Everything is drawn through ``Chooser.below``. Nought is the simplest choice, so that
options stand simplest first. Lists ask "one more?" before each item, question and item
being one part: Hypothesis can then delete an item without disturbing the others.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Protocol, TypeVar, cast

from hypothesis import strategies as st

T = TypeVar("T")


class Chooser(Protocol):
    """A source of choices."""

    def below(self, count: int) -> int:
        """An integer from 0 to count - 1."""

    def part(self, draw_part: Callable[[], T]) -> T:
        """What the function draws, as one part that can be deleted as a whole."""


class RandomChooser:
    """Cheap choices for bulk runs."""

    def __init__(self, rng: random.Random) -> None:
        self._random = rng.random

    def below(self, count: int) -> int:
        return int(self._random() * count)

    def part(self, draw_part: Callable[[], T]) -> T:
        return draw_part()


class HypothesisChooser:
    """Choices that Hypothesis knows, and shrinks one by one."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._part: Callable[[], object] = lambda: None
        self._drawn_part = st.builds(self._take_part)

    def below(self, count: int) -> int:
        return self._draw(integers_below(count))

    def part(self, draw_part: Callable[[], T]) -> T:
        """Draw a part within a strategy, so that Hypothesis shrinks it as a whole. One strategy serves all parts:
        to make one for each takes long."""
        self._part = draw_part
        return cast(T, self._draw(self._drawn_part))

    def _take_part(self) -> object:
        return self._part()


@cache
def integers_below(count: int) -> st.SearchStrategy[int]:
    return st.integers(0, count - 1)


def pick(c: Chooser, options: Sequence[T]) -> T:
    """One of the options; the first is the simplest."""
    return options[c.below(len(options))]


def chance(c: Chooser, percent: int) -> bool:
    """Draw True with a probability in percent, in steps of five; False is the simplest."""
    return c.below(20) >= 20 - percent // 5


def some(c: Chooser, most: int, percent: int, draw_item: Callable[[int], T]) -> list[T]:
    """Draw items from 0, 1, 2 ... while there is one more, up to a maximum."""
    items: list[T] = []
    for number in range(most):
        more = c.part(lambda number=number: [draw_item(number)] if chance(c, percent) else [])  # type: ignore[misc] - mypy cannot infer a lambda with a default
        if not more:
            break
        items += more
    return items


def pick_two(c: Chooser, options: Sequence[T]) -> tuple[T, T]:
    """Two options from different places of a list of two or more."""
    first = c.below(len(options))
    second = c.below(len(options) - 1)
    return options[first], options[second + (second >= first)]
