"""A unit of work: the verbs and the engine change copies here; what comes of it is one value, `Changes`.

The batch stays as it was claimed. Whoever reads here sees what was changed here.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Final, NamedTuple, Protocol

from routing.common.broker_events import (
    ConversationEvent,
    ConversationGroupEvent,
    ConversationSubclass,
    GroupSubclass,
    MessageUndeliverable,
    StatusChanged,
    UndeliverableSubclass,
)
from routing.common.choices import Choices
from routing.dialog.batch import ChangeSet, ClaimedBatch, RouteRequestKey
from routing.dialog.directory import Directory
from routing.dialog.endpoint import ConversationGroupState, ConversationKey, Endpoint, QueueKey
from routing.dialog.messages import BufferedFragment, OutboundMessage, QueuedMessage
from routing.dialog.problems import VerbError
from routing.dialog.ranges import RangeSet
from routing.dialog.received_ranges import from_store
from routing.dialog.settings import DialogSettings
from routing.dialog.states import CO, DI, SO, DialogInput, next_state
from routing.dialog.system_names import SYSTEM_SERVICE
from routing.dialog.transmission import Transmission, new_transmission
from routing.security.instance_security import InstanceSecurity

NO_ROUTE: Final = 9793
ROUTE_REQUESTED: Final = 9770
_TIMER_STATES = (SO, CO, DI)
"""The states in which a conversation timer may run."""


class OutboundFrame(NamedTuple):
    """For a neighbour, once what led to it is durable."""

    address: str
    """`tcp://host:port`, as `Address.key` writes it."""
    frame: bytes
    is_awaited: bool = True
    """False: a dedicated acknowledgement, for which nobody waits but who has sent very much."""


class Destination(NamedTuple):
    """Where the messages of an endpoint go."""

    directory: Directory | None
    """The database of this instance whose queue takes them; None: they wait in the transmission queue."""
    status: int = 0
    """Why they wait, as a number of `problems`."""
    route: str | None = None
    identifier: str | None = None
    """RT-STICKY: what was chosen on the way."""
    address: str = ""
    """Of the next hop, where they go over the network."""
    hops: int = 0
    """That are left to them when they leave."""
    asking: str = ""
    """The database whose routes say that a route is to be asked for (MATCH-4); empty: none is."""


class SendingSide(NamedTuple):
    """What routing has to know of a side that writes to its peer; an endpoint is one, by the same names."""

    database: str
    far_service: str
    far_broker_instance: str | None
    is_initiator: bool
    kept_route: str | None = None
    kept_identifier: str | None = None
    kept_database: str | None = None


class BrokerContext(Protocol):
    """What the dialog layer has to know of the instance around it."""

    def directory(self, database: str) -> Directory:
        """What a database of this instance knows."""
        ...

    def place(self, sender: SendingSide | Endpoint, now: int, pending: Container[RouteRequestKey]) -> Destination:
        """Where routing sends the messages of an endpoint. `pending`: routes that were asked for already (MATCH-4)."""
        ...

    def doubt(self, address: str, service: str) -> None:
        """What was sent there for a service was not acknowledged in time (MIR-3)."""
        ...

    def transmission(self, handle: str) -> Transmission | None:
        """The transmission object in memory; not to be changed."""
        ...

    @property
    def settings(self) -> DialogSettings:
        """Sizes and limits."""
        ...

    @property
    def security(self) -> InstanceSecurity:
        """The keys of this instance's databases."""
        ...


class UnitOfWork:
    """Changes in the making. Made for one batch, one moment, one thread."""

    __slots__ = (
        "_gone",
        "_handles",
        "_received",
        "answered",
        "around",
        "batch",
        "changes",
        "choices",
        "completed",
        "missing",
        "now",
        "outbound",
        "outbound_bytes",
        "outgoing",
        "owed",
        "ready",
        "transmissions",
    )

    def __init__(self, batch: ClaimedBatch, now: int, choices: Choices, around: BrokerContext) -> None:
        self.batch = batch
        self.now = now
        self.choices = choices
        self.around = around
        self.changes = ChangeSet(batch.token, now)
        self._gone: set[str] = set()
        self._handles: dict[ConversationKey, str] = {}
        """Of the endpoints that were made here."""
        self.outgoing = batch.outgoing
        """By handle, in order: what is to be sent now."""
        self._received: dict[str, RangeSet] = {}
        self.transmissions: dict[str, Transmission] = {}
        """Changed ones, by handle."""
        self.ready: dict[str, None] = {}
        """Endpoints that hold a whole message whose turn has come."""
        self.completed: dict[tuple[str, int], None] = {}
        """Messages of several fragments, by handle and number, of which the last has come and is held."""
        self.owed: dict[str, None] = {}
        """Endpoints that have received what is to be acknowledged (ACK-1)."""
        self.outbound: list[OutboundFrame] = []
        """Fragments for the network; they leave after the commit (ACK-5)."""
        self.outbound_bytes = 0
        """Of the bodies in them that were sent from the transmission queue."""
        self.missing: dict[RouteRequestKey, str | None] = {}
        """Routes that are to be asked for, with the identifier that a conversation gives (MATCH-4)."""
        self.answered: dict[str, None] = {}
        """Dialogs of the system service for which a message came: it is nobody else's."""

    def place(self, side: Endpoint) -> Destination:
        """Where routing sends the messages of a side, now."""
        pending = self.batch.requests
        place = self.around.place(side, self.now, pending)
        if place.asking:
            self.missing.setdefault((place.asking, side.far_service), side.far_broker_instance)
        elif place.status == NO_ROUTE and (side.database, side.far_service) in pending:
            return place._replace(status=ROUTE_REQUESTED)
        return place

    # ------------------------------------------------------------ endpoints

    def seen(self, handle: str) -> Endpoint | None:
        """An endpoint as it is now, not to be changed; None: it is not there."""
        if handle in self._gone:
            return None
        return self.changes.endpoints.get(handle) or self.batch.endpoints.get(handle)

    def named(self, handle: str) -> Endpoint:
        """The same, for an application; raises `Refused` where it is not there."""
        endpoint = self.seen(handle)
        if endpoint is None:
            raise VerbError(8426, handle=handle)
        return endpoint

    def of(self, key: ConversationKey) -> Endpoint | None:
        """The endpoint of a conversation, as its peer names it; not to be changed."""
        handle = self._handles.get(key) or self.batch.handles.get(key)
        return self.seen(handle) if handle else None

    def own(self, endpoint: Endpoint) -> Endpoint:
        """A copy that may be changed, the same one each time."""
        handle = endpoint.conversation_handle
        mine = self.changes.endpoints.get(handle)
        if mine is None:
            mine = self.changes.endpoints[handle] = endpoint.copied()
        return mine

    def add(self, endpoint: Endpoint) -> None:
        """A new endpoint, in its group, which is made where it is not there yet."""
        handle = endpoint.conversation_handle
        self.changes.endpoints[handle] = endpoint
        self._handles[endpoint.key] = handle
        self._join(endpoint)

    def remove(self, endpoint: Endpoint) -> None:
        """An endpoint with all its messages."""
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
        """Whether an endpoint was made here."""
        return endpoint.conversation_handle not in self.batch.endpoints

    def step(self, endpoint: Endpoint, given: DialogInput) -> int:
        """Give an own endpoint an input: its new state; otherwise the number of the product's error."""
        to = next_state(endpoint.is_initiator, endpoint.state, given)
        if isinstance(to, int):
            return to
        endpoint.state = to
        if to not in _TIMER_STATES:
            endpoint.dialog_timer = None
        return 0

    # ------------------------------------------------------------ groups

    def group(self, group_id: str) -> ConversationGroupState | None:
        """A group as it is now; not to be changed."""
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
        """An own endpoint into another group, with what stands in its queue."""
        self._leave(endpoint)
        endpoint.conversation_group_id = group_id
        self._join(endpoint)
        self.changes.moved[endpoint.conversation_handle] = group_id
        for message in self.changes.enqueued:
            if message.conversation_handle == endpoint.conversation_handle:
                message.conversation_group_id = group_id

    # ------------------------------------------------------------ messages

    def is_off(self, queue: QueueKey) -> bool:
        """Whether nothing can be received from a queue, nor put into it by a peer."""
        return queue in self.batch.off

    def enqueue(self, endpoint: Endpoint, number: int, message_type: str, body: bytes | None, validation: str) -> None:
        """A message into the queue of an endpoint."""
        if endpoint.service_name == SYSTEM_SERVICE:
            self.answered[endpoint.conversation_handle] = None
            return
        self.changes.enqueued.append(
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
                self.now,
            )
        )

    def empty_queue(self, endpoint: Endpoint) -> None:
        """Whatever stands in the queue for an endpoint goes."""
        handle = endpoint.conversation_handle
        enqueued = self.changes.enqueued
        if enqueued:
            enqueued[:] = (message for message in enqueued if message.conversation_handle != handle)
        self.drop_held(endpoint)
        if handle in self.batch.endpoints and handle not in self.changes.emptied:
            self.changes.emptied.append(handle)
        if self.changes.unheld:
            self.changes.unheld[:] = (one for one in self.changes.unheld if one[0] != handle)

    def post(self, endpoint: Endpoint, message: OutboundMessage) -> None:
        """A message of an own endpoint into the transmission queue."""
        self.changes.outgoing.append(message)
        endpoint.outgoing += 1

    def settle(self, endpoint: Endpoint, below: int) -> None:
        """Messages of an own endpoint below a number out of the transmission queue: they have arrived."""
        handle = endpoint.conversation_handle
        self.changes.settled[handle] = below
        self._drop_posted(handle, 0, below)
        endpoint.outgoing -= below - endpoint.acknowledged_sequence
        endpoint.acknowledged_sequence = below
        endpoint.sending_sequence = max(endpoint.sending_sequence, below)
        endpoint.transmitted = max(endpoint.transmitted, below)

    def drop_outgoing(self, endpoint: Endpoint, first: int | None = None) -> None:
        """Messages of an own endpoint out of the transmission queue, for nobody wants them: all, and it sends nothing
        any more; or those from a number on that never left, and their numbers are given again."""
        handle = endpoint.conversation_handle
        least = first or 0
        if endpoint.outgoing:
            self._drop_posted(handle, least, endpoint.send_sequence)
            self.changes.unsent[handle] = min(least, self.changes.unsent.get(handle, least))
        if first is None:
            endpoint.outgoing = 0
            endpoint.acknowledged_sequence = endpoint.transmitted = endpoint.sending_sequence = endpoint.send_sequence
        else:
            endpoint.outgoing = first - endpoint.acknowledged_sequence

    def _drop_posted(self, handle: str, first: int, below: int) -> None:
        """Of what was posted here, for it never has to stand in the transmission queue."""
        posted = self.changes.outgoing
        if posted:
            kept = (m for m in posted if m[0] != handle or not first <= m.message_sequence_number < below)
            posted[:] = kept

    def set_status(self, endpoint: Endpoint, status: int) -> None:
        """Why what an own endpoint has to send waits; 0: for nothing but its turn, or an acknowledgement."""
        before = endpoint.transmission_status
        if status == before:
            return
        endpoint.transmission_status = status
        self.changes.events.append(
            StatusChanged(
                endpoint.database,
                endpoint.conversation_id,
                endpoint.conversation_handle,
                endpoint.is_initiator,
                endpoint.service_name,
                endpoint.far_service,
                endpoint.far_broker_instance,
                status,
                before,
            )
        )

    def transmission(self, endpoint: Endpoint) -> Transmission:
        """The transmission object of an own endpoint, to be changed; made where there is none (TOB-1)."""
        handle = endpoint.conversation_handle
        mine = self.transmissions.get(handle)
        if mine is None:
            known = self.around.transmission(handle) or self.batch.transmissions.get(handle)
            mine = known.copied() if known else new_transmission(handle, endpoint.acknowledged_sequence)
            self.transmissions[handle] = mine
        return mine

    # ------------------------------------------------------------ what came in parts, or before its turn

    def received(self, endpoint: Endpoint) -> RangeSet:
        """The positions of all fragments that have come and are kept: those in the queue before, and those held."""
        handle = endpoint.conversation_handle
        found = self._received.get(handle)
        if found is None:
            found = from_store(endpoint.receive_sequence, self.batch.held.get(handle, ()) if endpoint.held else ())
            self._received[handle] = found
        return found

    def note(self, endpoint: Endpoint, received: RangeSet) -> None:
        """More has come for an own endpoint."""
        self._received[endpoint.conversation_handle] = received

    def note_next(self, endpoint: Endpoint) -> None:
        """What an own endpoint that holds nothing expected next has come; its number will tell."""
        self._received.pop(endpoint.conversation_handle, None)

    def hold(self, endpoint: Endpoint, held: BufferedFragment) -> None:
        """Keep a fragment for an own endpoint until its message is whole and its turn has come (FRAG-3)."""
        self.changes.held.append(held)
        endpoint.held += 1
        endpoint.held_bytes += len(held.body)

    def leave(self, endpoint: Endpoint, fragment: BufferedFragment) -> None:
        """What an own endpoint was to hold is left to its sender after all."""
        self.changes.held.remove(fragment)
        endpoint.held -= 1
        endpoint.held_bytes -= len(fragment.body)

    def unhold(self, endpoint: Endpoint, fragments: Sequence[BufferedFragment]) -> None:
        """Fragments of one message, held before or in this batch, are held no longer."""
        endpoint.held -= len(fragments)
        endpoint.held_bytes -= sum(len(one.body) for one in fragments)
        key = fragments[0].key
        new = sum(one.key == key for one in self.changes.held)
        if new:
            self.changes.held[:] = (one for one in self.changes.held if one.key != key)
        if new < len(fragments):
            self.changes.unheld.append(key)

    def drop_held(self, endpoint: Endpoint) -> None:
        """What an own endpoint holds goes: its turn will never come."""
        endpoint.take_up_at = None
        if not endpoint.held:
            return
        handle = endpoint.conversation_handle
        endpoint.held = endpoint.held_bytes = 0
        self.changes.held[:] = (held for held in self.changes.held if held.conversation_handle != handle)
        kept = {part.message_sequence_number for part in self.batch.held.get(handle, ())}
        others = [one for one in self.changes.unheld if one[0] != handle]
        self.changes.unheld[:] = [*others, *((handle, number) for number in sorted(kept))]
        self._received.pop(handle, None)
        self.ready.pop(handle, None)

    # ------------------------------------------------------------ events, and the end

    def tell(self, subclass: ConversationSubclass, endpoint: Endpoint, number: int = -1, size: int = 0) -> None:
        """Broker:Conversation, with the state of the endpoint as it is now; with a message its number and bytes."""
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
        # Two of these for each message: without the function by which the class takes its values one by one.
        self.changes.events.append(tuple.__new__(ConversationEvent, values))

    def undeliverable(self, database: str, conversation_id: str, number: int, expected: int, reason: int) -> None:
        """Broker:Message Undeliverable, of a sequenced message."""
        kind = UndeliverableSubclass.SEQUENCED_MESSAGE
        self.changes.events.append(MessageUndeliverable(kind, database, conversation_id, number, expected - 1, reason))

    def finished(self) -> ChangeSet:
        """What came of it, to be committed."""
        for endpoint in self.changes.endpoints.values():
            endpoint.due = endpoint.first_due()
        return self.changes
