"""The events of a conversation in the event log, as entries of its timeline; those that are alike are folded. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from brokerui.analysis.conversations.sides import ConversationSides, Kept
from brokerui.analysis.conversations.timeline import EntryKind, TimelineEntry, WireMark
from brokerui.core.moments import clock_text
from brokerui.eventlog.reading import LoggedEvent
from routing.common.event_subclasses import (
    AcknowledgementSubclass,
    ClassifySubclass,
    ConversationSubclass,
    SentSubclass,
)
from routing.common.moment import from_milliseconds
from routing.common.sentence import Sentence, say, say_counted

FOLD: Final = 3
"""More equal lines than this in a lane are two: the first, and one for the others."""
WHOLE: Final = 1_048_575
"""The fragment of an acknowledgement that is for a whole message."""
CONVERSATION, FORWARDED, FORWARD_DROPPED, CLASSIFY, ACKNOWLEDGED = 124, 139, 140, 141, 149
AUDIT, UNDELIVERABLE, CORRUPTED, SENT, RECEIVED, STATUS = 158, 160, 161, 1001, 1002, 1003
Words = Callable[[int], str]
"""Describes an error of the product by its number."""


def history(conversation: ConversationSides, events: Iterable[LoggedEvent], words: Words) -> tuple[TimelineEntry, ...]:
    """Return the entries, one for each event that tells more than the kept messages do, and repeats folded."""
    lanes: dict[tuple[bool, EntryKind, str], list[TimelineEntry]] = defaultdict(list)
    kept = {(one.is_initiator, row.kept, row.number) for one in conversation.sides for row in one.messages}
    for event in events:
        entry = _entry(conversation, event, words)
        if entry is not None and (entry.on_initiator, *_as_kept(event)) not in kept:
            lanes[entry.on_initiator, entry.kind, str(entry.says)].append(entry)
    return tuple(line for entries in lanes.values() for line in _folded(entries))


def _as_kept(event: LoggedEvent) -> tuple[Kept | None, int | None]:
    """As which message a table has it that this event wrote."""
    kinds = {
        ConversationSubclass.SEND_MESSAGE: Kept.TO_SEND,
        ConversationSubclass.RECEIVED_SEQUENCED_MESSAGE: Kept.NOT_READ,
    }
    is_message = event.event_class == CONVERSATION and event.event_subclass in kinds
    return kinds[ConversationSubclass(event.event_subclass or 0)] if is_message else None, event.message_sequence_number


def _folded(entries: Sequence[TimelineEntry]) -> Iterator[TimelineEntry]:
    """Equal entries in the order of their moments."""
    if len(entries) <= FOLD:
        yield from entries
        return
    yield entries[0]
    since = clock_text(from_milliseconds(entries[1].at), seconds=True)
    times = say_counted(len(entries) - 1, "once more", "{count} times more since {since}", since=since)
    yield replace(entries[-1], says=say("{words}: {times}", words=entries[-1].says, times=times))


def _entry(conversation: ConversationSides, event: LoggedEvent, words: Words) -> TimelineEntry | None:
    says = _SAYS.get(event.event_class, lambda _event: None)(event)
    if says is None:
        return None
    note: Sentence | str | None = f"{event.error}: {words(event.error)}" if event.error else None
    if note is None and event.event_class == CONVERSATION and event.bytes is not None:
        note = say_counted(event.bytes, "{count} byte", "{count} bytes")
    on_initiator = _is_of_initiator(conversation, event)
    return TimelineEntry(event.at, _kind(event), on_initiator, says, note, _wire(event))


def _kind(event: LoggedEvent) -> EntryKind:
    if event.event_class == CLASSIFY:
        return EntryKind.ROUTING
    if event.event_class == SENT and event.event_subclass == SentSubclass.SENT_AGAIN:
        return EntryKind.RETRY
    is_trouble = event.event_class in (FORWARD_DROPPED, AUDIT, UNDELIVERABLE, CORRUPTED, STATUS)
    return EntryKind.EVENT if is_trouble else EntryKind.MESSAGE


def _is_of_initiator(conversation: ConversationSides, event: LoggedEvent) -> bool:
    """Which lane: that of its handle or role; of its instance, where the sides have two; else of the sender."""
    for side in conversation.sides:
        if event.conversation_handle == side.handle:
            return side.is_initiator
    if event.is_initiator is not None:
        return event.is_initiator
    own = [side.is_initiator for side in conversation.sides if side.instance == event.instance]
    if len(own) == 1:
        return own[0]
    return bool(event.from_initiator) is not _is_at_receiver(event)


def _is_at_receiver(event: LoggedEvent) -> bool:
    """Whether an event that names no side is one of the side that receives the messages."""
    if event.event_class == ACKNOWLEDGED:
        return event.event_subclass in _ACKNOWLEDGEMENTS_SENT
    return event.event_class == UNDELIVERABLE or bool(event.is_from_network)


_ACKNOWLEDGEMENTS_SENT: Final = (
    AcknowledgementSubclass.MESSAGE_WITH_ACKNOWLEDGEMENT_SENT,
    AcknowledgementSubclass.ACKNOWLEDGEMENT_SENT,
)
_CAME: Final = (ConversationSubclass.RECEIVED_SEQUENCED_MESSAGE, ConversationSubclass.RECEIVED_END_CONVERSATION)


def _wire(event: LoggedEvent) -> WireMark:
    if event.event_class == SENT:
        return WireMark.SENT if event.event_subclass == SentSubclass.SENT_AGAIN else WireMark.WENT
    if event.event_class == ACKNOWLEDGED:
        return WireMark.WENT if event.event_subclass in _ACKNOWLEDGEMENTS_SENT else WireMark.ARRIVED
    if event.event_class == CONVERSATION:
        return WireMark.ARRIVED if event.event_subclass in _CAME else WireMark.NOTHING
    is_nowhere = event.event_class == CLASSIFY and event.event_subclass == ClassifySubclass.DELAYED
    return WireMark.NOT_SENT if is_nowhere or event.event_class == FORWARD_DROPPED else WireMark.NOTHING


# -- Words -------------------------------------------------------------------------------------------------


def _numbers(event: LoggedEvent) -> Sentence:
    first, last = event.first_message_sequence_number, event.message_sequence_number
    if first is None or first == last:
        return say("Message {number}", number=last)
    return say("Messages {first} to {last}", first=first, last=last)


def _conversation(event: LoggedEvent) -> Sentence | None:
    kind = event.event_subclass or 0
    if kind == ConversationSubclass.SEND_MESSAGE:
        return say("{numbers}: SEND", numbers=_numbers(event))
    if kind == ConversationSubclass.RECEIVED_SEQUENCED_MESSAGE:
        return say("{numbers} arrived in the queue", numbers=_numbers(event))
    return _CONVERSATION_WORDS.get(kind)


_CONVERSATION_WORDS: Final[dict[int, Sentence]] = {
    ConversationSubclass.END_CONVERSATION: say("END CONVERSATION"),
    ConversationSubclass.END_CONVERSATION_WITH_ERROR: say("END CONVERSATION WITH ERROR"),
    ConversationSubclass.BROKER_INITIATED_ERROR: say("The broker ended it with an error"),
    ConversationSubclass.TERMINATE_DIALOG: say("The endpoint is gone"),
    ConversationSubclass.RECEIVED_END_CONVERSATION: say("END CONVERSATION of the other side arrived"),
    ConversationSubclass.RECEIVED_END_CONVERSATION_WITH_ERROR: say("The other side ended it with an error"),
    ConversationSubclass.RECEIVED_BROKER_ERROR_MESSAGE: say("The broker of the other side ended it with an error"),
    ConversationSubclass.RECEIVED_END_CONVERSATION_ACK: say("The other side acknowledged the end"),
    ConversationSubclass.BEGIN_DIALOG: say("BEGIN DIALOG"),
    ConversationSubclass.DIALOG_CREATED: say("The first message made this endpoint"),
    ConversationSubclass.END_CONVERSATION_WITH_CLEANUP: say("END CONVERSATION WITH CLEANUP"),
}


def _classified(event: LoggedEvent) -> Sentence:
    if event.event_subclass == ClassifySubclass.DELAYED:
        return say("Routing found no way")
    if event.event_subclass == ClassifySubclass.LOCAL:
        return say("Routing chose {route}, to a queue of this instance", route=event.route or "LOCAL")
    return say("Routing chose {route}, to {next_hop}", route=event.route or "LOCAL", next_hop=event.next_hop or "?")


def _acknowledged(event: LoggedEvent) -> Sentence:
    if event.fragment is not None and event.fragment < WHOLE:
        part = {"numbers": _numbers(event), "fragment": event.fragment + 1}
        if event.event_subclass in _ACKNOWLEDGEMENTS_SENT:
            return say("{numbers}: the acknowledgement of {fragment} fragments left", **part)
        return say("{numbers}: {fragment} fragments are acknowledged", **part)
    if event.event_subclass in _ACKNOWLEDGEMENTS_SENT:
        return say("{numbers}: the acknowledgement left", numbers=_numbers(event))
    return say("{numbers}: acknowledged", numbers=_numbers(event))


def _sent(event: LoggedEvent) -> Sentence:
    values = {"numbers": _numbers(event), "next_hop": event.next_hop or event.route or "?"}
    if event.event_subclass == SentSubclass.SENT_AGAIN:
        return say("{numbers} left again for {next_hop}", **values)
    return say("{numbers} left for {next_hop}", **values)


def _received(event: LoggedEvent) -> Sentence:
    if event.message_sequence_number is None:
        return say("An application received a timer or an error")
    return say("{numbers}: an application received", numbers=_numbers(event))


def _passed_on(event: LoggedEvent) -> Sentence:
    values = {"instance": event.instance, "numbers": _numbers(event), "next_hop": event.next_hop or "?"}
    if event.event_class == FORWARDED:
        return say("{numbers}: {instance} passed it on to {next_hop}", **values)
    return say("{numbers}: {instance} dropped it", **values)


def _status(event: LoggedEvent) -> Sentence:
    return say("The messages to send wait") if event.error else say("Nothing holds the messages any more")


_SAYS: Final[dict[int, Callable[[LoggedEvent], Sentence | None]]] = {
    CONVERSATION: _conversation,
    FORWARDED: _passed_on,
    FORWARD_DROPPED: _passed_on,
    CLASSIFY: _classified,
    ACKNOWLEDGED: _acknowledged,
    AUDIT: lambda event: say("A message is not secured as its dialog is: {details}", details=event.text or ""),
    UNDELIVERABLE: lambda event: say("{numbers}: discarded", numbers=_numbers(event)),
    CORRUPTED: lambda event: say("A message arrived damaged: {details}", details=event.text or ""),
    SENT: _sent,
    RECEIVED: _received,
    STATUS: _status,
}
