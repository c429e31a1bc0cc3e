"""Texts in the picture of a path: the labels of its lines, and how wide texts may be."""

from __future__ import annotations

from collections.abc import Sequence

from brokerui.drawing.label import Label
from brokerui.drawing.text_metrics import RoledText, TextMetrics
from brokerui.pages.where.graph import EXIT, HOME, PASSES, PathSend, ReturnPiece
from routing.common.sentence import Translate, say
from routing.rules.decision import EXITS

ROOM = {"name": 210.0, "note": 190.0, "route": 190.0, "address": 270.0, "end": 240.0}
"""The most pixels that one text may take, by role."""
ABOVE, UNDER = -8.0, 17.0
"""The base lines of the two labels of a line, from the height of the line."""
FROM_OUTSIDE: RoledText = say("from outside"), "note"


class PathTextMetrics(TextMetrics):
    """Texts of the picture of a path; up to two labels stand above and under a line."""

    def __init__(self, translate: Translate) -> None:
        super().__init__(translate, ROOM)

    def beside(self, x: float, y: float, texts: Sequence[RoledText]) -> tuple[Label, ...]:
        """The labels above and under a line at this height."""
        labels = [self.label(x, y + at, *one) for at, one in zip((ABOVE, UNDER), texts, strict=False)]
        return tuple(label for label in labels if label.text)


def first_of(names: Sequence[str]) -> str:
    """The first name, and how many more there are."""
    return f"{names[0]} +{len(names) - 1}" if len(names) > 1 else "".join(names)


def send_labels(lead: PathSend) -> list[RoledText]:
    """The labels of a send; the address stands in the box itself where it is outside the estate."""
    route: RoledText = first_of(lead.routes), "route"
    return [route] if lead.to.kind == EXIT else [route, (first_of(lead.addresses), "address")]


def return_labels(back: ReturnPiece) -> list[RoledText]:
    """The labels of a return path beside the box that it leaves; none if it ends in the box."""
    if back.kind == EXITS:
        return [(first_of(back.routes), "route"), (say("exits: {address}", address=back.note), "address")]
    return [] if back.to is None else [(first_of(back.routes), "route"), (back.note, "address")]


def end_labels(back: ReturnPiece) -> list[RoledText]:
    """The label of a return path that ends in its box."""
    if back.kind in (PASSES, EXITS):
        return []
    return [(first_of(back.routes), "route")] if back.kind == HOME else [(back.note, "end")]
