"""The texts of a picture in the reader's language, measured before they are placed."""

from __future__ import annotations

from collections.abc import Sequence

from brokerui.drawing.label import Label, label_within, wide
from brokerui.pages.where.graph import EXIT, HOME, PASSES, Back, Lead, Text
from routing.common.sentence import Sentence, Translate, say
from routing.rules.decision import EXITS

ROOM = {"name": 210, "note": 190, "route": 190, "address": 270, "end": 240}
"""The most that one text may take, in pixels."""
ABOVE, UNDER = -8.0, 17.0
"""The base lines of the two labels of a line."""
FROM_OUTSIDE = say("from outside")
Worded = list[tuple[Text, str]]
"""Texts with their roles."""


class Lettering:
    """Says texts in one language, and knows their widths."""

    def __init__(self, translate: Translate) -> None:
        self._translate = translate

    def said(self, text: Text) -> str:
        return text.render(self._translate) if isinstance(text, Sentence) else text

    def all_said(self, texts: Sequence[Text]) -> str:
        return " ".join(self.said(text) for text in texts)

    def wide(self, text: Text, role: str) -> int:
        return min(wide(self.said(text), role), ROOM[role])

    def widest(self, worded: Worded, otherwise: int = 0) -> int:
        return max((self.wide(text, role) for text, role in worded), default=otherwise)

    def label(self, x: float, y: float, text: Text, role: str) -> Label:
        return label_within(x, y, self.said(text), role, ROOM[role])

    def beside(self, x: float, y: float, worded: Worded) -> tuple[Label, ...]:
        """The labels above and under a line at this height."""
        placed = [self.label(x, y + at, *one) for at, one in zip((ABOVE, UNDER), worded, strict=False)]
        return tuple(label for label in placed if label.text)


def first_of(names: Sequence[str]) -> str:
    """The first of some names, and how many more."""
    return f"{names[0]} +{len(names) - 1}" if len(names) > 1 else "".join(names)


def lead_labels(lead: Lead) -> Worded:
    """The labels of a send: the address stands in the box itself where it is outside the estate."""
    route: Worded = [(first_of(lead.routes), "route")]
    return route if lead.to.kind == EXIT else [*route, (first_of(lead.addresses), "address")]


def back_labels(back: Back) -> Worded:
    """The labels of a way back beside the box that it leaves; none where it ends in the box."""
    if back.kind == EXITS:
        return [(first_of(back.routes), "route"), (say("exits: {address}", address=back.note), "address")]
    return [] if back.to is None else [(first_of(back.routes), "route"), (back.note, "address")]


def end_labels(back: Back) -> Worded:
    """The labels of a way back that ends in its box."""
    if back.kind in (PASSES, EXITS):
        return []
    return [(first_of(back.routes), "route")] if back.kind == HOME else [(back.note, "end")]
