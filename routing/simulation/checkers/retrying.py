"""ACK-3: nobody sends again sooner than the retry rule lets him."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from routing.adjacent.fragment import Header
from routing.dialog.retry import FIRST_MS, LONGEST_MS
from routing.identifier import identifier_of
from routing.sentence import say
from routing.simulation.checking import Checker, Seen
from routing.simulation.history import Arrived, Committed, FailedOver, Left, Started


class _Rounds:
    """An endpoint that waits for acknowledgements, as far as the network sees it."""

    __slots__ = ("base", "count", "sent")

    def __init__(self) -> None:
        self.sent: set[tuple[int, int]] = set()
        """Numbers and fragments that have left."""
        self.base: int | None = None
        """Since when it waits, by its own clock; None: something came meanwhile that lets it begin anew."""
        self.count = 0
        """How often it has sent again since."""


class Retrying(Checker):
    promise = "retry rule"

    def __init__(self, seen: Seen) -> None:
        super().__init__(seen)
        self._headers: dict[int, Header] = {}
        self._rounds: dict[str, _Rounds] = {}

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {
            Left: self._leave,
            Arrived: self._arrive,
            Started: self._start,
            Committed: self._commit,
            FailedOver: self._fail_over,
        }

    def _start(self, started: Started) -> None:
        self._begin_anew(started.broker)

    def _fail_over(self, record: FailedOver) -> None:
        self._begin_anew(record.principal)

    def _commit(self, commit: Committed) -> None:
        if commit.retry_all:
            self._begin_anew(commit.broker)

    def _begin_anew(self, broker: str) -> None:
        for handle, rounds in self._rounds.items():
            if self.ledger.where[handle] == broker:
                rounds.base = None

    def _arrive(self, arrived: Arrived) -> None:
        """An acknowledgement, or anything else of the peer's, may be progress."""
        header = self._headers.get(arrived.number)
        if header is not None and not arrived.harm:
            conversation = identifier_of(header.conversation_id)
            for handle in self.ledger.sides.get((conversation, not header.is_initiator), []):
                if handle in self._rounds:
                    self._rounds[handle].base = None

    def _leave(self, left: Left) -> None:
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
        """The endpoint here that it is from; empty: it is only sent on."""
        side = (identifier_of(header.conversation_id), header.is_initiator)
        handles = [handle for handle in self.ledger.sides.get(side, []) if self.ledger.where[handle] == broker]
        return handles[-1] if handles and header.hops_remaining == self.world.estate.hop_limit else ""

    def _send(self, left: Left, handle: str, what: tuple[int, int]) -> None:
        rounds = self._rounds.get(handle)
        if rounds is None:
            rounds = self._rounds[handle] = _Rounds()
        is_again = what in rounds.sent
        rounds.sent.add(what)
        if rounds.base is None:
            rounds.base, rounds.count = left.now, 0
        elif is_again and left.now != rounds.base:
            passed, least = left.now - rounds.base, min(FIRST_MS << rounds.count, LONGEST_MS)
            rounds.base, rounds.count = left.now, rounds.count + 1
            if passed < least:
                said = say(
                    "Message {number} was sent again after {passed} ms, and the rule is {least} ms.",
                    number=what[0],
                    passed=passed,
                    least=least,
                )
                self.broken(left.at, said, handle, what[0])
