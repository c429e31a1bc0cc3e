"""ACK-5: an acknowledgement is never taken back: each covers all positions that its endpoint acknowledged before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from routing.adjacent.fragment import Header
from routing.common.identifier import identifier_of
from routing.common.sentence import say
from routing.dialog.fragmentation import position, split_position
from routing.dialog.ranges import EMPTY_RANGES, RangeSet
from routing.dialog.received_ranges import MAX_ACK_RANGES
from routing.simulation.checking import Checker, CheckResult
from routing.simulation.records import FrameArrived, FrameSent

_REFUSING: Final = ("", "ER", "CD")
"""States in which an endpoint refuses what arrives, and has dropped what it held before its turn."""


class TakingBackChecker(Checker):
    promise = "acknowledged-for-good"

    def __init__(self, seen: CheckResult) -> None:
        super().__init__(seen)
        self._headers: dict[int, Header] = {}
        self._circling: set[tuple[str, bytes, bool]] = set()
        """By broker, conversation and side: a frame of these came in, and may be forwarded."""
        self._acknowledged: dict[str, RangeSet] = {}
        """By handle: the positions that its acknowledgements have covered."""

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {FrameSent: self._leave, FrameArrived: self._arrive}

    def _arrive(self, arrived: FrameArrived) -> None:
        header = self._headers.get(arrived.number)
        if header is not None:
            self._circling.add((arrived.broker, header.conversation_id, header.is_initiator))

    def _leave(self, left: FrameSent) -> None:
        header = left.header
        if header is None or not header.acknowledged:
            return
        self._headers[left.number] = header
        handle = self._sender(left.broker, header)
        if handle is None:
            return
        covered = _positions(header)
        gone = _first_missing(self._acknowledged.get(handle, EMPTY_RANGES), covered)
        if gone is not None:
            number, fragment = split_position(gone)
            what = say(
                "Fragment {fragment} of message {number} was acknowledged before, and is no longer.",
                fragment=fragment,
                number=number,
            )
            self.broken(left.at, what, handle, number)
        self._acknowledged[handle] = covered

    def _sender(self, broker: str, header: Header) -> str | None:
        """Return the handle of the endpoint that wrote the acknowledgement; None if a forwarder may have sent it."""
        if (broker, header.conversation_id, header.is_initiator) in self._circling:
            return None
        sides = self.ledger.sides.get((identifier_of(header.conversation_id), header.is_initiator), [])
        living = [one for one in sides if one in self.ledger.endpoints and self.ledger.where[one] == broker]
        if len(living) != 1 or self.ledger.endpoints[living[0]].state in _REFUSING:
            return None
        return living[0]


def _positions(header: Header) -> RangeSet:
    covered = EMPTY_RANGES
    for one in header.acknowledged:
        covered = covered.with_range(
            position(one.first_sequence, one.first_fragment), position(one.last_sequence, one.last_fragment)
        )
    return covered


def _first_missing(before: RangeSet, covered: RangeSet) -> int | None:
    """Return the first position of `before` that `covered` lacks. An acknowledgement with the most ranges that fit
    says nothing about higher positions."""
    is_full = len(covered.pairs) >= MAX_ACK_RANGES
    most = covered.pairs[-1][1] if is_full else None
    for first, last in before.pairs:
        gap = next(covered.gaps(first, last if most is None else min(last, most)), None)
        if gap is not None:
            return gap[0]
    return None
