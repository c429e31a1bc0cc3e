"""The past of a conversation on both sides, oldest first, and the clocks that run. Pure.

It is made of what the tables still have: messages that are kept, exceptional events, and clocks. A message that was
acknowledged and read is in no table any more: how many there were stands in the numbers of its side, and its history
in the event log, where that is on (`history.py`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Final

from brokerui.analysis.conversations.sides import ConversationSide, ConversationSides, Kept, KeptRow
from routing.common.sentence import Sentence, say, say_counted

FAR_FUTURE_MS: Final = 366 * 86_400_000
"""A lifetime that ends later than in a year is none that anybody chose."""
RUN: Final = 4
"""More messages of one kind than this in a row stand in one line."""


class EntryKind(StrEnum):
    """The kinds that a page filters by."""

    MESSAGE = "message"
    RETRY = "retry"
    ROUTING = "routing"
    EVENT = "event"


class WireMark(StrEnum):
    """The mark between the lanes of both sides."""

    NOTHING = ""
    ARRIVED = "arrived"
    """From the other side to this one."""
    WENT = "went"
    """From this side to the other one."""
    SENT = "sent"
    """The same, and not acknowledged, or not for the first time."""
    NOT_SENT = "not_sent"


@dataclass(frozen=True, slots=True)
class TroubleEvent:
    """An exceptional event of the conversation, on one instance."""

    instance: str
    first_at: int
    last_at: int
    occurrences: int
    words: str


@dataclass(frozen=True, slots=True)
class TimelineEntry:
    """One line in the lane of a side; `at` is milliseconds since 1970."""

    at: int
    kind: EntryKind
    on_initiator: bool
    says: Sentence
    note: Sentence | str | None = None
    wire: WireMark = WireMark.NOTHING
    follows: bool = False
    """Whether it is still to come."""


def timeline(
    conversation: ConversationSides,
    events: Iterable[TroubleEvent],
    now: int,
    history: Iterable[TimelineEntry] = (),
) -> tuple[TimelineEntry, ...]:
    """All entries in the order of their moments; of equal moments the initiator's first, each in its order."""
    found = [*history, *(entry for side in conversation.sides for entry in _of_side(side, now))]
    found += [_event(event, conversation) for event in events]
    return tuple(sorted(found, key=lambda entry: (entry.at, not entry.on_initiator)))


def _of_side(side: ConversationSide, now: int) -> Iterator[TimelineEntry]:
    for kind, messages in groupby(side.messages, key=lambda message: message.kept):
        yield from _lines(side, kind, list(messages))
    yield from _clocks(side, now)


def _lines(side: ConversationSide, kept: Kept, messages: Sequence[KeptRow]) -> Iterator[TimelineEntry]:
    """One line for each message; where they are many, one for the first, one for the others."""
    if len(messages) <= RUN:
        yield from (_line(side, message) for message in messages)
        return
    yield _line(side, messages[0])
    rest = messages[1:]
    says = say_counted(
        len(rest), "{count} more, number {last}", "{count} more, up to number {last}", last=rest[-1].number
    )
    yield TimelineEntry(
        rest[-1].since, EntryKind.MESSAGE, side.is_initiator, says, _sizes(rest), _wire(side, kept, rest[-1])
    )


def _line(side: ConversationSide, message: KeptRow) -> TimelineEntry:
    wire = _wire(side, message.kept, message)
    says = _WORDS[message.kept](side, message)
    return TimelineEntry(message.since, EntryKind.MESSAGE, side.is_initiator, says, _sizes([message]), wire)


def _wire(side: ConversationSide, kept: Kept, message: KeptRow) -> WireMark:
    if kept is Kept.TO_SEND:
        return WireMark.SENT if message.number < side.sent else WireMark.NOT_SENT
    return WireMark.SENT if kept is Kept.SENT_COPY else WireMark.ARRIVED


def _sizes(messages: Sequence[KeptRow]) -> Sentence | None:
    sizes = [message.message_bytes for message in messages if message.message_bytes is not None]
    return say_counted(sum(sizes), "{count} byte", "{count} bytes") if sizes else None


def _to_send(side: ConversationSide, message: KeptRow) -> Sentence:
    if message.number < side.sent:
        return say("Message {number} is sent, and not acknowledged", number=message.number)
    return say("Message {number} waits to be sent", number=message.number)


def _not_read(side: ConversationSide, message: KeptRow) -> Sentence:
    return say("Message {number} arrived in {queue}; nobody has received it", number=message.number, queue=side.queue)


def _incomplete(side: ConversationSide, message: KeptRow) -> Sentence:
    return say(
        "Message {number}: {here} of {all} fragments have arrived",
        number=message.number,
        here=message.fragments,
        all=message.all_fragments,
    )


def _sent_copy(side: ConversationSide, message: KeptRow) -> Sentence:
    return say("Message {number} was sent and acknowledged; RETENTION keeps it", number=message.number)


def _read_copy(side: ConversationSide, message: KeptRow) -> Sentence:
    return say("Message {number} was received; RETENTION keeps it", number=message.number)


_WORDS: Final = {
    Kept.TO_SEND: _to_send,
    Kept.NOT_READ: _not_read,
    Kept.INCOMPLETE: _incomplete,
    Kept.SENT_COPY: _sent_copy,
    Kept.READ_COPY: _read_copy,
}


# -- Events and clocks -------------------------------------------------------------------------------------


def _event(event: TroubleEvent, conversation: ConversationSides) -> TimelineEntry:
    on_initiator = conversation.initiator is not None and event.instance == conversation.initiator.instance
    times = say_counted(event.occurrences, "{count} event like it in this hour", "{count} events like it in this hour")
    return TimelineEntry(event.last_at, EntryKind.EVENT, on_initiator, say("{words}", words=event.words), times)


def _clocks(side: ConversationSide, now: int) -> Iterator[TimelineEntry]:
    if side.next_attempt is not None:
        says = say("Attempt {number} follows", number=side.attempts + 1)
        yield TimelineEntry(
            max(side.next_attempt, now), EntryKind.RETRY, side.is_initiator, says, wire=WireMark.NOT_SENT, follows=True
        )
    if side.dialog_timer is not None:
        says = say("The conversation timer runs out")
        yield TimelineEntry(side.dialog_timer, EntryKind.EVENT, side.is_initiator, says, follows=True)
    if now < side.lifetime_end < now + FAR_FUTURE_MS:
        says = say("The lifetime ends: the conversation gets an error")
        yield TimelineEntry(side.lifetime_end, EntryKind.EVENT, side.is_initiator, says, follows=True)
