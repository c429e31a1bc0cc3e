"""The events agree with the commits and the records of applications, and no broker raised an unexpected exception."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from routing.common.broker_events import ConversationEvent, Event
from routing.common.event_subclasses import ConversationSubclass
from routing.common.sentence import say
from routing.dialog.system_names import SYSTEM_SERVICE, SYSTEM_TYPES
from routing.simulation.application_records import ApplicationEnded, ApplicationSent, DialogBegan
from routing.simulation.checking import Checker, CheckResult
from routing.simulation.records import BrokerBroke, BrokerStopped, Committed, EventsReported, FrameArrived, WorldOver

_CORRUPTED = 161
_ENDS = {
    "end": ConversationSubclass.END_CONVERSATION,
    "error": ConversationSubclass.END_CONVERSATION_WITH_ERROR,
    "cleanup": ConversationSubclass.END_CONVERSATION_WITH_CLEANUP,
}
_COUNTED = frozenset(
    (
        *_ENDS.values(),
        ConversationSubclass.SEND_MESSAGE,
        ConversationSubclass.BEGIN_DIALOG,
        ConversationSubclass.RECEIVED_SEQUENCED_MESSAGE,
    )
)


class TellingChecker(Checker):
    promise = "events-agree"

    def __init__(self, seen: CheckResult) -> None:
        super().__init__(seen)
        self._done: Counter[tuple[str, ConversationSubclass]] = Counter()
        self._committed: Counter[tuple[str, ConversationSubclass]] = Counter()
        self._of: dict[str, Counter[Event]] = {}
        """By broker: committed events that it has not reported yet."""
        self._crashed: set[str] = set()
        self._harmed = 0

    def after(self) -> dict[type, Callable[[Any], None]]:
        return {
            Committed: self._commit,
            EventsReported: self._tell,
            DialogBegan: lambda began: self._do(began.handle, ConversationSubclass.BEGIN_DIALOG),
            ApplicationSent: lambda sent: self._do(sent.handle, ConversationSubclass.SEND_MESSAGE),
            ApplicationEnded: lambda ended: self._do(ended.handle, _ENDS[ended.how]),
            BrokerStopped: lambda stopped: self._crashed.add(stopped.broker),
            BrokerBroke: self._break,
            FrameArrived: self._arrive,
            WorldOver: self._over,
        }

    def _do(self, handle: str, subclass: ConversationSubclass) -> None:
        self._done[handle, subclass] += 1

    def _arrive(self, arrived: FrameArrived) -> None:
        self._harmed += bool(arrived.harm)

    def _break(self, broke: BrokerBroke) -> None:
        self.broken(broke.at, say("The broker of {broker} broke: {error}", broker=broke.broker, error=broke.error))

    def _commit(self, commit: Committed) -> None:
        for kept in commit.enqueued:
            if kept.message_type not in SYSTEM_TYPES:
                self._do(kept.handle, ConversationSubclass.RECEIVED_SEQUENCED_MESSAGE)
        waiting = self._of.setdefault(commit.broker, Counter())
        for event in commit.events:
            waiting[event] += 1
            if isinstance(event, ConversationEvent) and event.subclass in _COUNTED:
                self._committed[event.conversation_handle, event.subclass] += 1

    def _tell(self, reported: EventsReported) -> None:
        waiting = self._of.setdefault(reported.broker, Counter())
        for _, event in reported.events:
            if isinstance(event, ConversationEvent):
                waiting[event] -= 1
                if waiting[event] < 0:
                    self.broken(
                        reported.at, say("An event was reported that was not committed."), event.conversation_handle
                    )
            elif event.number == _CORRUPTED and not self._harmed:
                self.broken(reported.at, say("A message was reported as corrupted, and none was damaged."))

    def _over(self, over: WorldOver) -> None:
        for handle, subclass in self._done.keys() | self._committed.keys():
            done, reported = self._done[handle, subclass], self._committed[handle, subclass]
            if done != reported and self.ledger.last[handle].service != SYSTEM_SERVICE:
                what = say(
                    "The event {subclass} was reported {reported} times, and it happened {done} times.",
                    subclass=subclass.name,
                    reported=reported,
                    done=done,
                )
                self.broken(over.at, what, handle)
        for broker, waiting in self._of.items():
            if broker not in self._crashed and any(
                count > 0 and isinstance(event, ConversationEvent) for event, count in waiting.items()
            ):
                self.broken(over.at, say("The broker of {broker} has kept events to itself.", broker=broker))
