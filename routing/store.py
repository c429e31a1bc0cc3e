"""The store port: conversations are claimed, changed by the engine, and committed, in batches.

The engine never asks a store per message. A claim hands out whole conversations; what the engine makes of them is
committed as a whole, so that an acknowledgement can leave after it (ACK-5); or it is released, and nothing has
happened. `tests/routing/store/conformance.py` says what every store must do. The one in memory is here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from heapq import heapify, heappop, heappush
from typing import NamedTuple, Protocol

from routing.dialog.batch import OUTGOING_AT_ONCE, Batch, Changes, Receive, Wanted
from routing.dialog.endpoint import ConversationKey, Endpoint, Group, QueueKey
from routing.dialog.messages import Outgoing, QueuedMessage

SLACK = 100
"""Entries of a heap that may count no longer, besides as many as count, before it is made anew."""


class Conflict(Exception):
    """A commit that would break what another has committed, or whose claim has ended. Nothing of it was written."""


class Depth(NamedTuple):
    """How full a queue is."""

    messages: int
    oldest: int | None
    """When its oldest message came; None: it is empty."""


class Store(Protocol):
    """What an instance keeps of conversations: endpoints, groups, queues and the transmission queue."""

    def claim(self, wanted: Wanted, now: int) -> Batch:
        """What is wanted and free, for the caller alone until it commits or releases the token of the batch."""
        ...

    def commit(self, changes: Changes) -> None:
        """All of the changes, durably; the claim ends. Raises `Conflict`: none of them, and the claim ends too."""
        ...

    def release(self, token: int) -> None:
        """End a claim; nothing has happened. One that has ended already may be released again."""
        ...

    def depth(self, queue: QueueKey) -> Depth:
        """Kept with every commit, not counted."""
        ...


class MemoryStore:
    """A store in memory, for tests, simulations, and whoever needs no durability."""

    def __init__(self) -> None:
        self._endpoints: dict[str, Endpoint] = {}
        self._handles: dict[ConversationKey, str] = {}
        self._groups: dict[str, Group] = {}
        self._outgoing: dict[str, dict[int, Outgoing]] = {}
        self._queues: dict[QueueKey, _Queue] = {}
        self._off: frozenset[QueueKey] = frozenset()
        self._due: list[tuple[int, str]] = []
        """A heap; an entry counts while its endpoint is due at that very moment."""
        self._claims: dict[int, _Claim] = {}
        self._claimed: dict[str, int] = {}
        """By conversation id: the token that holds it."""
        self._locked: dict[str, int] = {}
        """By group: the token that has locked it."""
        self._tokens = 0

    # ------------------------------------------------------------ claiming

    def claim(self, wanted: Wanted, now: int) -> Batch:
        token = wanted.token or self._next_token()
        batch = Batch(token, off=self._off)
        claim = self._claims.setdefault(token, _Claim([], []))
        busy: list[str | ConversationKey] = [group for group in wanted.groups if not self._lock(claim, batch, group)]
        busy += [handle for handle in wanted.handles if not self._take_for_application(claim, batch, handle)]
        busy += [key for key in wanted.conversations if not self._take(claim, batch, key[0])]
        batch.due = tuple(self._take_due(claim, batch, wanted.due, now))
        if wanted.receive is not None:
            self._receive(claim, batch, wanted.receive)
        batch.busy = frozenset(busy)
        return batch

    def _next_token(self) -> int:
        self._tokens += 1
        return self._tokens

    def _lock(self, claim: _Claim, batch: Batch, group: str) -> bool:
        """False: another has locked it."""
        if self._locked.setdefault(group, batch.token) != batch.token:
            return False
        claim.groups.append(group)
        if group in self._groups:
            batch.groups[group] = self._groups[group]
        return True

    def _take_for_application(self, claim: _Claim, batch: Batch, handle: str) -> bool:
        endpoint = self._endpoints.get(handle)
        if endpoint is None:
            return True  # it stays out of the batch: not found
        if self._claimed.get(endpoint.conversation_id, batch.token) != batch.token:
            return False
        if not self._lock(claim, batch, endpoint.conversation_group_id):
            return False
        return self._take(claim, batch, endpoint.conversation_id)

    def _take(self, claim: _Claim, batch: Batch, conversation_id: str) -> bool:
        """A conversation with both its sides; False: another holds it."""
        if self._claimed.setdefault(conversation_id, batch.token) != batch.token:
            return False
        claim.conversations.append(conversation_id)
        for key in ((conversation_id, True), (conversation_id, False)):
            if (handle := self._handles.get(key)) is not None:
                endpoint = self._endpoints[handle]
                batch.handles[key] = handle
                batch.endpoints[handle] = endpoint
                batch.groups[endpoint.conversation_group_id] = self._groups[endpoint.conversation_group_id]
        return True

    def _take_due(self, claim: _Claim, batch: Batch, limit: int, now: int) -> Iterator[str]:
        passed: dict[tuple[int, str], None] = {}
        while limit and self._due and self._due[0][0] <= now:
            entry = heappop(self._due)
            endpoint = self._endpoints.get(entry[1])
            if endpoint is None or endpoint.due != entry[0] or entry in passed:
                continue
            passed[entry] = None  # it stays due until a commit says otherwise
            if self._take(claim, batch, endpoint.conversation_id):
                limit -= 1
                if endpoint.next_attempt is not None and endpoint.next_attempt <= now:
                    rows = self._outgoing.get(entry[1], {})
                    batch.outgoing[entry[1]] = tuple(rows[n] for n in sorted(rows)[:OUTGOING_AT_ONCE])
                yield entry[1]
        for entry in passed:
            heappush(self._due, entry)

    def _receive(self, claim: _Claim, batch: Batch, asked: Receive) -> None:
        queue = self._queues.get(asked.queue)
        group = queue.first_group(asked, self._locked, batch.token) if queue else None
        if queue and group is not None and self._lock(claim, batch, group):
            batch.received_group = group
            batch.received = tuple(queue.in_order(group, asked))

    # ------------------------------------------------------------ committing

    def commit(self, changes: Changes) -> None:
        try:
            self._check(changes)
        except Conflict:
            self.release(changes.token)
            raise
        self._remove(changes)
        self._write(changes)
        self.release(changes.token)

    def release(self, token: int) -> None:
        claim = self._claims.pop(token, None)
        if claim is not None:
            for conversation_id in claim.conversations:
                self._claimed.pop(conversation_id, None)
            for group in claim.groups:
                self._locked.pop(group, None)

    def depth(self, queue: QueueKey) -> Depth:
        found = self._queues.get(queue)
        return Depth(len(found.messages), found.oldest()) if found else Depth(0, None)

    def _check(self, changes: Changes) -> None:
        """Everything that could go wrong, before anything is written."""
        if changes.token not in self._claims:
            raise Conflict("the claim has ended")
        for handle, endpoint in changes.endpoints.items():
            if self._handles.get(endpoint.key, handle) != handle:
                raise Conflict(f"the conversation {endpoint.conversation_id} has another endpoint")

    def _remove(self, changes: Changes) -> None:
        for message in changes.received:
            self._queue(message.queue_key).take(message)
        for handle, number in changes.settled:
            del self._outgoing[handle][number]
            self._keep_outgoing(handle, self._outgoing[handle])
        for handle in changes.emptied:
            self._queue(self._endpoints[handle].queue_key).empty(handle)
        for handle, first in changes.unsent.items():
            self._keep_outgoing(handle, {n: row for n, row in self._outgoing.get(handle, {}).items() if n < first})
        for handle in changes.removed:
            endpoint = self._endpoints.pop(handle)
            del self._handles[endpoint.key]

    def _keep_outgoing(self, handle: str, rows: dict[int, Outgoing]) -> None:
        if rows:
            self._outgoing[handle] = rows
        else:
            self._outgoing.pop(handle, None)

    def _write(self, changes: Changes) -> None:
        for handle, group_id in changes.moved.items():
            self._queue(self._endpoints[handle].queue_key).move(handle, group_id)
        for handle, endpoint in changes.endpoints.items():
            before = self._endpoints.get(handle)
            self._endpoints[handle] = endpoint
            self._handles[endpoint.key] = handle
            if endpoint.due is not None and (before is None or before.due != endpoint.due):
                heappush(self._due, (endpoint.due, handle))
        for group_id, group in changes.groups.items():
            if group is None:
                self._groups.pop(group_id, None)
            else:
                self._groups[group_id] = group
        for message in changes.enqueued:
            self._queue(message.queue_key).put(message)
        for row in changes.outgoing:
            self._outgoing.setdefault(row.conversation_handle, {})[row.message_sequence_number] = row
        if changes.retry_all:
            self._retry_all(changes)
        self._forget_what_is_due_no_longer()
        turned_off = {key for key, is_on in changes.queues.items() if not is_on}
        if changes.queues:
            self._off = self._off - changes.queues.keys() | turned_off

    def _retry_all(self, changes: Changes) -> None:
        for handle in self._outgoing:
            endpoint = self._endpoints[handle]
            if self._claimed.get(endpoint.conversation_id, changes.token) == changes.token:
                endpoint = self._endpoints[handle] = endpoint.copied()
                endpoint.next_attempt = changes.now
                endpoint.due = endpoint.first_due()
                heappush(self._due, (changes.now, handle))

    def _forget_what_is_due_no_longer(self) -> None:
        if len(self._due) > 2 * len(self._endpoints) + SLACK:
            self._due = [(e.due, handle) for handle, e in self._endpoints.items() if e.due is not None]
            heapify(self._due)

    def _queue(self, key: QueueKey) -> _Queue:
        found = self._queues.get(key)
        if found is None:
            found = self._queues[key] = _Queue()
        return found


class _Claim(NamedTuple):
    """What a token holds."""

    conversations: list[str]
    groups: list[str]


class _Queue:
    """The messages of a queue, and in which order their groups are received: by priority, then by age."""

    __slots__ = ("_groups", "_next", "_of_handle", "_ready", "messages")

    def __init__(self) -> None:
        self.messages: dict[int, QueuedMessage] = {}
        """By queuing order, oldest first."""
        self._groups: dict[str, dict[int, QueuedMessage]] = {}
        self._of_handle: dict[str, dict[int, QueuedMessage]] = {}
        self._ready: list[tuple[int, int]] = []
        """A heap of (-priority, queuing order); an entry counts while its message is here."""
        self._next = 1

    def oldest(self) -> int | None:
        return next((message.message_enqueue_time for message in self.messages.values()), None)

    def put(self, message: QueuedMessage) -> None:
        order = message.queuing_order = self._next
        self._next += 1
        self.messages[order] = message
        self._groups.setdefault(message.conversation_group_id, {})[order] = message
        self._of_handle.setdefault(message.conversation_handle, {})[order] = message
        heappush(self._ready, (-message.priority, order))
        if len(self._ready) > 2 * len(self.messages) + SLACK:
            self._ready = [(-message.priority, order) for order, message in self.messages.items()]
            heapify(self._ready)

    def take(self, message: QueuedMessage) -> None:
        order = message.queuing_order
        del self.messages[order]
        for index, key in (
            (self._groups, message.conversation_group_id),
            (self._of_handle, message.conversation_handle),
        ):
            del index[key][order]
            if not index[key]:
                del index[key]

    def empty(self, handle: str) -> None:
        for message in tuple(self._of_handle.get(handle, {}).values()):
            self.take(message)

    def move(self, handle: str, group: str) -> None:
        for order, message in self._of_handle.get(handle, {}).items():
            del self._groups[message.conversation_group_id][order]
            if not self._groups[message.conversation_group_id]:
                del self._groups[message.conversation_group_id]
            message.conversation_group_id = group
            self._groups.setdefault(group, {})[order] = message

    def first_group(self, asked: Receive, locked: dict[str, int], token: int) -> str | None:
        """The group of the first message that is asked for, and that nobody else has locked."""
        if asked.handle is not None:
            chosen = next(iter(self._of_handle.get(asked.handle, {}).values()), None)
            return chosen.conversation_group_id if chosen else None
        if asked.group is not None:
            return asked.group if asked.group in self._groups else None
        passed = []
        found = None
        while self._ready and found is None:
            entry = heappop(self._ready)
            message = self.messages.get(entry[1])
            if message is None:
                continue
            passed.append(entry)
            if locked.get(message.conversation_group_id, token) == token:
                found = message.conversation_group_id
        for entry in passed:
            heappush(self._ready, entry)
        return found

    def in_order(self, group: str, asked: Receive) -> Iterable[QueuedMessage]:
        """By priority, then conversation by conversation as they came, each in the order of its numbers."""
        messages = self._groups[group] if asked.handle is None else self._of_handle[asked.handle]
        first: dict[str, int] = {}
        for order, message in messages.items():
            first.setdefault(message.conversation_handle, order)
        ordered = sorted(
            messages.values(),
            key=lambda m: (
                -m.priority,
                first[m.conversation_handle],
                m.rank,
                m.message_sequence_number,
                m.queuing_order,
            ),
        )
        return ordered[: asked.top]
