"""How wide a text may be at most, without a browser: widths of a wide font, so that no other overflows them."""

from __future__ import annotations

import unicodedata

ELLIPSIS = "…"
MONO = 0.61
"""Of the font size, for every letter of a monospaced font."""
WIDE, NARROW, UNKNOWN = 1.05, 0.0, 0.86
# Hundredths of the font size for the letters from space to tilde, of DejaVu Sans Bold, the widest that we name.
_ASCII = (
    "35 46 53 84 70 101 88 31 46 46 53 84 38 42 38 37 70 70 70 70 70 70 70 70 70 70 40 40 84 84 84 59 "
    "100 78 77 74 84 69 69 83 84 38 38 78 64 100 84 86 74 86 78 73 69 82 78 111 78 73 73 46 37 46 84 50 "
    "50 68 72 60 72 68 44 72 72 35 35 67 35 105 72 69 72 72 50 60 48 72 66 93 65 66 59 72 37 72 84"
)
_WIDTHS = {chr(32 + index): int(width) / 100 for index, width in enumerate(_ASCII.split())}


def width(text: str, size: float, *, mono: bool = False) -> float:
    """The most that a text takes, in pixels, at this font size."""
    return sum(_of(letter, mono) for letter in text) * size


def shorten(text: str, room: float, size: float, *, mono: bool = False) -> str:
    """The text, or as much of its two ends as fits with an ellipsis between: names differ at both."""
    text = " ".join(text.split()) if not text.isprintable() else text
    if width(text, size, mono=mono) <= room:
        return text
    kept = len(text)
    while kept > 1:
        kept -= 1
        tail = kept // 3
        short = text[: kept - tail] + ELLIPSIS + (text[-tail:] if tail else "")
        if width(short, size, mono=mono) <= room:
            return short
    return ELLIPSIS


def _of(letter: str, mono: bool) -> float:
    if letter in _WIDTHS:
        return MONO if mono else _WIDTHS[letter]
    if unicodedata.combining(letter):
        return NARROW
    return WIDE if unicodedata.east_asian_width(letter) in "WF" else UNKNOWN
