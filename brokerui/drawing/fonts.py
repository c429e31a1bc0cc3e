"""Widths of texts without a browser: those of a wide font, so that texts fit in every font that a browser may use."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

ELLIPSIS = "…"
WIDE, NARROW, UNKNOWN = 1.05, 0.0, 0.86
# Widths of the letters from space to tilde in hundredths of the font size: DejaVu Sans, the widest of the fonts that
# the style sheets name.
_PLAIN = (
    "32 41 46 84 64 96 78 28 40 40 50 84 32 37 32 34 64 64 64 64 64 64 64 64 64 64 34 34 84 84 84 54 "
    "100 69 69 70 78 64 58 78 76 30 30 66 56 87 75 79 61 79 70 64 62 74 69 99 69 62 69 40 34 40 84 50 "
    "50 62 64 55 64 62 36 64 64 28 28 58 28 98 64 62 64 64 42 53 40 64 60 82 60 60 53 64 34 64 84"
)
_BOLD = (
    "35 46 53 84 70 101 88 31 46 46 53 84 38 42 38 37 70 70 70 70 70 70 70 70 70 70 40 40 84 84 84 59 "
    "100 78 77 74 84 69 69 83 84 38 38 78 64 100 84 86 74 86 78 73 69 82 78 111 78 73 73 46 37 46 84 50 "
    "50 68 72 60 72 68 44 72 72 35 35 67 35 105 72 69 72 72 50 60 48 72 66 93 65 66 59 72 37 72 84"
)


@dataclass(frozen=True, slots=True)
class Font:
    """A size in pixels, and the widths of letters at size 1."""

    size: float
    widths: Mapping[str, float]


class LetterWidths(dict[str, float]):
    """Widths of letters at size 1, with an upper bound for each letter that is not named."""

    def __missing__(self, letter: str) -> float:
        if unicodedata.combining(letter):
            return NARROW
        return WIDE if unicodedata.east_asian_width(letter) in "WF" else UNKNOWN


def _table(hundredths: str) -> LetterWidths:
    return LetterWidths((chr(32 + index), int(one) / 100) for index, one in enumerate(hundredths.split()))


PLAIN, BOLD = _table(_PLAIN), _table(_BOLD)
MONO = LetterWidths(dict.fromkeys(PLAIN, 0.61))


def text_width(text: str, font: Font) -> int:
    """The most pixels that a text takes."""
    return ceil(sum(map(font.widths.__getitem__, text)) * font.size)


def on_one_line(text: str) -> str:
    """The text with spaces in place of line breaks and other characters that no font prints."""
    return text if text.isprintable() else " ".join(text.split())


def shortened(text: str, room: float, font: Font) -> str:
    """The text, or as much of its two ends as fits with an ellipsis between: names differ at both ends."""
    text = on_one_line(text)
    if text_width(text, font) <= room:
        return text
    kept = len(text)
    while kept > 1:
        kept -= 1
        tail = kept // 3
        short = text[: kept - tail] + ELLIPSIS + (text[-tail:] if tail else "")
        if text_width(short, font) <= room:
            return short
    return ELLIPSIS
