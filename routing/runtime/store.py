"""The store port: the engine claims conversations, changes them, and commits the changes, in batches.

The engine never calls a store per message. A claim hands out whole conversations; their changes are committed together,
so that an acknowledgement leaves after the commit (ACK-5), or the claim is released and nothing has happened.
`tests/routing/runtime/store/conformance.py` states what every store must do.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

from routing.dialog.appended_messages import AppendedMessages, AppendOutcome
from routing.dialog.batch import ChangeSet, ClaimedBatch, ClaimRequest, ReceiveRequest
from routing.dialog.endpoint import ConversationKey, QueueKey


class Conflict(Exception):
    """The store refused a commit: another one changed the same rows, or the claim has ended. Nothing was written."""


class OutdatedError(Conflict):
    """A recalled conversation is not as the store has left it, or a claim holds it: the caller claims it."""


class QueueDepth(NamedTuple):
    """The number of messages in a queue, and the age of the oldest."""

    messages: int
    oldest: int | None
    """Enqueue time of the oldest message in milliseconds; None: the queue is empty."""


class Store(Protocol):
    """Keeps the conversations of an instance: endpoints, groups, queues and the transmission queue."""

    def claim(self, wanted: ClaimRequest, now_ms: int) -> ClaimedBatch:
        """Lock the requested rows that are free, until the caller commits or releases the batch's token."""
        ...

    def commit(self, changes: ChangeSet) -> None:
        """Write all changes atomically and end the claim. Durable on return unless `ChangeSet.is_async_commit`.

        Raises `Conflict`: nothing was written, and the claim ended."""
        ...

    def recall(self, conversations: Iterable[ConversationKey], now_ms: int) -> ClaimedBatch | None:
        """Return conversations as this store has left them, without a claim and without reading them. None: it does not
        know them well enough.

        A commit with the token of this batch may only add messages to queues and change endpoints. It raises
        `OutdatedError`, and nothing was written, if it does more, if a claim holds one of the conversations, or if one
        of them or the state of the instance has changed."""
        ...

    def append(self, appended: AppendedMessages) -> AppendOutcome | None:
        """Add messages to a conversation without a claim, atomically and durably, if it is still as the caller
        remembers it and no claim holds it or its group. None: nothing was written, for that or any other reason."""
        ...

    def take(self, request: ReceiveRequest, known: ClaimedBatch, now_ms: int) -> ClaimedBatch | None:
        """Receive without a claim: the messages leave their queue atomically and durably, if the state of the instance
        is still the one that the caller knows. None: nothing has happened, for that or any other reason.

        `known`: a batch that has that state. The caller has made sure that the queue retains no messages."""
        ...

    def flush(self) -> None:
        """Make all committed changes durable.

        Raises `Conflict` if some of them may be lost; every later claim raises it too. The caller's memory may depend
        on lost changes, so it must start again with a new store."""
        ...

    def release(self, token: int) -> None:
        """End a claim without changes. Releasing a claim that has ended already does nothing."""
        ...

    def forget_claims(self) -> None:
        """End all claims without changes, because their holders are gone."""
        ...

    def next_due(self) -> int | None:
        """The earliest due time of any conversation, also of claimed ones; None: nothing is due at any time."""
        ...

    def depth(self, queue: QueueKey) -> QueueDepth:
        """Depth of a queue, maintained by every commit instead of counting rows."""
        ...
