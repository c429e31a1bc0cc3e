"""DLG-EOIO: what one application sent is what the other received, once, in order, whole, and nothing else."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from routing.common.sentence import say
from routing.dialog.system_names import END_DIALOG_TYPE, ERROR_TYPE, MISSING_ROUTE_TYPE, SYSTEM_TYPES
from routing.simulation.application_records import ApplicationEnded, ApplicationReceived, ApplicationSent, BodyDigest
from routing.simulation.checking import Checker, CheckResult
from routing.simulation.records import Committed

SentMessage = tuple[str, BodyDigest]


class OnceInOrderChecker(Checker):
    promise = "once-in-order"

    def __init__(self, seen: CheckResult) -> None:
        super().__init__(seen)
        self._sent: dict[str, list[SentMessage]] = {}
        self._received: dict[str, int] = {}
        """By handle: the number of the peer's messages that the application has received."""
        self._enqueued: dict[str, int] = {}
        self._ended: dict[str, str] = {}
        """By handle: the verb with which the application ended the conversation."""
        self._senders: dict[str, list[str]] = {}
        """By handle: the endpoints that may have sent all received messages."""
        self._over: set[str] = set()
        """Handles whose application has received the peer's end."""

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {
            ApplicationSent: self._send,
            ApplicationReceived: self._receive,
            ApplicationEnded: self._end,
            Committed: self._commit,
        }

    def _send(self, sent: ApplicationSent) -> None:
        self._sent.setdefault(sent.handle, []).append((sent.message_type, sent.body))
        if sent.handle in self._ended:
            self.broken(sent.at, say("A message was taken after the end of its conversation."), sent.handle)

    def _end(self, ended: ApplicationEnded) -> None:
        self._ended.setdefault(ended.handle, ended.how)

    def _commit(self, commit: Committed) -> None:
        """Check that no message is enqueued twice or out of order."""
        for kept in commit.enqueued:
            if kept.message_type in SYSTEM_TYPES:
                continue
            turn = self._enqueued.get(kept.handle, 0)
            self._enqueued[kept.handle] = kept.sequence + 1
            if kept.sequence != turn:
                what = say(
                    "Message {number} came into the queue where {turn} was next.", number=kept.sequence, turn=turn
                )
                self.broken(commit.at, what, kept.handle, kept.sequence)

    def _receive(self, received: ApplicationReceived) -> None:
        handle = received.handle
        if self._ended.get(handle):
            self.broken(received.at, say("Something was received after the end of the conversation."), handle)
        if received.message_type == END_DIALOG_TYPE:
            self._receive_end(received)
        elif received.message_type == ERROR_TYPE:
            self._receive_error(received)
        elif received.message_type not in SYSTEM_TYPES:
            self._receive_message(received)

    def _receive_message(self, received: ApplicationReceived) -> None:
        handle, number = received.handle, received.sequence
        turn = self._received.get(handle, 0)
        self._received[handle] = number + 1
        if number != turn:
            what = say("Message {number} was received where {turn} was next.", number=number, turn=turn)
            self.broken(received.at, what, handle, number)
        elif handle in self._over:
            self.broken(received.at, say("A message was received after its sender's end."), handle, number)
        if received.message_type == MISSING_ROUTE_TYPE:
            return  # from the database itself (`asked-once`)
        senders = [peer for peer in self._senders_of(handle) if self._has_sent(peer, number, received)]
        self._senders[handle] = senders
        if not senders:
            self.broken(received.at, say("Message {number} differs from the one sent.", number=number), handle, number)

    def _senders_of(self, handle: str) -> list[str]:
        """Return the endpoints of the other side that may have sent all messages received so far."""
        return self._senders.get(handle) or self._peers(handle)

    def _has_sent(self, peer: str, number: int, received: ApplicationReceived) -> bool:
        sent = self._sent.get(peer, [])
        return number < len(sent) and sent[number] == (received.message_type, received.body)

    def _peers(self, handle: str) -> list[str]:
        return self.ledger.peers(self.ledger.last[handle])

    def _receive_end(self, received: ApplicationReceived) -> None:
        handle = received.handle
        count = self._received.get(handle, 0)
        peers = self._peers(handle)
        if handle in self._over:
            self.broken(received.at, say("The end of the conversation was received twice."), handle)
        self._over.add(handle)
        if not any(self._ended.get(peer) == "end" and len(self._sent.get(peer, [])) == count for peer in peers):
            what = say("The end was received after {count} messages, which is not how the peer ended.", count=count)
            self.broken(received.at, what, handle)

    def _receive_error(self, received: ApplicationReceived) -> None:
        handle = received.handle
        if received.code > 0 and not any(self._ended.get(peer) == "error" for peer in self._peers(handle)):
            self.broken(received.at, say("An error was received that nobody sent."), handle)
