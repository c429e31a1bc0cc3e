"""Unit of work: verbs and engine change copies of the claimed rows; the result is one `ChangeSet` to commit.

The claimed batch is never changed. Every read returns the changed copy if there is one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from routing.common.broker_events import ConversationEvent, ConversationGroupEvent, StatusChanged
from routing.common.choices import Choices
from routing.common.event_subclasses import ConversationSubclass, GroupSubclass, UndeliverableSubclass
from routing.common.network_events import MessageUndeliverable
from routing.dialog.batch import ChangeSet, ClaimedBatch, RouteRequestKey
from routing.dialog.broker_context import BrokerContext, Destination, OutboundFrame
from routing.dialog.endpoint import ConversationGroupState, ConversationKey, Endpoint, QueueKey
from routing.dialog.messages import BufferedFragment, OutboundMessage, QueuedMessage
from routing.dialog.problems import VerbError
from routing.dialog.ranges import RangeSet
from routing.dialog.received_ranges import from_store
from routing.dialog.states import CO, DI, SO, DialogInput, DialogState, next_state
from routing.dialog.system_names import SYSTEM_SERVICE
from routing.dialog.transmission import Transmission, new_transmission

NO_ROUTE: Final = 9793
ROUTE_REQUESTED: Final = 9770
DUPLICATE_MESSAGE: Final = 11218
_TIMER_STATES = (SO, CO, DI)
"""States in which a conversation timer may run."""


class UnitOfWork:
    """The changes to one claimed batch. Serves one batch, one point in time and one thread."""

    __slots__ = (
        "_gone",
        "_handles",
        "_received",
        "acks_due",
        "answered_requests",
        "batch",
        "changes",
        "choices",
        "completed",
        "context",
        "missing_routes",
        "now_ms",
        "outbound",
        "outbound_bytes",
        "outgoing",
        "ready",
        "transmissions",
    )

    def __init__(self, batch: ClaimedBatch, now_ms: int, choices: Choices, context: BrokerContext) -> None:
        self.batch = batch
        self.now_ms = now_ms
        self.choices = choices
        self.context = context
        self.changes = ChangeSet(batch.token, now_ms)
        self._gone: set[str] = set()
        self._handles: dict[ConversationKey, str] = {}
        """Handles of the endpoints created in this unit of work."""
        self.outgoing = batch.outgoing
        """Messages to send now, by handle, in sequence order."""
        self._received: dict[str, RangeSet] = {}
        self.transmissions: dict[str, Transmission] = {}
        """Changed transmission objects, by handle."""
        self.ready: dict[str, None] = {}
        """Handles of endpoints whose next expected message is complete in the reassembly buffer."""
        self.completed: dict[tuple[str, int], None] = {}
        """Multi-fragment messages completed by this batch, by handle and sequence number."""
        self.acks_due: dict[str, None] = {}
        """Handles of endpoints that must send an acknowledgement (ACK-1)."""
        self.outbound: list[OutboundFrame] = []
        """Frames for the network; the caller sends them after the commit (ACK-5)."""
        self.outbound_bytes = 0
        """Body bytes in `outbound` that come from the transmission queue."""
        self.missing_routes: dict[RouteRequestKey, str | None] = {}
        """Routes to request, with the broker identifier of the conversation (MATCH-4)."""
        self.answered_requests: dict[str, None] = {}
        """Handles of system-service dialogs that received an answer to a route request."""

    def destination(self, side: Endpoint) -> Destination:
        """Route the messages of `side` and note a missing route for `settle_requests`."""
        pending = self.batch.requests
        destination = self.context.destination(side, self.now_ms, pending)
        if destination.route_request_database:
            self.missing_routes.setdefault(
                (destination.route_request_database, side.far_service), side.far_broker_instance
            )
        elif destination.status == NO_ROUTE and (side.database, side.far_service) in pending:
            return destination._replace(status=ROUTE_REQUESTED)
        return destination

    # ------------------------------------------------------------ endpoints

    def get(self, handle: str) -> Endpoint | None:
        """Return the current endpoint, read-only; None if it does not exist."""
        if handle in self._gone:
            return None
        return self.changes.endpoints.get(handle) or self.batch.endpoints.get(handle)

    def require(self, handle: str) -> Endpoint:
        """Return the current endpoint, read-only. Raises `VerbError` 8426 if it does not exist."""
        endpoint = self.get(handle)
        if endpoint is None:
            raise VerbError(8426, handle=handle)
        return endpoint

    def by_key(self, key: ConversationKey) -> Endpoint | None:
        """Return the endpoint with this conversation id and role, read-only; None if it does not exist."""
        handle = self._handles.get(key) or self.batch.handles.get(key)
        return self.get(handle) if handle else None

    def for_update(self, endpoint: Endpoint) -> Endpoint:
        """Return the writable copy of an endpoint; the same copy on every call."""
        handle = endpoint.conversation_handle
        mine = self.changes.endpoints.get(handle)
        if mine is None:
            mine = self.changes.endpoints[handle] = endpoint.copied()
        return mine

    def add(self, endpoint: Endpoint) -> None:
        """Add a new endpoint to its conversation group; create the group if it does not exist."""
        handle = endpoint.conversation_handle
        self.changes.endpoints[handle] = endpoint
        self._handles[endpoint.key] = handle
        self._join(endpoint)

    def remove(self, endpoint: Endpoint) -> None:
        """Remove an endpoint and all its messages."""
        handle = endpoint.conversation_handle
        self.empty_queue(endpoint)
        self.drop_outgoing(endpoint)
        self.set_status(endpoint, 0)
        self.changes.endpoints.pop(handle, None)
        self.changes.moved.pop(handle, None)
        self._gone.add(handle)
        if not self.is_new(endpoint):
            self.changes.removed.append(handle)
        self._leave(endpoint)

    def is_new(self, endpoint: Endpoint) -> bool:
        """Return True if the endpoint was created in this unit of work."""
        return endpoint.conversation_handle not in self.batch.endpoints

    def apply_input(self, endpoint: Endpoint, given: DialogInput) -> int:
        """Apply an input to a writable endpoint. Returns 0, or the error number if its state forbids the input."""
        to = next_state(endpoint.is_initiator, endpoint.state, given)
        if isinstance(to, int):
            return to
        self.enter(endpoint, to)
        return 0

    def enter(self, endpoint: Endpoint, state: DialogState) -> None:
        """Set the state of a writable endpoint to one that `next_state` gives."""
        endpoint.state = state
        if state not in _TIMER_STATES:
            endpoint.dialog_timer = None

    # ------------------------------------------------------------ groups

    def group(self, group_id: str) -> ConversationGroupState | None:
        """Return the current conversation group, read-only; None if it does not exist."""
        if group_id in self.changes.groups:
            return self.changes.groups[group_id]
        return self.batch.groups.get(group_id)

    def _own_group(self, group_id: str) -> ConversationGroupState | None:
        group = self.group(group_id)
        if group is not None and self.changes.groups.get(group_id) is not group:
            group = self.changes.groups[group_id] = group.copied()
        return group

    def _join(self, endpoint: Endpoint) -> None:
        group_id = endpoint.conversation_group_id
        group = self._own_group(group_id)
        if group is None:
            group = ConversationGroupState(group_id, endpoint.database, endpoint.service_name, endpoint.queue)
            self.changes.groups[group_id] = group
            self.changes.events.append(ConversationGroupEvent(GroupSubclass.CREATE, endpoint.database, group_id))
        group.conversations += 1

    def _leave(self, endpoint: Endpoint) -> None:
        group_id = endpoint.conversation_group_id
        group = self._own_group(group_id)
        assert group is not None, "an endpoint has a group"
        group.conversations -= 1
        if group.conversations == 0:
            self.changes.groups[group_id] = None
            self.changes.events.append(ConversationGroupEvent(GroupSubclass.DROP, endpoint.database, group_id))

    def move(self, endpoint: Endpoint, group_id: str) -> None:
        """Move a writable endpoint and its queued messages to another conversation group."""
        self._leave(endpoint)
        endpoint.conversation_group_id = group_id
        self._join(endpoint)
        self.changes.moved[endpoint.conversation_handle] = group_id
        for message in self.changes.enqueued:
            if message.conversation_handle == endpoint.conversation_handle:
                message.conversation_group_id = group_id

    # ------------------------------------------------------------ messages

    def is_queue_off(self, queue: QueueKey) -> bool:
        """Return True if the queue is off: no RECEIVE, and no message from a peer is enqueued."""
        return queue in self.batch.off

    def enqueue(self, endpoint: Endpoint, number: int, message_type: str, body: bytes | None, validation: str) -> None:
        """Enqueue a message for the application of an endpoint."""
        if endpoint.service_name == SYSTEM_SERVICE:
            self.answered_requests[endpoint.conversation_handle] = None
            return
        self.changes.enqueued.append(
            # Positional: keywords would triple the cost of this call, once per message.
            QueuedMessage(
                endpoint.database,
                endpoint.queue,
                endpoint.priority,
                endpoint.conversation_group_id,
                endpoint.conversation_handle,
                number,
                endpoint.service_name,
                endpoint.service_contract_name,
                message_type,
                validation,
                body,
                self.now_ms,
            )
        )

    def empty_queue(self, endpoint: Endpoint) -> None:
        """Delete all queued, retained and buffered messages of an endpoint."""
        handle = endpoint.conversation_handle
        changes = self.changes
        for new in filter(None, (changes.enqueued, changes.retained_received, changes.retained_sent)):
            new[:] = (message for message in new if message.conversation_handle != handle)
        self.drop_buffered(endpoint)
        if handle in self.batch.endpoints and handle not in self.changes.cleared_queues:
            self.changes.cleared_queues.append(handle)
        if self.changes.unbuffered:
            self.changes.unbuffered[:] = (one for one in self.changes.unbuffered if one[0] != handle)

    def add_outgoing(self, endpoint: Endpoint, message: OutboundMessage) -> None:
        """Add a message of a writable endpoint to the transmission queue."""
        self.changes.outgoing.append(message)
        endpoint.outgoing += 1

    def mark_acknowledged(self, endpoint: Endpoint, below: int) -> None:
        """Delete the messages numbered below `below` from the transmission queue: the peer has acknowledged them."""
        handle = endpoint.conversation_handle
        self.changes.acknowledged_below[handle] = below
        self._drop_posted(handle, 0, below)
        endpoint.outgoing -= below - endpoint.acknowledged_sequence
        endpoint.acknowledged_sequence = below
        endpoint.sending_sequence = max(endpoint.sending_sequence, below)
        endpoint.transmitted = max(endpoint.transmitted, below)

    def drop_outgoing(self, endpoint: Endpoint, first: int | None = None) -> None:
        """Drop messages of a writable endpoint from the transmission queue.

        `first` None: drop all of them; the endpoint sends nothing any more. Else drop the never-sent messages numbered
        `first` and above; their numbers are reused.
        """
        handle = endpoint.conversation_handle
        least = first or 0
        if endpoint.outgoing:
            self._drop_posted(handle, least, endpoint.send_sequence)
            self.changes.dropped_from[handle] = min(least, self.changes.dropped_from.get(handle, least))
        if first is None:
            endpoint.outgoing = 0
            endpoint.acknowledged_sequence = endpoint.transmitted = endpoint.sending_sequence = endpoint.send_sequence
        else:
            endpoint.outgoing = first - endpoint.acknowledged_sequence

    def _drop_posted(self, handle: str, first: int, below: int) -> None:
        """Drop messages added in this unit of work: they need not be written to the transmission queue."""
        posted = self.changes.outgoing
        if posted:
            kept = (m for m in posted if m[0] != handle or not first <= m.message_sequence_number < below)
            posted[:] = kept

    def set_status(self, endpoint: Endpoint, status: int) -> None:
        """Set `transmission_status`, the reason why messages wait; 0: only for the window or an acknowledgement."""
        before = endpoint.transmission_status
        if status == before:
            return
        endpoint.transmission_status = status
        self.changes.events.append(
            StatusChanged(
                database=endpoint.database,
                conversation_id=endpoint.conversation_id,
                conversation_handle=endpoint.conversation_handle,
                is_initiator=endpoint.is_initiator,
                service_name=endpoint.service_name,
                far_service=endpoint.far_service,
                far_broker_instance=endpoint.far_broker_instance,
                status=status,
                previous_status=before,
            )
        )

    def transmission(self, endpoint: Endpoint) -> Transmission:
        """Return the writable transmission object of an endpoint; create it if there is none (TOB-1)."""
        handle = endpoint.conversation_handle
        mine = self.transmissions.get(handle)
        if mine is None:
            known = self.context.transmission(handle) or self.batch.transmissions.get(handle)
            below = endpoint.acknowledged_sequence
            mine = known.copied(below) if known else new_transmission(handle, below)
            self.transmissions[handle] = mine
        return mine

    # ------------------------------------------------------------ fragments, and messages out of order

    def received_ranges(self, endpoint: Endpoint) -> RangeSet:
        """Return the positions of all fragments received and kept: already in the queue, or buffered."""
        handle = endpoint.conversation_handle
        found = self._received.get(handle)
        if found is None:
            found = from_store(endpoint.receive_sequence, self.batch.buffered.get(handle, ()) if endpoint.held else ())
            self._received[handle] = found
        return found

    def set_received(self, endpoint: Endpoint, received: RangeSet) -> None:
        """Replace the received positions of a writable endpoint."""
        self._received[endpoint.conversation_handle] = received

    def clear_received(self, endpoint: Endpoint) -> None:
        """Forget the cached positions: the expected message arrived with an empty buffer, so
        `receive_sequence` alone describes them."""
        self._received.pop(endpoint.conversation_handle, None)

    def buffer(self, endpoint: Endpoint, held: BufferedFragment) -> None:
        """Buffer a fragment until its message is complete and in order (FRAG-3)."""
        self.changes.buffered.append(held)
        endpoint.held += 1
        endpoint.held_bytes += len(held.body)

    def unbuffer_new(self, endpoint: Endpoint, fragment: BufferedFragment) -> None:
        """Take back a fragment buffered in this unit of work; its sender keeps it."""
        self.changes.buffered.remove(fragment)
        endpoint.held -= 1
        endpoint.held_bytes -= len(fragment.body)

    def unbuffer(self, endpoint: Endpoint, fragments: Sequence[BufferedFragment]) -> None:
        """Remove all fragments of one message from the buffer, stored or new."""
        endpoint.held -= len(fragments)
        endpoint.held_bytes -= sum(len(one.body) for one in fragments)
        key = fragments[0].key
        new = sum(one.key == key for one in self.changes.buffered)
        if new:
            self.changes.buffered[:] = (one for one in self.changes.buffered if one.key != key)
        if new < len(fragments):
            self.changes.unbuffered.append(key)

    def drop_buffered(self, endpoint: Endpoint) -> None:
        """Clear the buffer of a writable endpoint: its messages will never be in turn."""
        endpoint.take_up_at = None
        if not endpoint.held:
            return
        handle = endpoint.conversation_handle
        endpoint.held = endpoint.held_bytes = 0
        self.changes.buffered[:] = (held for held in self.changes.buffered if held.conversation_handle != handle)
        kept = {part.message_sequence_number for part in self.batch.buffered.get(handle, ())}
        others = [one for one in self.changes.unbuffered if one[0] != handle]
        self.changes.unbuffered[:] = [*others, *((handle, number) for number in sorted(kept))]
        self._received.pop(handle, None)
        self.ready.pop(handle, None)

    # ------------------------------------------------------------ events, and the end

    def report(self, subclass: ConversationSubclass, endpoint: Endpoint, number: int = -1, size: int = 0) -> None:
        """Report event Broker:Conversation with the endpoint's current state. `size`: bytes of the message body."""
        values = (
            subclass,
            endpoint.database,
            endpoint.state,
            endpoint.conversation_id,
            endpoint.conversation_handle,
            endpoint.conversation_group_id,
            endpoint.is_initiator,
            endpoint.service_name,
            endpoint.far_service,
            endpoint.far_broker_instance,
            number,
            size,
        )
        # Called twice per message: skip the NamedTuple constructor.
        self.changes.events.append(tuple.__new__(ConversationEvent, values))

    def report_undeliverable(
        self, database: str, conversation_id: str, number: int, expected: int, reason: int
    ) -> None:
        """Report event Broker:Message Undeliverable for a sequenced message."""
        kind = UndeliverableSubclass.SEQUENCED_MESSAGE
        self.changes.events.append(MessageUndeliverable(kind, database, conversation_id, number, expected - 1, reason))

    def report_duplicate(self, endpoint: Endpoint, number: int) -> None:
        """Report a message or fragment that has arrived before: its sender has heard no acknowledgement (ACK-4)."""
        self.report_undeliverable(
            endpoint.database, endpoint.conversation_id, number, endpoint.receive_sequence, DUPLICATE_MESSAGE
        )

    def change_set(self) -> ChangeSet:
        """Return the changes to commit, with the next due time of every changed endpoint."""
        for handle, endpoint in self.changes.endpoints.items():
            endpoint.note_due(self.batch.endpoints.get(handle), self.now_ms)
        return self.changes
