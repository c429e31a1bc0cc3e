"""The events agree with what happened, and no broker broke."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from routing.common.broker_events import ConversationEvent, Event, OfConversation
from routing.common.sentence import say
from routing.dialog.system import SYSTEM_SERVICE, SYSTEM_TYPES
from routing.simulation.checking import Checker, Seen
from routing.simulation.history import Arrived, Began, Broke, Committed, Ended, Over, Sent, Stopped, Told

_CORRUPTED = 161
_ENDS = {
    "end": OfConversation.END_CONVERSATION,
    "error": OfConversation.END_CONVERSATION_WITH_ERROR,
    "cleanup": OfConversation.END_CONVERSATION_WITH_CLEANUP,
}
_COUNTED = frozenset(
    (
        *_ENDS.values(),
        OfConversation.SEND_MESSAGE,
        OfConversation.BEGIN_DIALOG,
        OfConversation.RECEIVED_SEQUENCED_MESSAGE,
    )
)


class Telling(Checker):
    promise = "events-agree"

    def __init__(self, seen: Seen) -> None:
        super().__init__(seen)
        self._done: Counter[tuple[str, OfConversation]] = Counter()
        self._committed: Counter[tuple[str, OfConversation]] = Counter()
        self._of: dict[str, Counter[Event]] = {}
        """By broker: events that were committed and not told yet."""
        self._crashed: set[str] = set()
        self._harmed = 0

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {
            Committed: self._commit,
            Told: self._tell,
            Began: lambda began: self._do(began.handle, OfConversation.BEGIN_DIALOG),
            Sent: lambda sent: self._do(sent.handle, OfConversation.SEND_MESSAGE),
            Ended: lambda ended: self._do(ended.handle, _ENDS[ended.how]),
            Stopped: lambda stopped: self._crashed.add(stopped.broker),
            Broke: self._break,
            Arrived: self._arrive,
            Over: self._over,
        }

    def _do(self, handle: str, subclass: OfConversation) -> None:
        self._done[handle, subclass] += 1

    def _arrive(self, arrived: Arrived) -> None:
        self._harmed += bool(arrived.harm)

    def _break(self, broke: Broke) -> None:
        self.broken(broke.at, say("The broker of {broker} broke: {error}", broker=broke.broker, error=broke.error))

    def _commit(self, commit: Committed) -> None:
        for kept in commit.enqueued:
            if kept.message_type not in SYSTEM_TYPES:
                self._do(kept.handle, OfConversation.RECEIVED_SEQUENCED_MESSAGE)
        waiting = self._of.setdefault(commit.broker, Counter())
        for event in commit.events:
            waiting[event] += 1
            if isinstance(event, ConversationEvent) and event.subclass in _COUNTED:
                self._committed[event.conversation_handle, event.subclass] += 1

    def _tell(self, told: Told) -> None:
        waiting = self._of.setdefault(told.broker, Counter())
        for _, event in told.events:
            if isinstance(event, ConversationEvent):
                waiting[event] -= 1
                if waiting[event] < 0:
                    self.broken(told.at, say("An event was told that was not committed."), event.conversation_handle)
            elif event.number == _CORRUPTED and not self._harmed:
                self.broken(told.at, say("A message is said to be corrupted, and none was damaged."))

    def _over(self, over: Over) -> None:
        for handle, subclass in self._done.keys() | self._committed.keys():
            done, told = self._done[handle, subclass], self._committed[handle, subclass]
            if done != told and self.ledger.last[handle].service != SYSTEM_SERVICE:
                what = say(
                    "The event {subclass} was told {told} times, and it happened {done} times.",
                    subclass=subclass.name,
                    told=told,
                    done=done,
                )
                self.broken(over.at, what, handle)
        for broker, waiting in self._of.items():
            if broker not in self._crashed and any(
                count > 0 and isinstance(event, ConversationEvent) for event, count in waiting.items()
            ):
                self.broken(over.at, say("The broker of {broker} has kept events to itself.", broker=broker))
