"""One conversation: both ends, the cause for which it waits, what happened, its states and its messages."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.utils.translation import gettext, ngettext

from brokerui.analysis.conversations.decisions import decisions_of
from brokerui.analysis.conversations.past import MOST_PORTIONS, past_of
from brokerui.analysis.conversations.sides import ConversationSide, ConversationSides, Kept, KeptRow, sides_of
from brokerui.analysis.conversations.timeline import EntryKind, TimelineEntry, timeline
from brokerui.analysis.explanations.looks import LookKind
from brokerui.analysis.monitoring.held import Diagnosis, by_handle, diagnosis_by_handle
from brokerui.analysis.monitoring.wording import SECOND_MS, age, due, moment
from brokerui.core.lasting import shrinks
from brokerui.core.moments import clock_text_ms, day_text
from brokerui.eventlog.recording import is_logged
from brokerui.messaging.clock import now
from brokerui.pages.conversations.remedy import off_queues_of, remedy_of
from brokerui.pages.conversations.state_diagram import NextState, next_states, state_diagram
from brokerui.pages.conversations.wording import STATE_WORDS, lives_until
from brokerui.pages.delayed.groups import where_of

BACK: Final = frozenset({LookKind.WAY_BACK, LookKind.DISCARDS})
"""Looks whose cause is that acknowledgements do not come back."""


@dataclass(frozen=True, slots=True)
class End:
    """One end of the picture at the top; `side` is None where the instance is not hosted here."""

    service: str
    side: ConversationSide | None
    state: str
    says: str
    """How many messages it has sent, has to send, and has not received yet."""


@dataclass(frozen=True, slots=True)
class TimelineLine:
    """An entry with its moment."""

    entry: TimelineEntry
    at: datetime
    clock: str
    day: str
    """Where it differs from the entry before."""


@dataclass(frozen=True, slots=True)
class MessageLine:
    """A message of the list."""

    message: KeptRow
    handle: str
    """Of the side that has it."""
    place: str
    since: datetime


def page_context(handle: str, shown: str, portions: int = 0) -> dict[str, Any]:
    """For the templates. `shown` is the kind of entries of the timeline; empty: all. `portions` of the event log are
    looked through. Raises `VerbError` (8426)."""
    conversation, at = sides_of(handle), now()
    past = past_of(conversation, portions)
    shown = shown if shown in set(EntryKind) else ""
    diagnosis = _diagnosis(conversation)
    entries = timeline(conversation, past.trouble, at, past.entries)
    ends = _ends(conversation)
    initiator, target = (side.state if side else None for side in (conversation.initiator, conversation.target))
    return {
        "conversation": conversation,
        "side": conversation.near,
        "ends": ends,
        "forth": "delayed" if diagnosis.sentence and not _is_back(diagnosis) else "delivered",
        "back": "delayed" if _is_back(diagnosis) else "delivered",
        "diagnosis": diagnosis,
        "decisions": [(one, _where(one.side)) for one in decisions_of(conversation)],
        "remedy": remedy_of(conversation, at),
        "off_queues": off_queues_of(conversation),
        "handle": conversation.near.handle,
        "where": _where(conversation.near),
        "lines": list(_lines(entry for entry in entries if shown in ("", entry.kind))),
        "shown": shown,
        "log_since": moment(past.since) if past.since is not None else None,
        "is_logged": is_logged(),
        "portions": portions,
        "more_portions": portions + 1 if not past.is_all and portions < MOST_PORTIONS else 0,
        "kinds": [("", gettext("All"))] + [(str(kind), str(words)) for kind, words in _kinds()],
        "diagram": state_diagram(initiator, target),
        "next_states": _next(conversation),
        "messages_here": list(_messages(conversation)),
        "facts": list(_facts(conversation.near, at)),
        "headline": _headline(conversation, diagnosis),
        "tone": "warn" if diagnosis.sentence else "good",
    }


def _kinds() -> list[tuple[EntryKind, str]]:
    return [
        (EntryKind.MESSAGE, gettext("Messages")),
        (EntryKind.RETRY, gettext("Retries")),
        (EntryKind.ROUTING, gettext("Routing")),
        (EntryKind.EVENT, gettext("Events")),
    ]


def _diagnosis(conversation: ConversationSides) -> Diagnosis:
    """Of the near side; where nothing of it waits, of the far one."""
    found = diagnosis_by_handle(conversation.near.handle)
    if found.sentence or conversation.far is None:
        return found
    return diagnosis_by_handle(conversation.far.handle)


def _is_back(diagnosis: Diagnosis) -> bool:
    return any(look.decides and look.kind in BACK for look in diagnosis.looks)


def _ends(conversation: ConversationSides) -> tuple[End, End]:
    return (
        _end(conversation.initiator_service, conversation.initiator),
        _end(conversation.target_service, conversation.target),
    )


def _end(service: str, side: ConversationSide | None) -> End:
    if side is None:
        return End(service, None, "", gettext("Not hosted here"))
    unread = len(side.of_kind(Kept.NOT_READ))
    parts = [
        ngettext("%(n)s to send", "%(n)s to send", side.to_send) % {"n": f"{side.to_send:,}"} if side.to_send else "",
        gettext("%(n)s acknowledged") % {"n": f"{side.acknowledged:,}"} if side.acknowledged else "",
        gettext("%(n)s received") % {"n": f"{side.received:,}"} if side.received else "",
        gettext("%(n)s not read") % {"n": f"{unread:,}"} if unread else "",
    ]
    return End(service, side, str(STATE_WORDS[side.state]), " · ".join(filter(None, parts)))


def _headline(conversation: ConversationSides, diagnosis: Diagnosis) -> str:
    if diagnosis.sentence:
        return diagnosis.sentence
    if any(side.to_send for side in conversation.sides):
        return gettext("Messages are on their way: they were sent, or are sent at the next turn of a worker.")
    if any(side.of_kind(Kept.NOT_READ) for side in conversation.sides):
        return gettext("Everything has arrived; messages wait until an application receives them.")
    if any(side.of_kind(Kept.INCOMPLETE) for side in conversation.sides):
        return gettext("Parts of messages have arrived; the rest of them is missing.")
    return gettext("Nothing of this conversation waits here.")


def _where(side: ConversationSide) -> str:
    """The page that explains where messages of this side go."""
    row = by_handle([side.handle]).get((side.instance, side.handle))
    return where_of(side.instance, row) if row else ""


def _lines(entries: Iterable[TimelineEntry]) -> Iterable[TimelineLine]:
    day = ""
    for entry in entries:
        at = moment(entry.at)
        own = day_text(at)
        yield TimelineLine(entry, at, clock_text_ms(at), own if own != day else "")
        day = own


def _next(conversation: ConversationSides) -> list[tuple[ConversationSide, tuple[NextState, ...]]]:
    return [(side, next_states(side.state, is_initiator=side.is_initiator)) for side in conversation.sides]


def _messages(conversation: ConversationSides) -> Iterable[MessageLine]:
    for side in conversation.sides:
        for message in side.messages:
            yield MessageLine(message, side.handle, _place(side, message.kept), moment(message.since))


def _place(side: ConversationSide, kept: Kept) -> str:
    words = {
        Kept.TO_SEND: gettext("transmission queue of %(place)s"),
        Kept.NOT_READ: gettext("%(queue)s of %(place)s, not read"),
        Kept.INCOMPLETE: gettext("held for %(queue)s of %(place)s"),
        Kept.SENT_COPY: gettext("%(queue)s of %(place)s, sent, kept by RETENTION"),
        Kept.READ_COPY: gettext("%(queue)s of %(place)s, read, kept by RETENTION"),
    }
    return words[kept] % {"queue": side.queue, "place": side.place}


def _facts(side: ConversationSide, at: int) -> Iterable[tuple[str, str]]:
    end = lives_until(side.lifetime_end, at)
    yield gettext("Lives until"), end or gettext("no end given")
    yield gettext("Group"), side.group
    yield gettext("Priority"), f"{side.priority}"
    yield gettext("Encryption"), gettext("on") if side.encryption else gettext("off")
    yield gettext("Attempts"), f"{side.attempts:,}"
    if side.next_attempt is not None:
        yield gettext("Next attempt"), due(side.next_attempt, at)
    if side.kept_route:
        yield gettext("Route chosen"), side.kept_route
    if side.dialog_timer is not None:
        shrinks((side.dialog_timer - at) / SECOND_MS)
        yield gettext("Timer"), age(side.dialog_timer - at)
