"""Bytes as lines of a hex dump: offset, hex, ASCII. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from brokerui.analysis.conversations.body_text import Encoding
from brokerui.analysis.conversations.masking import SecretSpan

LINE_BYTES: Final = 16
COVERED: Final = "\N{BULLET}"


@dataclass(frozen=True, slots=True)
class HexLine:
    """Up to 16 bytes."""

    offset: str
    hexadecimal: str
    ascii: str


def hex_lines(
    body: bytes, start: int, encoding: Encoding | None = None, covered: Sequence[SecretSpan] = ()
) -> tuple[HexLine, ...]:
    """Return the lines of bytes that begin at `start` of a body; spans count units of the encoding."""
    unit = encoding.unit_bytes if encoding else 1
    hidden = {at for span in covered for at in range(span.start * unit, span.end * unit)}
    return tuple(_line(body, at, start, hidden) for at in range(0, len(body), LINE_BYTES))


def _line(body: bytes, at: int, start: int, hidden: set[int]) -> HexLine:
    places = range(at, min(at + LINE_BYTES, len(body)))
    cells = [COVERED * 2 if place in hidden else f"{body[place]:02x}" for place in places]
    cells += ["  "] * (LINE_BYTES - len(cells))
    half = LINE_BYTES // 2
    letters = (COVERED if place in hidden else _letter(body[place]) for place in places)
    return HexLine(f"{start + at:08x}", f"{' '.join(cells[:half])}  {' '.join(cells[half:])}", "".join(letters))


def _letter(byte: int) -> str:
    return chr(byte) if 32 <= byte < 127 else "."
