"""ACK-3, ACK-5: nothing leaves the transmission queue before it is acknowledged, or its conversation has ended."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from routing.adjacent.fragment import Header
from routing.adjacent.guard import UNPROTECTED_BYTES
from routing.common.broker_events import ConversationEvent
from routing.common.event_subclasses import ConversationSubclass
from routing.common.identifier import identifier_of
from routing.common.sentence import say
from routing.dialog.error_conversations import ERRED_STATES
from routing.dialog.fragmentation import position
from routing.dialog.ranges import EMPTY_RANGES, RangeSet
from routing.model.estate import Estate
from routing.simulation.application_records import ApplicationEnded
from routing.simulation.checking import Checker, CheckResult
from routing.simulation.records import (
    BrokerRenewed,
    BrokerStarted,
    Committed,
    ConversationsErred,
    FailedOver,
    FrameArrived,
    FrameSent,
)

_ENDS = frozenset(
    (
        ConversationSubclass.END_CONVERSATION_WITH_CLEANUP,
        ConversationSubclass.BROKER_INITIATED_ERROR,
        ConversationSubclass.RECEIVED_END_CONVERSATION_WITH_ERROR,
        ConversationSubclass.RECEIVED_BROKER_ERROR_MESSAGE,
        ConversationSubclass.RECEIVED_END_CONVERSATION,
        ConversationSubclass.END_CONVERSATION_WITH_ERROR,
        ConversationSubclass.END_CONVERSATION,
    )
)
"""Events that end a conversation for a side with messages to send."""


class KeepingChecker(Checker):
    promise = "kept-until-acknowledged"

    def __init__(self, seen: CheckResult) -> None:
        super().__init__(seen)
        self._headers: dict[int, Header] = {}
        self._fragments: dict[tuple[str, bool, int], int] = {}
        """By conversation, side and sequence number: the number of fragments of a message."""
        self._acknowledged: dict[tuple[str, str, bool], RangeSet] = {}
        """By broker, conversation and side: the positions that arrived acknowledgements cover."""
        self._over: set[str] = set()
        self._cleaned: set[str] = set()
        """Handles removed WITH CLEANUP or by NEW_BROKER, or ended by ERROR_BROKER_CONVERSATIONS: the messages that they
        had acknowledged and not delivered went with them."""
        self._estates: dict[str, Estate] = {}
        self._identifiers: dict[str, str | None] = {}
        """By handle: the broker identifier of its database when the endpoint was created."""
        self._outlived: set[str] = set()
        """Handles whose lifetime is over by their own clock; the messages that they had acknowledged may be deleted."""
        self._below: dict[str, int] = {}
        """By handle: messages numbered below this have left the transmission queue."""

    def before(self) -> dict[type, Callable[[Any], None]]:
        return {Committed: self._commit_before}

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {
            FrameSent: self._leave,
            FrameArrived: self._arrive,
            Committed: self._commit_after,
            ApplicationEnded: self._end,
            BrokerStarted: self._start,
            BrokerRenewed: self._renew,
            ConversationsErred: self._err,
            FailedOver: self._fail_over,
        }

    def _start(self, started: BrokerStarted) -> None:
        self._estates[started.broker] = started.estate

    def _renew(self, renewed: BrokerRenewed) -> None:
        handles = self.ledger.living(renewed.broker, renewed.database)
        self._cleaned.update(handles)
        self._over.update(handles)

    def _err(self, erred: ConversationsErred) -> None:
        living = self.ledger.living(erred.broker, erred.database)
        self._cleaned.update(handle for handle in living if self.ledger.endpoints[handle].state in ERRED_STATES)

    def _fail_over(self, record: FailedOver) -> None:
        """Give the acknowledgements to the other partner: they stand in the database, which moves there."""
        to = {record.principal: record.mirror, record.mirror: record.principal}
        self._acknowledged = {(to.get(key[0], key[0]), *key[1:]): one for key, one in self._acknowledged.items()}

    def _end(self, ended: ApplicationEnded) -> None:
        if ended.how == "cleanup":
            self._cleaned.add(ended.handle)

    def _leave(self, left: FrameSent) -> None:
        header = left.header
        if header is not None:
            self._headers[left.number] = header
            if header.is_sequenced:
                conversation = identifier_of(header.conversation_id)
                self._fragments[conversation, header.is_initiator, header.sequence] = header.fragments

    def _arrive(self, arrived: FrameArrived) -> None:
        header = self._headers.get(arrived.number)
        if header is None or not header.acknowledged or max(arrived.harm, default=0) >= UNPROTECTED_BYTES:
            return
        key = (arrived.broker, identifier_of(header.conversation_id), not header.is_initiator)
        ranges = self._acknowledged.get(key, EMPTY_RANGES)
        for one in header.acknowledged:
            ranges = ranges.with_range(
                position(one.first_sequence, one.first_fragment), position(one.last_sequence, one.last_fragment)
            )
        self._acknowledged[key] = ranges

    def _commit_before(self, commit: Committed) -> None:
        self._over.update(
            event.conversation_handle
            for event in commit.events
            if isinstance(event, ConversationEvent) and event.subclass in _ENDS
        )
        for handle in commit.removed:
            if self.ledger.outgoing.get(handle) and handle not in self._over:
                self.broken(commit.at, say("The endpoint went, and its messages with it."), handle)
        for handle, first in commit.dropped_from:
            if handle not in self._over and any(number >= first for number in self.ledger.outgoing.get(handle, {})):
                what = say("Messages from {number} on were dropped, and nothing has ended.", number=first)
                self.broken(commit.at, what, handle, first)

    def _commit_after(self, commit: Committed) -> None:
        for row in commit.endpoints:
            here = self._estates[commit.broker].instances[commit.broker].databases[row.database]
            self._identifiers.setdefault(row.handle, here.broker_instance)
            if row.lifetime <= commit.now:
                self._outlived.add(row.handle)
        for handle, below in commit.acknowledged_below:
            before = self._below.get(handle, 0)
            self._below[handle] = max(below, before)
            for number in range(before, below):
                if not self._is_taken(handle, number):
                    what = say("Message {number} left the transmission queue, and nobody has it.", number=number)
                    self.broken(commit.at, what, handle, number)
                elif not self._is_acknowledged(handle, commit.broker, number):
                    what = say(
                        "Message {number} left the transmission queue before its acknowledgement came.", number=number
                    )
                    self.broken(commit.at, what, handle, number)

    def _is_taken(self, handle: str, number: int) -> bool:
        """Whether a peer has the message, in its queue or complete in its reassembly buffer."""
        for peer in self._pinned(handle):
            last = self.ledger.last[peer]
            if peer in self.ledger.deaf or peer in self._cleaned or peer in self._outlived:
                return True  # the endpoint there has ended
            if number < last.receive_sequence:
                return True
            parts = [kept for (of, _), kept in self.ledger.held.get(peer, {}).items() if of == number]
            if parts and len(parts) == parts[0].fragments:
                return True
        return False

    def _pinned(self, handle: str) -> list[str]:
        """Return the peer's endpoints: those of the other side that are not pinned to another database (RT-PIN), and
        that this side is not pinned away from."""
        row = self.ledger.last[handle]
        own = self._identifiers[handle]
        return [
            peer
            for peer in self.ledger.peers(row)
            if row.far_broker_instance in (None, self._identifiers[peer])
            and self.ledger.last[peer].far_broker_instance in (None, own)
        ]

    def _is_acknowledged(self, handle: str, broker: str, number: int) -> bool:
        row = self.ledger.last[handle]
        if any(self.ledger.where[peer] == broker for peer in self.ledger.peers(row)):
            return True  # straight from one queue into the other, in one commit
        fragments = self._fragments.get((row.conversation_id, row.is_initiator, number), 1)
        ranges = self._acknowledged.get((broker, row.conversation_id, row.is_initiator), EMPTY_RANGES)
        return ranges.covers(position(number, 0), position(number, fragments - 1))
