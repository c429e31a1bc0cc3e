"""SEND without reading: messages that are added to a conversation if it is still as this process saw it last.

An application that sends one message after the other finds its conversation as it left it, but for what workers note
about messages on their way. The engine decides from the remembered endpoint, and the store adds the messages under a
check of all columns that the decision read. Where one of them is another, nothing is written and the caller claims the
conversation, as for any verb.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from operator import attrgetter
from typing import Final

from routing.common.broker_events import Event
from routing.dialog.batch import ChangeSet, ClaimedBatch, RouteRequestKey
from routing.dialog.endpoint import Endpoint
from routing.dialog.messages import OutboundMessage
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
ADDED_TO: Final = frozenset({"send_sequence", "outgoing", "ready_since", "due"})
"""Columns that the messages change, in the row as it is then."""
_APPENDED: Final = frozenset({"token", "now_ms", "endpoints", "outgoing", "events", "is_async_commit"})
_checked = attrgetter(*CHECKED)
_unchanged = attrgetter(*(field.name for field in fields(Endpoint) if field.name not in ADDED_TO))
_other_changes = attrgetter(*(field.name for field in fields(ChangeSet) if field.name not in _APPENDED))


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

    def is_still(self, stored: Endpoint) -> bool:
        """Return True if the stored endpoint is as the decision read it."""
        return _checked(stored) == _checked(self.before)

    def onto(self, stored: Endpoint) -> Endpoint:
        """Return the stored endpoint with the messages. `routing.dialog.outbound.enqueue` has the same rules."""
        after = stored.copied()
        after.send_sequence += len(self.messages)
        after.outgoing += len(self.messages)
        if not stored.outgoing:
            after.ready_since = self.ready_since
        elif not stored.transmission_status and stored.in_flight < self.window:
            after.ready_since = stored.ready_since or self.ready_since
        after.due = after.first_due()
        return after


def changes_of(appended: AppendedMessages, stored: Endpoint) -> ChangeSet:
    """Return the changes that the messages make to the stored endpoint, as a claim would commit them."""
    changes = ChangeSet(0, appended.now_ms, outgoing=list(appended.messages), events=list(appended.events))
    changes.endpoints[stored.conversation_handle] = appended.onto(stored)
    return changes


def remembered_batch(endpoint: Endpoint, instance: ClaimedBatch) -> ClaimedBatch:
    """Return a batch without a claim: an endpoint as it was seen last, with nothing in its transmission queue, so that
    the engine asks for its destination. `instance`: a batch that has the state of the instance alone."""
    seen = endpoint.copied()
    seen.outgoing = 0
    handle = seen.conversation_handle
    return replace(instance, endpoints={handle: seen}, handles={seen.key: handle})


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
