"""ACK-5: nothing is acknowledged before it is durable."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from routing.adjacent.fragment import AckRange, Header
from routing.common.identifier import identifier_of
from routing.common.sentence import say
from routing.dialog.fragmentation import MAX_FRAGMENTS_PER_MESSAGE
from routing.simulation.checking import Checker, CheckResult
from routing.simulation.records import (
    Committed,
    EndpointSnapshot,
    FrameArrived,
    FrameSent,
)

_LISTENING = frozenset(("SO", "SI", "CO"))
"""States in which an accepted message is enqueued."""


class AcknowledgingChecker(Checker):
    promise = "acknowledged-when-durable"

    def __init__(self, seen: CheckResult) -> None:
        super().__init__(seen)
        self._headers: dict[int, Header] = {}
        self._circling: set[tuple[str, bytes, bool]] = set()
        """Broker, conversation and side whose fragments run in a circle: such a fragment leaves again late, and may be
        damaged."""

    def before(self) -> dict[type, Callable[[Any], None]]:
        return {Committed: self._commit}

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {FrameSent: self._leave, FrameArrived: self._arrive}

    def _commit(self, commit: Committed) -> None:
        """Check that every received message is in the queue, unless the endpoint has ended."""
        for row in commit.endpoints:
            before = self.ledger.endpoints.get(row.handle)
            since = before.receive_sequence if before else 0
            if row.receive_sequence == since or (before and before.state not in _LISTENING):
                continue
            if row.handle in commit.cleared_queues:
                continue  # it came and went in one commit, with its endpoint
            enqueued = {kept.sequence for kept in commit.enqueued if kept.handle == row.handle}
            missing = [number for number in range(since, row.receive_sequence) if number not in enqueued]
            if missing:
                what = say("Message {number} counts as received, and is not in the queue.", number=missing[0])
                self.broken(commit.at, what, row.handle, missing[0])

    def _arrive(self, arrived: FrameArrived) -> None:
        header = self._headers.get(arrived.number)
        if header is not None:
            self._circling.add((arrived.broker, header.conversation_id, header.is_initiator))

    def _leave(self, left: FrameSent) -> None:
        header = left.header
        if header is None or not header.acknowledged:
            return
        self._headers[left.number] = header
        if (left.broker, header.conversation_id, header.is_initiator) in self._circling:
            return
        conversation = identifier_of(header.conversation_id)
        handles = [
            handle
            for handle in self.ledger.sides.get((conversation, header.is_initiator), [])
            if self.ledger.where[handle] == left.broker
        ]
        if not handles:
            return  # a forwarder does not look into what it passes on
        if any(handle in self.ledger.deaf for handle in handles):
            return
        missing = [next(self._missing(self.ledger.last[handle], header), None) for handle in handles]
        if all(one is not None for one in missing):
            number, fragment = missing[0] or (0, 0)
            what = say(
                "Fragment {fragment} of message {number} was acknowledged before it was kept.",
                fragment=fragment,
                number=number,
            )
            self.broken(left.at, what, handles[0], number)

    def _missing(self, row: EndpointSnapshot, header: Header) -> Iterator[tuple[int, int]]:
        for one in header.acknowledged:
            yield from self._missing_of(row, one)

    def _missing_of(self, row: EndpointSnapshot, one: AckRange) -> Iterator[tuple[int, int]]:
        held = self.ledger.held.get(row.handle, {})
        for number in range(max(one.first_sequence, row.receive_sequence), one.last_sequence + 1):
            fragments = next((kept.fragments for (of, _), kept in held.items() if of == number), 1)
            first = one.first_fragment if number == one.first_sequence else 0
            last = one.last_fragment if number == one.last_sequence else MAX_FRAGMENTS_PER_MESSAGE
            for fragment in range(first, min(last + 1, fragments)):
                if (number, fragment) not in held:
                    yield number, fragment
