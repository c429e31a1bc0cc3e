"""ACK-3: no instance resends sooner than the retry rule allows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from routing.adjacent.fragment import Header
from routing.common.identifier import identifier_of
from routing.common.retry import FIRST_MS, LONGEST_MS
from routing.common.sentence import say
from routing.simulation.checking import Checker, CheckResult
from routing.simulation.records import (
    BrokerStarted,
    Committed,
    FailedOver,
    FrameArrived,
    FrameSent,
)

ANOTHER_LIFE = 2
"""Rounds that a restarted broker may begin at any time: one at once, and one when its former round would have ended."""


class _Rounds:
    """Rounds of sending of one endpoint that waits for acknowledgements, as the network sees them."""

    __slots__ = ("base", "count", "free", "is_place_lost", "sent")

    def __init__(self) -> None:
        self.sent: set[tuple[int, int]] = set()
        """Sequence and fragment numbers sent in this round; the first one that is sent again begins the next round."""
        self.free = 0
        """Rounds that may begin at any time, after a restart, progress, or ALTER DATABASE."""
        self.is_place_lost = False
        """Whether no frame of the peer has arrived since a restart, with which the broker may have lost up to where it
        had sent: the first progress lets it send from there on, and its round begins after that."""
        self.base = 0
        """Beginning of the round, by the broker's clock."""
        self.count = 0
        """Retransmissions in a row."""

    def begin(self, now: int, what: tuple[int, int], count: int) -> None:
        """Begin another round."""
        self.base, self.count, self.sent = now, count, {what}


class RetryingChecker(Checker):
    promise = "retry-rule"

    def __init__(self, seen: CheckResult) -> None:
        super().__init__(seen)
        self._headers: dict[int, Header] = {}
        self._rounds: dict[str, _Rounds] = {}
        self._attempts: dict[str, int] = {}
        self._circling: set[tuple[str, bytes, bool]] = set()
        """Broker, conversation and side whose fragments have arrived there: the broker may forward them."""
        self._started: dict[str, int] = {}
        """By broker: its number of starts."""

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {
            FrameSent: self._leave,
            FrameArrived: self._arrive,
            BrokerStarted: self._start,
            Committed: self._commit,
            FailedOver: self._fail_over,
        }

    def _start(self, started: BrokerStarted) -> None:
        self._started[started.broker] = self._started.get(started.broker, 0) + 1
        self._begin_anew(started.broker, is_place_lost=True)

    def _fail_over(self, record: FailedOver) -> None:
        self._begin_anew(record.principal, is_place_lost=True)

    def _commit(self, commit: Committed) -> None:
        if commit.retry_all:
            self._begin_anew(commit.broker)
        for row in commit.endpoints:
            before = self._attempts.get(row.handle, 0)
            self._attempts[row.handle] = row.attempts
            if row.attempts < before and row.handle in self._rounds:
                # Frames that arrived while an application held the conversation are handled later.
                self._rounds[row.handle].free = max(self._rounds[row.handle].free, 1)

    def _begin_anew(self, broker: str, *, is_place_lost: bool = False) -> None:
        """Allow rounds; only a restart and a failover may lose up to where a long message was sent."""
        for handle, rounds in self._rounds.items():
            if self.ledger.where[handle] == broker:
                rounds.free = ANOTHER_LIFE
                rounds.is_place_lost = rounds.is_place_lost or is_place_lost

    def _arrive(self, arrived: FrameArrived) -> None:
        """Allow a new round: an acknowledgement, or any other frame of the peer, may be progress."""
        header = self._headers.get(arrived.number)
        if header is None:
            self._begin_anew(arrived.broker)  # the principal may be known now
            return
        self._circling.add((arrived.broker, header.conversation_id, header.is_initiator))
        conversation = identifier_of(header.conversation_id)
        for handle in self.ledger.sides.get((conversation, not header.is_initiator), []):
            if rounds := self._rounds.get(handle):
                rounds.free = max(rounds.free, ANOTHER_LIFE if rounds.is_place_lost else 1)
                rounds.is_place_lost = False

    def _leave(self, left: FrameSent) -> None:
        header = left.header
        if header is None:
            return
        self._headers[left.number] = header
        if not header.is_sequenced:
            return
        handle = self._origin(left.broker, header)
        if handle:
            self._send(left, handle, (header.sequence, header.fragment))

    def _origin(self, broker: str, header: Header) -> str:
        """Return the handle of the broker's endpoint that sent the fragment; empty: the broker forwards it."""
        side = (identifier_of(header.conversation_id), header.is_initiator)
        handles = [handle for handle in self.ledger.sides.get(side, []) if self.ledger.where[handle] == broker]
        is_own = handles and (broker, header.conversation_id, header.is_initiator) not in self._circling
        return handles[-1] if is_own else ""

    def _send(self, left: FrameSent, handle: str, what: tuple[int, int]) -> None:
        rounds = self._rounds.get(handle)
        if rounds is None:
            rounds = self._rounds[handle] = _Rounds()
            rounds.base = left.now
            # The broker may have sent these fragments before a crash.
            rounds.free = ANOTHER_LIFE if self._started[left.broker] > 1 else 0
        if what not in rounds.sent:
            rounds.sent.add(what)
        elif rounds.free:
            rounds.free -= 1
            rounds.begin(left.now, what, 1)
        else:
            passed, least = left.now - rounds.base, min(FIRST_MS << rounds.count, LONGEST_MS)
            rounds.begin(left.now, what, rounds.count + 1)
            if passed < least:
                problem = say(
                    "Message {number} was sent again after {passed} ms, and the rule is {least} ms.",
                    number=what[0],
                    passed=passed,
                    least=least,
                )
                self.broken(left.at, problem, handle, what[0])
