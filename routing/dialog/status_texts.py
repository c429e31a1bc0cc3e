"""Recognizes what `transmission_status` says: finds the entry of the catalogue for a text."""

from __future__ import annotations

import re
from functools import lru_cache

from routing.dialog.status_catalogue import BY_NUMBER, CATALOGUE
from routing.dialog.status_catalogue_network import SYSTEM_ERRORS
from routing.dialog.status_kind import CONNECTION_FAILED, StatusKind

MIN_CUT_CHARS = 24
"""A text that a tool has cut off earlier could be the beginning of many."""
_SPACE = re.compile(r"\s+")
_QUOTES = str.maketrans({"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"'})
_NUMBERED = re.compile(r"(?:[^\W\d]+\.? ?)?(\d{3,5}) ?[:,\u3001\uff0c\uff1a] ?")
"""`Msg 9791, Level 16`, in the words of any language, or this product's own `9791: …`."""
_ENCLOSED = re.compile(r"\b[^\W\d]+ ?[:\uff1a] ?(\d{3,5}) ?[,\uff0c\u3001.;] ?[^\W\d]+ ?[:\uff1a] ?\d{1,3}\b")
"""`Error: 15404, State: 19`, in the words of any language."""
_SYSTEM_ERROR = re.compile(r"(?<![\d.])(\d{3,5}) ?\(")
_SYSTEM = {kind.number: kind for kind in SYSTEM_ERRORS}
_GENERAL = frozenset((28005, 9736, 9756, 9782))
"""Texts that enclose another error by its number."""


@lru_cache(maxsize=4096)
def status_kind(text: str) -> StatusKind | None:
    """The entry for a text, whole or cut off by a tool; None for a blank text, and one that is not in the catalogue.

    Numbers are read in any language: those of the system for a failed connection, as in `10061(…)`, those of another
    error that the text encloses, `Fehler: 15404, Status: 19`, and those of this product's own statuses, `9791: …`.
    """
    words = _SPACE.sub(" ", text.translate(_QUOTES)).strip().lower()
    found = _by_signs(words) or _by_number(words) or _cut_off(words)
    if found is None or found.number in _GENERAL:
        found = _enclosed(words) or found
    if found is None or found.code == CONNECTION_FAILED:
        return _system_error(words, english=found is not None) or found
    return found


def _by_signs(words: str) -> StatusKind | None:
    return next((kind for kind in CATALOGUE if kind.signs and _has(words, kind.signs)), None)


def _has(words: str, signs: tuple[str, ...]) -> bool:
    at = 0
    for sign in signs:
        at = words.find(sign, at)
        if at < 0:
            return False
        at += len(sign)
    return True


def _by_number(words: str) -> StatusKind | None:
    numbered = _NUMBERED.match(words)
    return BY_NUMBER.get(int(numbered[1])) if numbered else None


def _cut_off(words: str) -> StatusKind | None:
    """The only entry whose sign the text breaks off in."""
    possible = [kind for kind in CATALOGUE if any(_breaks_off(words, sign) for sign in kind.signs[:1])]
    return possible[0] if len({kind.code for kind in possible}) == 1 else None


def _breaks_off(words: str, sign: str) -> bool:
    return any(words.endswith(sign[:length]) for length in range(len(sign) - 1, MIN_CUT_CHARS - 1, -1))


def _enclosed(words: str) -> StatusKind | None:
    inner = _ENCLOSED.search(words)
    return BY_NUMBER.get(int(inner[1])) if inner else None


def _system_error(words: str, *, english: bool) -> StatusKind | None:
    """Use only those numbers of a text in another language that stand for nothing else."""
    numbers = [int(found) for found in _SYSTEM_ERROR.findall(words)]
    return next((_SYSTEM[number] for number in numbers if number in _SYSTEM and (english or number > 9999)), None)
