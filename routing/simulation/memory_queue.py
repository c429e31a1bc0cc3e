"""A queue of the in-memory store."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heapify, heappop, heappush
from typing import Final

from routing.dialog.batch import ReceiveRequest
from routing.dialog.messages import QueuedMessage

HEAP_SLACK: Final = 100
"""Number of invalid heap entries, beyond the number of valid ones, after which the heap is rebuilt."""


class MemoryQueue:
    """The messages of a queue and the order in which their groups are received: by priority, then by age."""

    __slots__ = ("_groups", "_next", "_of_handle", "_ready", "messages", "retained")

    def __init__(self) -> None:
        self.messages: dict[int, QueuedMessage] = {}
        """By queuing order, oldest first."""
        self.retained: dict[str, list[QueuedMessage]] = {}
        """By handle: messages that RETENTION keeps; none of them is received."""
        self._groups: dict[str, dict[int, QueuedMessage]] = {}
        self._of_handle: dict[str, dict[int, QueuedMessage]] = {}
        self._ready: list[tuple[int, int]] = []
        """A heap of (-priority, queuing order); an entry is valid while its message is in the queue."""
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
        if len(self._ready) > 2 * len(self.messages) + HEAP_SLACK:
            self._ready = [(-message.priority, order) for order, message in self.messages.items()]
            heapify(self._ready)

    def take(self, message: QueuedMessage) -> None:
        """Remove a message; no effect if it was removed with its endpoint."""
        order = message.queuing_order
        if self.messages.pop(order, None) is None:
            return
        for index, key in (
            (self._groups, message.conversation_group_id),
            (self._of_handle, message.conversation_handle),
        ):
            del index[key][order]
            if not index[key]:
                del index[key]

    def retain(self, message: QueuedMessage) -> None:
        """Keep a message until its conversation ends."""
        if not message.queuing_order:
            message.queuing_order = self._next
            self._next += 1
        self.retained.setdefault(message.conversation_handle, []).append(message)

    def empty(self, handle: str) -> None:
        self.retained.pop(handle, None)
        for message in tuple(self._of_handle.get(handle, {}).values()):
            self.take(message)

    def move(self, handle: str, group: str) -> None:
        for message in self.retained.get(handle, ()):
            message.conversation_group_id = group
        for order, message in self._of_handle.get(handle, {}).items():
            del self._groups[message.conversation_group_id][order]
            if not self._groups[message.conversation_group_id]:
                del self._groups[message.conversation_group_id]
            message.conversation_group_id = group
            self._groups.setdefault(group, {})[order] = message

    def first_group(self, request: ReceiveRequest, locked: dict[str, int], token: int) -> str | None:
        """Return the group of the first requested message that no other claim has locked."""
        if request.handle is not None:
            chosen = next(iter(self._of_handle.get(request.handle, {}).values()), None)
            return chosen.conversation_group_id if chosen else None
        if request.group is not None:
            return request.group if request.group in self._groups else None
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

    def exactly(self, request: ReceiveRequest) -> Iterable[QueuedMessage]:
        """Return the messages requested by queuing order, in that order."""
        found = (self.messages.get(order) for order in request.only)
        return (one for one in found if one is not None and one.conversation_group_id == request.group)

    def in_order(self, group: str, request: ReceiveRequest) -> Iterable[QueuedMessage]:
        """Return messages by priority, then by conversation in order of arrival, each by sequence number."""
        messages = self._groups[group] if request.handle is None else self._of_handle[request.handle]
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
        return ordered[: request.top]
