"""The store of a simulated instance: conversations in memory, for simulations, tests and benchmarks.

Follows the port in `routing.runtime.store`. Nothing survives the process.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from routing.dialog.appended_messages import AppendedMessages, AppendOutcome
from routing.dialog.batch import (
    MAX_OUTGOING_PER_CLAIM,
    ChangeSet,
    ClaimedBatch,
    ClaimRequest,
    ReceiveRequest,
    RouteRequestKey,
)
from routing.dialog.endpoint import ConversationGroupState, ConversationKey, Endpoint, QueueKey
from routing.dialog.messages import BufferedFragment, FragmentNumber, OutboundMessage, QueuedMessage
from routing.dialog.transmission import Transmission
from routing.mirror.state_machine import MirroredRoute, MirroredRouteKey
from routing.runtime.recalled_conversations import RecalledConversations, only_adds, recall
from routing.runtime.store import Conflict, OutdatedError, QueueDepth
from routing.simulation.memory_queue import HEAP_SLACK, MemoryQueue


class MemoryStore:
    """A store in memory, for tests, simulations and benchmarks."""

    def __init__(self) -> None:
        self._endpoints: dict[str, Endpoint] = {}
        self._handles: dict[ConversationKey, str] = {}
        self._groups: dict[str, ConversationGroupState] = {}
        self._outgoing: dict[str, dict[int, OutboundMessage]] = {}
        self._held: dict[str, dict[tuple[int, int], BufferedFragment]] = {}
        """By handle, then by sequence number and fragment."""
        self._transmissions: dict[str, Transmission] = {}
        self._requests: Mapping[RouteRequestKey, str] = {}
        self._mirrored: Mapping[MirroredRouteKey, MirroredRoute] = {}
        self._queues: dict[QueueKey, MemoryQueue] = {}
        self._off: frozenset[QueueKey] = frozenset()
        self._rollbacks: Mapping[QueueKey, int] = {}
        self._due: list[tuple[int, str]] = []
        """A heap of (due time, handle); an entry is valid while its endpoint has that due time."""
        self._claims: dict[int, _Claim] = {}
        self._claimed: dict[str, int] = {}
        """By conversation id: the token that has claimed it."""
        self._locked: dict[str, int] = {}
        """By group: the token that has locked it."""
        self._tokens = 0
        self._recalled = RecalledConversations()

    # ------------------------------------------------------------ claiming

    def claim(self, wanted: ClaimRequest, now_ms: int) -> ClaimedBatch:
        token = wanted.token or self._next_token()
        batch = self._unclaimed(token)
        claim = self._claims.setdefault(token, _Claim([], [], {}, batch))
        if claim.is_recalled:
            raise OutdatedError("its conversations are not claimed")
        busy: list[str | ConversationKey] = [group for group in wanted.groups if not self._lock(claim, batch, group)]
        busy += [handle for handle in wanted.handles if not self._take_for_application(claim, batch, handle)]
        busy += [key for key in wanted.conversations if not self._take(claim, batch, key[0])]
        due = [*self._due_in(batch, wanted, now_ms), *self._take_due(claim, batch, wanted.due, now_ms)]
        batch.due = tuple(dict.fromkeys(due))
        self._fill(batch, now_ms)
        claim.counts.update((group_id, group.conversations) for group_id, group in batch.groups.items())
        for handle, number in wanted.bodies:
            mine = self._held.get(handle, {})
            batch.bodies[handle, number] = tuple(mine[key] for key in sorted(mine) if key[0] == number)
        if wanted.receive is not None:
            self._receive(claim, batch, wanted.receive)
        batch.busy = frozenset(busy)
        return batch

    def _unclaimed(self, token: int) -> ClaimedBatch:
        """A batch with the state of the instance alone."""
        return ClaimedBatch(
            token, off=self._off, rollbacks=self._rollbacks, requests=self._requests, mirrored=self._mirrored
        )

    def recall(self, conversations: Iterable[ConversationKey], now_ms: int) -> ClaimedBatch | None:
        found = self._recalled.find(conversations, now_ms)
        if found is None:
            return None
        batch = self._unclaimed(self._next_token())
        self._claims[batch.token] = _Claim([], [], {}, recall(batch, found), is_recalled=True)
        return batch

    def _next_token(self) -> int:
        self._tokens += 1
        return self._tokens

    def _lock(self, claim: _Claim, batch: ClaimedBatch, group: str) -> bool:
        """Lock a group. False: another claim has locked it."""
        if self._locked.setdefault(group, batch.token) != batch.token:
            return False
        claim.groups.append(group)
        if group in self._groups:
            batch.groups[group] = self._groups[group]
        return True

    def _take_for_application(self, claim: _Claim, batch: ClaimedBatch, handle: str) -> bool:
        endpoint = self._endpoints.get(handle)
        if endpoint is None:
            return True  # not in the batch: the verb reports 8426
        if self._claimed.get(endpoint.conversation_id, batch.token) != batch.token:
            return False
        if not self._lock(claim, batch, endpoint.conversation_group_id):
            return False
        return self._take(claim, batch, endpoint.conversation_id)

    def _take(self, claim: _Claim, batch: ClaimedBatch, conversation_id: str) -> bool:
        """Claim a conversation with both its endpoints. False: another claim holds it."""
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

    def _take_due(self, claim: _Claim, batch: ClaimedBatch, limit: int, now_ms: int) -> Iterator[str]:
        passed: dict[tuple[int, str], None] = {}
        while limit and self._due and self._due[0][0] <= now_ms:
            entry = heappop(self._due)
            endpoint = self._endpoints.get(entry[1])
            if endpoint is None or endpoint.due != entry[0] or entry in passed:
                continue
            passed[entry] = None  # it stays due until a commit changes it
            if self._take(claim, batch, endpoint.conversation_id):
                limit -= 1
                yield entry[1]
        for entry in passed:
            heappush(self._due, entry)

    def _due_in(self, batch: ClaimedBatch, wanted: ClaimRequest, now_ms: int) -> Iterator[str]:
        """Yield the due endpoints among the conversations claimed for the engine."""
        for conversation_id, is_initiator in wanted.conversations:
            for key in ((conversation_id, is_initiator), (conversation_id, not is_initiator)):
                handle = batch.handles.get(key)
                due = batch.endpoints[handle].due if handle is not None else None
                if handle is not None and due is not None and due <= now_ms:
                    yield handle

    def _fill(self, batch: ClaimedBatch, now_ms: int) -> None:
        """Fill the batch with messages, fragments and transmission objects of its endpoints."""
        for handle in batch.due:
            endpoint = batch.endpoints[handle]
            if endpoint.next_attempt is not None and endpoint.next_attempt <= now_ms:
                batch.outgoing[handle] = self._rows(handle, endpoint.acknowledged_sequence)
            elif endpoint.ready_since is not None:
                batch.outgoing[handle] = self._rows(handle, endpoint.sending_sequence)
        for handle in batch.endpoints:
            if handle in self._held:
                kept = self._held[handle]
                batch.buffered[handle] = tuple(FragmentNumber(*key, kept[key].fragments) for key in sorted(kept))
            if handle in self._transmissions:
                batch.transmissions[handle] = self._transmissions[handle]

    def _rows(self, handle: str, first: int) -> tuple[OutboundMessage, ...]:
        rows = self._outgoing.get(handle, {})
        numbers = range(first, first + MAX_OUTGOING_PER_CLAIM)
        return tuple(rows[number] for number in numbers if number in rows)

    def _receive(self, claim: _Claim, batch: ClaimedBatch, request: ReceiveRequest) -> None:
        queue = self._queues.get(request.queue)
        if request.only:
            if request.group in claim.groups and queue:
                batch.received_group, batch.received = request.group, tuple(queue.exactly(request))
            return
        batch.is_unknown = request.handle is not None and request.handle not in self._endpoints
        group = queue.first_group(request, self._locked, batch.token) if queue else None
        if queue and group is not None and self._lock(claim, batch, group):
            batch.received_group = group
            batch.received = tuple(queue.in_order(group, request))

    # ------------------------------------------------------------ committing

    def commit(self, changes: ChangeSet) -> None:
        try:
            self._check(changes)
        except Conflict:
            self.release(changes.token)
            raise
        claim = self._claims[changes.token]
        self._remove(changes)
        self._write(changes)
        self._learn(claim, changes)
        self.release(changes.token)

    def _learn(self, claim: _Claim, changes: ChangeSet) -> None:
        """An application, whose claims lock groups, is another process: it does not tell workers what it commits."""
        if not claim.groups:
            batch = claim.batch
            read = {handle: one for handle, one in batch.endpoints.items() if handle not in batch.transmissions}
            self._recalled.learn(batch, changes, read, {handle: self._endpoints.get(handle) for handle in read})

    def endpoint(self, handle: str) -> Endpoint | None:
        """Return an endpoint as it is stored, without a claim."""
        return self._endpoints.get(handle)

    def append(self, appended: AppendedMessages) -> AppendOutcome | None:
        handle = appended.before.conversation_handle
        stored = self._endpoints.get(handle)
        if stored is None or appended.requests is not self._requests or not appended.is_still(stored):
            return None
        if stored.conversation_id in self._claimed or stored.conversation_group_id in self._locked:
            return None
        after = self._endpoints[handle] = appended.onto(stored)
        self._outgoing.setdefault(handle, {}).update((one.message_sequence_number, one) for one in appended.messages)
        if after.due is not None and after.due != stored.due:
            heappush(self._due, (after.due, handle))
        return appended.outcome(stored)

    def take(self, request: ReceiveRequest, known: ClaimedBatch, now_ms: int) -> ClaimedBatch | None:
        if not request.takes_first or request.queue in known.off:
            return None
        batch = self.claim(ClaimRequest(receive=request), now_ms)
        may_take = self._is_known(known, batch) and not batch.is_unknown
        for message in batch.received if may_take else ():
            self._queue(request.queue).take(message)
        self.release(batch.token)
        return batch if may_take else None

    def _is_known(self, known: ClaimedBatch, batch: ClaimedBatch) -> bool:
        """Whether the state of the instance is the one that the caller knows."""
        return known.has_instance_of(batch)

    def flush(self) -> None:
        """Do nothing: memory is all this store has."""

    def release(self, token: int) -> None:
        claim = self._claims.pop(token, None)
        if claim is not None:
            for conversation_id in claim.conversations:
                self._claimed.pop(conversation_id, None)
            for group in claim.groups:
                self._locked.pop(group, None)

    def forget_claims(self) -> None:
        for token in tuple(self._claims):
            self.release(token)
        self._recalled = RecalledConversations()

    def next_due(self) -> int | None:
        while self._due:
            due, handle = self._due[0]
            endpoint = self._endpoints.get(handle)
            if endpoint is not None and endpoint.due == due:
                return due
            heappop(self._due)
        return None

    def depth(self, queue: QueueKey) -> QueueDepth:
        found = self._queues.get(queue)
        return QueueDepth(len(found.messages), found.oldest()) if found else QueueDepth(0, None)

    def retained(self) -> list[QueuedMessage]:
        """Return all messages that RETENTION keeps, queue by queue."""
        return [one for queue in self._queues.values() for of in queue.retained.values() for one in of]

    def _check(self, changes: ChangeSet) -> None:
        """Check for every conflict before anything is written."""
        if changes.token not in self._claims:
            raise Conflict("the claim has ended")
        claim = self._claims[changes.token]
        if claim.is_recalled and not self._is_as_recalled(claim.batch, changes):
            self._recalled.forget(claim.batch.endpoints.values())
            raise OutdatedError("a conversation has changed")
        for handle, endpoint in changes.endpoints.items():
            if self._handles.get(endpoint.key, handle) not in (handle, *changes.removed):
                raise Conflict(f"the conversation {endpoint.conversation_id} has another endpoint")
        for request_key, request in changes.requests.items():
            if request is not None and self._requests.get(request_key, request) != request:
                raise Conflict(f"a route to {request_key[1]} was asked for by another")

    def _is_as_recalled(self, batch: ClaimedBatch, changes: ChangeSet) -> bool:
        if not only_adds(changes) or not batch.has_instance_of(self._unclaimed(0)):
            return False
        for handle, endpoint in batch.endpoints.items():
            is_free = endpoint.conversation_id not in self._claimed and handle not in self._transmissions
            if not is_free or self._endpoints.get(handle) != endpoint:
                return False
        ids = {endpoint.conversation_id for endpoint in batch.endpoints.values()}
        sides = [key for one in ids for key in ((one, True), (one, False)) if key in self._handles]
        return len(sides) == len(batch.endpoints)

    def _remove(self, changes: ChangeSet) -> None:
        for message in changes.retained_received:
            queue = self._queue(message.queue_key)
            if message.queuing_order in queue.messages:
                queue.retain(message)
        for message in changes.received:
            self._queue(message.queue_key).take(message)
        for handle, below in changes.acknowledged_below.items():
            self._keep_outgoing(handle, {n: row for n, row in self._outgoing.get(handle, {}).items() if n >= below})
        for handle in changes.cleared_queues:
            self._queue(self._endpoints[handle].queue_key).empty(handle)
            self._held.pop(handle, None)
        for handle, number in changes.unbuffered:
            mine = self._held.pop(handle)
            if kept := {key: held for key, held in mine.items() if key[0] != number}:
                self._held[handle] = kept
        for handle, first in changes.dropped_from.items():
            self._keep_outgoing(handle, {n: row for n, row in self._outgoing.get(handle, {}).items() if n < first})
        for handle in changes.removed:
            endpoint = self._endpoints.pop(handle)
            del self._handles[endpoint.key]
            self._transmissions.pop(handle, None)

    def _keep_outgoing(self, handle: str, rows: dict[int, OutboundMessage]) -> None:
        if rows:
            self._outgoing[handle] = rows
        else:
            self._outgoing.pop(handle, None)

    def _write(self, changes: ChangeSet) -> None:
        for handle, group_id in changes.moved.items():
            self._queue(self._endpoints[handle].queue_key).move(handle, group_id)
        self._write_conversations(changes)
        self._write_messages(changes)
        self._write_what_is_known(changes)
        if changes.retry_all or changes.retry_services:
            self._retry(changes)
        self._forget_what_is_due_no_longer()
        turned_off = {key for key, is_on in changes.queues.items() if not is_on}
        if changes.queues:
            self._off = self._off.difference(changes.queues) | turned_off

    def _write_conversations(self, changes: ChangeSet) -> None:
        for handle, endpoint in changes.endpoints.items():
            before = self._endpoints.get(handle)
            self._endpoints[handle] = endpoint
            self._handles[endpoint.key] = handle
            if endpoint.due is not None and (before is None or before.due != endpoint.due):
                heappush(self._due, (endpoint.due, handle))
        for group_id, group in changes.groups.items():
            self._write_group(group_id, group, self._claims[changes.token])

    def _write_group(self, group_id: str, group: ConversationGroupState | None, claim: _Claim) -> None:
        """Apply the difference to the claimed count: an engine's claim does not lock the group, so others may have
        changed it too."""
        stored = self._groups.pop(group_id, None)
        count = (stored.conversations if stored else 0) - claim.counts.get(group_id, 0)
        kept = group or stored
        if kept is not None and (count := count + (group.conversations if group else 0)) > 0:
            self._groups[group_id] = replace(kept, conversations=count)

    def _write_messages(self, changes: ChangeSet) -> None:
        for message in changes.enqueued:
            self._queue(message.queue_key).put(message)
        for message in changes.retained_sent:
            self._queue(message.queue_key).retain(message)
        for held in changes.buffered:
            mine = self._held.setdefault(held.conversation_handle, {})
            mine[held.message_sequence_number, held.fragment] = held
        for one in changes.transmissions:
            if one.conversation_handle in self._endpoints:
                self._transmissions[one.conversation_handle] = one
        for row in changes.outgoing:
            self._outgoing.setdefault(row.conversation_handle, {})[row.message_sequence_number] = row

    def _write_what_is_known(self, changes: ChangeSet) -> None:
        """Replace shared mappings instead of changing them, because claimed batches refer to the old ones."""
        if changes.mirrored:
            rows = {**self._mirrored, **changes.mirrored}
            self._mirrored = {key: row for key, row in rows.items() if row is not None}
        if changes.requests:
            handles = {**self._requests, **changes.requests}
            self._requests = {request_key: handle for request_key, handle in handles.items() if handle is not None}
        if changes.rollbacks:
            counts = {**self._rollbacks, **changes.rollbacks}
            self._rollbacks = {queue: count for queue, count in counts.items() if count}

    def _retry(self, changes: ChangeSet) -> None:
        for handle in self._outgoing.keys() | self._held.keys():
            endpoint = self._endpoints[handle]
            if not endpoint.may_wait:
                continue
            if not changes.retry_all and (endpoint.database, endpoint.far_service) not in changes.retry_services:
                continue
            if self._claimed.get(endpoint.conversation_id, changes.token) == changes.token:
                endpoint = self._endpoints[handle] = endpoint.copied()
                endpoint.next_attempt = changes.now_ms if endpoint.outgoing else endpoint.next_attempt
                endpoint.take_up_at = changes.now_ms if endpoint.held else None
                endpoint.due = changes.now_ms  # an earlier timer is handled then as well
                heappush(self._due, (changes.now_ms, handle))

    def _forget_what_is_due_no_longer(self) -> None:
        if len(self._due) > 2 * len(self._endpoints) + HEAP_SLACK:
            self._due = [(e.due, handle) for handle, e in self._endpoints.items() if e.due is not None]
            heapify(self._due)

    def _queue(self, key: QueueKey) -> MemoryQueue:
        found = self._queues.get(key)
        if found is None:
            found = self._queues[key] = MemoryQueue()
        return found


class _Claim(NamedTuple):
    """The rows that one token has claimed."""

    conversations: list[str]
    groups: list[str]
    """Locked groups."""
    counts: dict[str, int]
    """By group: its number of conversations when claimed."""
    batch: ClaimedBatch
    is_recalled: bool = False
    """Whether its conversations are not claimed."""
