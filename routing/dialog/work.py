"""A unit of work: the verbs and the engine change copies here; what comes of it is one value, `Changes`.

The batch stays as it was claimed. Whoever reads here sees what was changed here.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from routing.dialog.batch import Batch, Changes
from routing.dialog.choices import Choices
from routing.dialog.directory import Directory
from routing.dialog.endpoint import ConversationKey, Endpoint, Group, QueueKey
from routing.dialog.messages import Outgoing, QueuedMessage
from routing.dialog.problems import Refused
from routing.dialog.states import CO, DI, SO, Input, after
from routing.events import (
    Conversation,
    ConversationGroup,
    MessageUndeliverable,
    OfConversation,
    OfGroup,
    OfUndeliverable,
)

_TIMED = (SO, CO, DI)
"""The states in which a conversation timer may run."""


class Place(NamedTuple):
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


class Surroundings(Protocol):
    """What the dialog layer has to know of the instance around it."""

    def directory(self, database: str) -> Directory:
        """What a database of this instance knows."""
        ...

    def place(self, endpoint: Endpoint, now: int) -> Place:
        """Where routing sends the messages of an endpoint."""
        ...


class Work:
    """Changes in the making. Made for one batch, one moment, one thread."""

    __slots__ = ("_gone", "_handles", "around", "batch", "changes", "choices", "now")

    def __init__(self, batch: Batch, now: int, choices: Choices, around: Surroundings) -> None:
        self.batch = batch
        self.now = now
        self.choices = choices
        self.around = around
        self.changes = Changes(batch.token, now)
        self._gone: set[str] = set()
        self._handles: dict[ConversationKey, str] = {}
        """Of the endpoints that were made here."""

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
            raise Refused(8426, handle=handle)
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
        self.changes.endpoints.pop(handle, None)
        self.changes.moved.pop(handle, None)
        self._gone.add(handle)
        if handle in self.batch.endpoints:
            self.changes.removed.append(handle)
        self._leave(endpoint)

    def step(self, endpoint: Endpoint, given: Input) -> int:
        """Give an own endpoint an input: its new state; otherwise the number of the product's error."""
        to = after(endpoint.is_initiator, endpoint.state, given)
        if isinstance(to, int):
            return to
        endpoint.state = to
        if to not in _TIMED:
            endpoint.dialog_timer = None
        return 0

    # ------------------------------------------------------------ groups

    def group(self, group_id: str) -> Group | None:
        """A group as it is now; not to be changed."""
        if group_id in self.changes.groups:
            return self.changes.groups[group_id]
        return self.batch.groups.get(group_id)

    def _own_group(self, group_id: str) -> Group | None:
        group = self.group(group_id)
        if group is not None and self.changes.groups.get(group_id) is not group:
            group = self.changes.groups[group_id] = group.copied()
        return group

    def _join(self, endpoint: Endpoint) -> None:
        group_id = endpoint.conversation_group_id
        group = self._own_group(group_id)
        if group is None:
            group = Group(group_id, endpoint.database, endpoint.service_name, endpoint.queue)
            self.changes.groups[group_id] = group
            self.changes.events.append(ConversationGroup(OfGroup.CREATE, endpoint.database, group_id))
        group.conversations += 1

    def _leave(self, endpoint: Endpoint) -> None:
        group_id = endpoint.conversation_group_id
        group = self._own_group(group_id)
        assert group is not None, "an endpoint has a group"
        group.conversations -= 1
        if group.conversations == 0:
            self.changes.groups[group_id] = None
            self.changes.events.append(ConversationGroup(OfGroup.DROP, endpoint.database, group_id))

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
        if handle in self.batch.endpoints and handle not in self.changes.emptied:
            self.changes.emptied.append(handle)

    def post(self, endpoint: Endpoint, message: Outgoing) -> None:
        """A message of an own endpoint into the transmission queue."""
        self.changes.outgoing.append(message)
        endpoint.outgoing += 1

    def settle(self, endpoint: Endpoint, number: int) -> None:
        """A message of an own endpoint, from the batch, out of the transmission queue: it has arrived."""
        self.changes.settled.append((endpoint.conversation_handle, number))
        endpoint.outgoing -= 1

    def drop_outgoing(self, endpoint: Endpoint, first: int = 0) -> None:
        """Messages of an own endpoint, from a number on, out of the transmission queue: nobody wants them."""
        handle = endpoint.conversation_handle
        if endpoint.outgoing == 0:
            return
        posted = self.changes.outgoing
        posted[:] = (m for m in posted if m.conversation_handle != handle or m.message_sequence_number < first)
        self.changes.unsent[handle] = min(first, self.changes.unsent.get(handle, first))
        # What never left has no gaps: nobody can have acknowledged it.
        endpoint.outgoing = endpoint.outgoing - (endpoint.send_sequence - first) if first else 0

    # ------------------------------------------------------------ events, and the end

    def tell(self, subclass: OfConversation, endpoint: Endpoint) -> None:
        """Broker:Conversation, with the state of the endpoint as it is now."""
        self.changes.events.append(
            Conversation(
                subclass,
                endpoint.database,
                endpoint.state,
                endpoint.conversation_id,
                endpoint.conversation_handle,
                endpoint.conversation_group_id,
                endpoint.is_initiator,
            )
        )

    def undeliverable(self, database: str, conversation_id: str, number: int, expected: int, reason: int) -> None:
        """Broker:Message Undeliverable, of a sequenced message."""
        kind = OfUndeliverable.SEQUENCED_MESSAGE
        self.changes.events.append(MessageUndeliverable(kind, database, conversation_id, number, expected - 1, reason))

    def finished(self) -> Changes:
        """What came of it, to be committed."""
        for endpoint in self.changes.endpoints.values():
            endpoint.due = endpoint.first_due()
        return self.changes
