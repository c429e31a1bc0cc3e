"""Places of moved boxes as text: `REF,X,Y;REF,X,Y`, as the address of the map has them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from routing.common.errors import Invalid
from routing.common.sentence import say

Place = tuple[str, int, int]
MOST: Final = 2_000
"""Boxes of a view."""
FAR: Final = 1_000_000
"""Pixels from the corner of the picture, at the most."""
REF_CHARS: Final = 1_000


def places_from(text: str) -> list[Place]:
    """Read places. Raises `Invalid`, which names the first part that is none."""
    parts = [part for part in text.split(";") if part]
    if len(parts) > MOST:
        raise Invalid("places", say("more than {count} boxes are moved", count=MOST))
    return [_place(part) for part in parts]


def places_text(places: Iterable[Place]) -> str:
    """Write places."""
    return ";".join(f"{ref},{x},{y}" for ref, x, y in places)


def _place(part: str) -> Place:
    ref, *numbers = part.split(",")
    try:
        x, y = (round(float(number)) for number in numbers)
    except (ValueError, OverflowError):
        raise Invalid("places", say("{part} is not REF,X,Y", part=repr(part[:80]))) from None
    if not ref.isprintable() or not ref or len(ref) > REF_CHARS or max(abs(x), abs(y)) > FAR:
        raise Invalid("places", say("{part} is not REF,X,Y", part=repr(part[:80])))
    return ref, x, y
