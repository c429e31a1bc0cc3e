"""SEND without reading: messages that are added to a conversation if it is still as this process saw it last.

An application that sends one message after the other finds its conversation as it left it, but for what workers note
about messages on their way. The engine decides from the remembered endpoint, and the store adds the messages under a
check of all columns that the decision read. Where one of them is another, nothing is written and the caller claims the
conversation, as for any verb. Messages whose turn it is leave with the commit: then no worker has to send them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from operator import attrgetter
from typing import Final, NamedTuple

from routing.common.broker_events import Event
from routing.dialog.batch import ChangeSet, ClaimedBatch, RouteRequestKey
from routing.dialog.endpoint import Endpoint
from routing.dialog.messages import OutboundMessage
from routing.dialog.timers import send_posted
from routing.dialog.transmission import new_transmission
from routing.dialog.unit_of_work import UnitOfWork

CHECKED: Final = (
    "state",
    "send_sequence",
    "conversation_group_id",
    "far_broker_instance",
    "kept_route",
    "kept_identifier",
    "kept_database",
)
"""Columns of an endpoint that a SEND reads and that may change. The store compares them."""
ADDED_TO: Final = frozenset({"send_sequence", "outgoing", "ready_since", "due", "may_wait"})
"""Columns that the messages change, in the row as it is then."""
LEFT_FROM: Final = ADDED_TO | {"sending_sequence", "transmitted", "next_attempt"}
"""Columns that messages change that leave at once."""
_APPENDED: Final = frozenset({"token", "now_ms", "endpoints", "outgoing", "events", "is_async_commit"})
_checked = attrgetter(*CHECKED)
_unchanged = attrgetter(*(field.name for field in fields(Endpoint) if field.name not in ADDED_TO))
_unchanged_by_leaving = attrgetter(*(field.name for field in fields(Endpoint) if field.name not in LEFT_FROM))
_other_changes = attrgetter(*(field.name for field in fields(ChangeSet) if field.name not in _APPENDED))


class AppendOutcome(NamedTuple):
    """The outcome for appended messages, with the columns that the caller has to know for the next ones."""

    have_left: bool
    """The messages count as sent: the caller sends their frames once they are durable. Else a worker sends them."""
    acknowledged_sequence: int
    integrity: int
    key_id: bytes
    fragment_bytes: int


@dataclass(frozen=True, slots=True)
class AppendedMessages:
    """Messages for the transmission queue of an endpoint, and the columns that have to be unchanged for them."""

    before: Endpoint
    """The endpoint as it is remembered; the store compares the columns `CHECKED` of it."""
    requests: Mapping[RouteRequestKey, str]
    """The pending route requests that the decision read. The store compares them too."""
    messages: tuple[OutboundMessage, ...]
    ready_since: int
    """When the first of them may be sent."""
    window: int
    """Unacknowledged fragments with which a conversation sends nothing more."""
    now_ms: int
    events: tuple[Event, ...] = ()
    """Events of the SEND, for a store that records its writes."""
    next_attempt: int | None = None
    """When they are sent again if they leave at once and nothing else is in flight; None: a worker sends them."""
    leaving_events: tuple[Event, ...] = ()
    """Events of the frames, if they leave at once."""

    def with_departure(self, next_attempt: int | None, events: tuple[Event, ...]) -> AppendedMessages:
        """Return the same messages, leaving at once."""
        # Not by dataclasses.replace, which takes four times as long, once per message.
        return AppendedMessages(
            self.before,
            self.requests,
            self.messages,
            self.ready_since,
            self.window,
            self.now_ms,
            self.events,
            next_attempt,
            events,
        )

    def is_still(self, stored: Endpoint) -> bool:
        """Return True if the stored endpoint is as the decision read it."""
        return _checked(stored) == _checked(self.before)

    def leave(self, stored: Endpoint) -> bool:
        """Return True if the messages leave the stored endpoint at once: no earlier one waits, and there is room for
        all of them in the window."""
        is_their_turn = stored.sending_sequence == stored.send_sequence and stored.ready_since is None
        has_room = not stored.transmission_status and stored.in_flight + len(self.messages) <= self.window
        is_same_guard = (stored.integrity, stored.key_id) == (self.before.integrity, self.before.key_id)
        return self.next_attempt is not None and is_their_turn and has_room and is_same_guard

    def onto(self, stored: Endpoint) -> Endpoint:
        """Return the stored endpoint with the messages. `routing.dialog.outbound.enqueue` and
        `routing.dialog.retransmission.transmit` have the same rules."""
        after = stored.copied()
        after.send_sequence += len(self.messages)
        after.outgoing += len(self.messages)
        if self.leave(stored):
            after.sending_sequence = after.transmitted = after.send_sequence
            after.next_attempt = stored.next_attempt or self.next_attempt
        elif not stored.outgoing:
            after.ready_since = self.ready_since
        elif not stored.transmission_status and stored.in_flight < self.window:
            after.ready_since = stored.ready_since or self.ready_since
        after.due = min((moment for moment in (stored.due, after.first_due()) if moment is not None), default=None)
        after.may_wait = True
        return after

    def outcome(self, stored: Endpoint) -> AppendOutcome:
        """Return the outcome for the endpoint as it was stored before."""
        return AppendOutcome(
            self.leave(stored), stored.acknowledged_sequence, stored.integrity, stored.key_id, stored.fragment_bytes
        )

    def remembered(self, outcome: AppendOutcome) -> Endpoint:
        """Return the endpoint as the caller remembers it from now on."""
        seen = self.before.copied()
        self.note(seen, outcome)
        return seen

    def note(self, seen: Endpoint, outcome: AppendOutcome) -> None:
        """Bring the endpoint that the caller remembers up to date."""
        seen.send_sequence += len(self.messages)
        _, seen.acknowledged_sequence, seen.integrity, seen.key_id, seen.fragment_bytes = outcome


def changes_of(appended: AppendedMessages, stored: Endpoint) -> ChangeSet:
    """Return the changes that the messages make to the stored endpoint, as a claim would commit them."""
    events = [*appended.events, *(appended.leaving_events if appended.leave(stored) else ())]
    changes = ChangeSet(0, appended.now_ms, outgoing=list(appended.messages), events=events)
    changes.endpoints[stored.conversation_handle] = appended.onto(stored)
    return changes


def remembered_batch(endpoint: Endpoint, instance: ClaimedBatch) -> ClaimedBatch:
    """Return a batch without a claim: an endpoint as it was seen last, with nothing in its transmission queue, so that
    the engine asks for its destination, and with all its messages sent. The store compares both. `instance`: a batch
    that has the state of the instance alone."""
    seen = endpoint.copied()
    seen.outgoing = seen.transmission_status = seen.attempts = 0
    seen.next_attempt = seen.ready_since = None
    seen.transmitted = seen.sending_sequence = seen.send_sequence
    return instance.with_endpoint(seen)


def appended_messages(work: UnitOfWork) -> AppendedMessages | None:
    """Return what a unit of work on a remembered batch adds; None if it does anything else."""
    changes = work.change_set()
    if work.outbound or work.missing_routes or len(changes.endpoints) != 1 or any(_other_changes(changes)):
        return None
    ((handle, after),) = changes.endpoints.items()
    before = work.batch.endpoints.get(handle)
    if before is None or after.ready_since is None or not changes.outgoing or _unchanged(before) != _unchanged(after):
        return None
    return AppendedMessages(
        before=before,
        requests=work.batch.requests,
        messages=tuple(changes.outgoing),
        ready_since=after.ready_since,
        window=work.context.settings.window,
        now_ms=work.now_ms,
        events=tuple(changes.events),
    )


def leaving(work: UnitOfWork, appended: AppendedMessages) -> AppendedMessages:
    """Have the messages sent with the commit, if all of them may leave: their frames are in `work.outbound`. Returns
    them as they are given where a worker has to send them: before any of their conversation was on the network, say.
    """
    seen, endpoint = len(work.changes.events), work.require(appended.before.conversation_handle)
    handle = endpoint.conversation_handle
    if not endpoint.integrity:
        return appended
    # An object in memory may know more than the remembered endpoint; the store knows which messages are in flight.
    work.transmissions[handle] = new_transmission(handle, endpoint.acknowledged_sequence)
    send_posted(work)
    after = work.require(handle)
    is_sent = after.sending_sequence == after.send_sequence and after.next_attempt is not None
    if not is_sent or _unchanged_by_leaving(after) != _unchanged_by_leaving(appended.before):
        return appended
    return appended.with_departure(after.next_attempt, tuple(work.changes.events[seen:]))
