"""Random choices of the engine, drawn from a source that the caller gives, so that a seed reproduces them."""

from __future__ import annotations

from collections.abc import Callable


class Choices:
    """Draws identifiers and numbers from a `getrandbits` function: a seeded one, or the system's."""

    __slots__ = ("_bits",)

    def __init__(self, getrandbits: Callable[[int], int]) -> None:
        self._bits = getrandbits

    def identifier(self) -> str:
        """A new GUID (version 4), lower case."""
        bits = self._bits(128) & ~(0xF << 76 | 0x3 << 62) | 0x4 << 76 | 0x2 << 62
        digits = f"{bits:032x}"
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"

    def below(self, limit: int) -> int:
        """A number from 0 to limit - 1, uniform up to one part in 2**32."""
        return self._bits(32) * limit >> 32
