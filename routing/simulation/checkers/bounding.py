"""Limits: what a broker holds before its turn, and what it holds to send it on, stays within what it was given."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

from routing.adjacent.fragment import Header
from routing.common.identifier import identifier_of
from routing.common.sentence import say
from routing.runtime.forwarding import OVERHEAD_BYTES
from routing.simulation.checking import Checker, CheckResult
from routing.simulation.records import (
    BrokerStopped,
    Committed,
    FrameArrived,
    FrameSent,
    WorldOver,
)

FragmentCopy = tuple[str, bytes, bool, bytes, int]
"""Broker, conversation, side, message and fragment."""


class BoundingChecker(Checker):
    promise = "limits-kept"

    def __init__(self, seen: CheckResult) -> None:
        super().__init__(seen)
        self._left: dict[int, FrameSent] = {}
        self._came: dict[FragmentCopy, int] = {}
        """The step at which the last copy arrived that was not forwarded yet. Earlier copies may have been dropped. A
        damaged copy counts too: a forwarder does not read all of it."""
        self._held: dict[str, list[tuple[int, int]]] = {}
        """By broker: steps at which its forwarder took bytes, or sent them (a negative number)."""
        self._moments: list[int] = []

    def after(self) -> dict[type, Callable[[Any], None]]:
        watched: dict[type, Callable[[Any], None]] = {Committed: self._commit}
        if self.world.limits.forwarded is not None:
            watched |= {
                FrameSent: self._leave,
                FrameArrived: self._arrive,
                BrokerStopped: self._stop,
                WorldOver: self._over,
            }
        return watched

    # ------------------------------------------------------------ before their turn

    def _commit(self, commit: Committed) -> None:
        for handle in {kept.handle for kept in commit.buffered}:
            turn = self.ledger.last[handle].receive_sequence
            held = sum(kept.body.size for (of, _), kept in self.ledger.held[handle].items() if of > turn)
            if held > self.world.limits.settings.held_bytes:
                self.broken(commit.at, say("{held} bytes are held before their turn.", held=held), handle)

    # ------------------------------------------------------------ to be sent on

    def _stepped(self, at: int) -> int:
        self._moments.append(at)
        return len(self._moments) - 1

    def _arrive(self, arrived: FrameArrived) -> None:
        left = self._left.get(arrived.number)
        if left is not None and left.header is not None:
            self._came[_copy(arrived.broker, left.header)] = self._stepped(arrived.at)

    def _stop(self, stopped: BrokerStopped) -> None:
        """Forget the fragments that the broker held."""
        self._came = {copy: step for copy, step in self._came.items() if copy[0] != stopped.broker}

    def _leave(self, left: FrameSent) -> None:
        if left.header is None:
            return
        self._left[left.number] = left
        came = self._came.pop(_copy(left.broker, left.header), None)
        if came is not None and not self._is_own(left.broker, left.header):
            size = left.size + OVERHEAD_BYTES
            self._held.setdefault(left.broker, []).extend(((came, size), (self._stepped(left.at), -size)))

    def _is_own(self, broker: str, header: Header) -> bool:
        conversation = identifier_of(header.conversation_id)
        handles = self.ledger.sides.get((conversation, header.is_initiator), [])
        return any(self.ledger.where[handle] == broker for handle in handles)

    def _over(self, over: WorldOver) -> None:
        """Sum the held bytes: a forwarded frame was held at least from the arrival of its last copy until it left."""
        most = self.world.limits.forwarded or 0
        for broker, steps in self._held.items():
            steps.sort()
            sizes = list(accumulate(size for _, size in steps))
            worst = max(range(len(sizes)), key=sizes.__getitem__)
            if sizes[worst] > most:
                what = say("The forwarder of {broker} held {held} bytes.", broker=broker, held=sizes[worst])
                self.broken(self._moments[steps[worst][0]], what)


def _copy(broker: str, header: Header) -> FragmentCopy:
    return broker, header.conversation_id, header.is_initiator, header.message_id, header.fragment
