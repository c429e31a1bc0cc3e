"""Transmission objects as the work table keeps them."""

from __future__ import annotations

import json

from routing.dialog.ranges import RangeSet
from routing.dialog.transmission import LargeMessage, Transmission


def packed(one: Transmission) -> str:
    """JSON: acknowledged ranges, sent ranges, and of each large message number, fragments sent, fragments."""
    large = [(number, message.sent, message.fragments) for number, message in one.large.items()]
    return json.dumps([one.acknowledged.pairs, one.sent.pairs, large], separators=(",", ":"))


def unpacked(handle: str, state: str) -> Transmission:
    acknowledged, sent, large = json.loads(state)
    return Transmission(
        handle,
        RangeSet((first, last) for first, last in acknowledged),
        RangeSet((first, last) for first, last in sent),
        {number: LargeMessage(below, fragments) for number, below, fragments in large},
    )
