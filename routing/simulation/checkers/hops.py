"""LOOP-1: no message leaves with more hops than the estate allows, and each forwarder takes one off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from routing.common.identifier import identifier_of
from routing.common.sentence import say
from routing.simulation.checking import Checker, CheckResult
from routing.simulation.records import FrameArrived, FrameSent


class HopsChecker(Checker):
    promise = "hop-limit"

    def __init__(self, seen: CheckResult) -> None:
        super().__init__(seen)
        self._left: dict[int, FrameSent] = {}
        self._came: dict[tuple[str, bytes, int], set[int]] = {}
        """By broker, message id and fragment: the hops remaining on arrival."""
        self._changed: set[bytes] = set()
        """Conversations with a damaged frame: its hops and identifiers may differ from there on."""

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {FrameSent: self._leave, FrameArrived: self._arrive}

    def _arrive(self, arrived: FrameArrived) -> None:
        left = self._left.get(arrived.number)
        if left is None or left.header is None:
            return
        key = (arrived.broker, left.header.message_id, left.header.fragment)
        if arrived.harm:
            self._changed.add(left.header.conversation_id)
        self._came.setdefault(key, set()).add(left.header.hops_remaining)

    def _leave(self, left: FrameSent) -> None:
        header = left.header
        if header is None:
            return
        self._left[left.number] = left
        key = (left.broker, header.message_id, header.fragment)
        hops = header.hops_remaining
        if header.conversation_id in self._changed or not self._is_known(left):
            return
        if hops > self.world.estate.hop_limit:
            self.broken(left.at, say("A message left with {hops} hops.", hops=hops))
        elif not self._is_own(left) and hops + 1 not in self._came.get(key, ()):
            self.broken(left.at, say("A message was sent on with {hops} hops, and no hop was taken off.", hops=hops))

    def _is_known(self, left: FrameSent) -> bool:
        """Whether the conversation exists: a damaged header can name another one."""
        assert left.header is not None
        conversation = identifier_of(left.header.conversation_id)
        return any((conversation, side) in self.ledger.sides for side in (True, False))

    def _is_own(self, left: FrameSent) -> bool:
        """Whether the broker may have written the fragment: it has or had the endpoint, or no such fragment arrived."""
        header = left.header
        assert header is not None
        conversation = identifier_of(header.conversation_id)
        handles = self.ledger.sides.get((conversation, header.is_initiator), [])
        if any(self.ledger.where[handle] == left.broker for handle in handles):
            return True
        return not header.is_sequenced and (left.broker, header.message_id, header.fragment) not in self._came
