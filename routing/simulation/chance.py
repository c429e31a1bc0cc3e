"""All randomness of a world, derived from its seed.

The engine takes its random source from the caller. This is the only module below `routing` that creates one: seeded, so
that a seed always gives the same world. Each part of a world draws from its own source, named by a path, so that
leaving a part out does not change the others.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from random import Random
from typing import TypeVar

T = TypeVar("T")

THOUSAND = 1000


class Chance:
    """Random source of one part of a world."""

    __slots__ = ("_bits", "_path", "getrandbits", "randbytes")

    def __init__(self, *path: int | str) -> None:
        self._path = path
        # A text seed does not depend on PYTHONHASHSEED.
        source = Random("/".join(map(str, path)))  # noqa: S311 - a world is to be repeated, not to be unforeseen
        self.getrandbits = source.getrandbits
        self.randbytes = source.randbytes

    def of(self, *names: int | str) -> Chance:
        """Return the source of a part, independent of earlier draws."""
        return Chance(*self._path, *names)

    def below(self, limit: int) -> int:
        """Draw an integer from 0 to limit - 1."""
        return self.getrandbits(32) * limit >> 32

    def between(self, least: int, most: int) -> int:
        """Draw an integer from least to most."""
        return least + self.below(most - least + 1)

    def happens(self, permille: int) -> bool:
        """Return True with a probability of `permille`/1000."""
        return self.below(THOUSAND) < permille

    def pick(self, values: Sequence[T]) -> T:
        """Draw one of the values, equally likely."""
        return values[self.below(len(values))]

    def weighed(self, weights: Sequence[tuple[T, int]]) -> T:
        """Draw one of the values by weight."""
        upto = list(accumulate(weight for _, weight in weights))
        return weights[bisect_right(upto, self.below(upto[-1]))][0]

    def identifier(self) -> str:
        """A GUID, version 4, lower case."""
        bits = self.getrandbits(128) & ~(0xF << 76 | 0x3 << 62) | 0x4 << 76 | 0x2 << 62
        digits = f"{bits:032x}"
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
