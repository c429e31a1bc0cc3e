"""The colours of the look: each text can be read on each ground that it stands on, in both themes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

import pytest

from brokerui.core.home import CHECKOUT

CSS: Final = CHECKOUT / "static" / "css"
TOKEN = re.compile(r"--([a-z-]+): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\);")
TOKENS: Final = {name: colours for name, *colours in TOKEN.findall((CSS / "tokens.css").read_text())}
"""The colour of each name in the light, and in the dark."""
GROUNDS: Final = ("bg", "surface", "sunken")
KINDS: Final = ("accent", "delivered", "delayed", "dropped", "exits")
TEXT, SHAPE = 4.5, 3.0
"""The least contrasts of a text, and of the edge of a field (WCAG 1.4.3 and 1.4.11)."""


def pairs() -> Iterator[tuple[str, str, float]]:
    """Each colour with each that it may stand on, and their least contrast."""
    for ground in GROUNDS:
        yield from ((text, ground, TEXT) for text in ("text", "muted", "accent-strong", *KINDS))
    for kind in KINDS:
        yield from ((text, f"{kind}-soft", TEXT) for text in ("text", kind))
    yield from (("on-accent", ground, TEXT) for ground in ("accent", "accent-strong"))
    yield "line-field", "surface", SHAPE


def light(colour: str) -> float:
    """How bright a colour is (relative luminance of WCAG)."""
    parts = (int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4))
    linear = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    dark, bright = sorted((light(one), light(other)))
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_each_text_can_be_read_on_each_ground(theme: int) -> None:
    found = {(one, other): contrast(TOKENS[one][theme], TOKENS[other][theme]) - least for one, other, least in pairs()}
    assert {pair: over for pair, over in found.items() if over < 0} == {}


def test_a_text_has_the_colour_of_a_text() -> None:
    """Lines and soft grounds are too pale for words."""
    given = {
        (path.name, colour.strip())
        for path in CSS.glob("*.css")
        for colour in re.findall(r"(?<![-\w])color:([^;}]*)", path.read_text())
    }
    texts = {f"var(--{name})" for name in ("text", "muted", "accent-strong", "on-accent", "bg", *KINDS)}
    assert {(file, colour) for file, colour in given if colour not in texts | {"inherit", "transparent"}} == set()
