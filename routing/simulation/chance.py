"""All chance of a world, from its seed.

The engine takes its draws from whoever calls it; here is the caller. This is the one module below `routing` that makes
a random source: a seeded one, so that a seed is a world for ever. Each part of a world draws from a source of its own,
named by a path, so that leaving a part out changes nothing of the others.
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
    """Draws for one part of a world."""

    __slots__ = ("_bits", "_path", "getrandbits", "randbytes")

    def __init__(self, *path: int | str) -> None:
        self._path = path
        # Seeded with a text, a source does not depend on the hashes of the process.
        source = Random("/".join(map(str, path)))  # noqa: S311 - a world is to be repeated, not to be unforeseen
        self.getrandbits = source.getrandbits
        self.randbytes = source.randbytes

    def of(self, *names: int | str) -> Chance:
        """A source for a part, the same whatever was drawn before."""
        return Chance(*self._path, *names)

    def below(self, limit: int) -> int:
        """One of 0 … limit - 1."""
        return self.getrandbits(32) * limit >> 32

    def between(self, least: int, most: int) -> int:
        """One of least … most."""
        return least + self.below(most - least + 1)

    def happens(self, permille: int) -> bool:
        """True so many times in a thousand."""
        return self.below(THOUSAND) < permille

    def pick(self, values: Sequence[T]) -> T:
        """One of them, each as likely."""
        return values[self.below(len(values))]

    def weighed(self, weights: Sequence[tuple[T, int]]) -> T:
        """One of them, by weight."""
        upto = list(accumulate(weight for _, weight in weights))
        return weights[bisect_right(upto, self.below(upto[-1]))][0]

    def identifier(self) -> str:
        """A GUID, version 4, lower case."""
        bits = self.getrandbits(128) & ~(0xF << 76 | 0x3 << 62) | 0x4 << 76 | 0x2 << 62
        digits = f"{bits:032x}"
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"
