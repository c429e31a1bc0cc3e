"""What the rules leave to chance, drawn from a source that the caller gives: the same source, the same conversation."""

from __future__ import annotations

from collections.abc import Callable


class Choices:
    """Identifiers and draws from `getrandbits` of a random source: a seeded one replays, the system's surprises."""

    __slots__ = ("_bits",)

    def __init__(self, getrandbits: Callable[[int], int]) -> None:
        self._bits = getrandbits

    def identifier(self) -> str:
        """A new GUID (version 4), lower case."""
        bits = self._bits(128) & ~(0xF << 76 | 0x3 << 62) | 0x4 << 76 | 0x2 << 62
        digits = f"{bits:032x}"
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"

    def below(self, limit: int) -> int:
        """One of 0 … limit - 1, each as likely as the others but for one part in 2**32."""
        return self._bits(32) * limit >> 32
