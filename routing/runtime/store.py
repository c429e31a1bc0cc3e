"""The store port: conversations are claimed, changed by the engine, and committed, in batches.

The engine never asks a store per message. A claim hands out whole conversations; what the engine makes of them is
committed as a whole, so that an acknowledgement can leave after it (ACK-5); or it is released, and nothing has
happened. `tests/routing/runtime/store/conformance.py` says what every store must do.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

from routing.dialog.batch import ChangeSet, ClaimedBatch, ClaimRequest
from routing.dialog.endpoint import QueueKey


class Conflict(Exception):
    """A commit that would break what another has committed, or whose claim has ended. Nothing of it was written."""


class QueueDepth(NamedTuple):
    """How full a queue is."""

    messages: int
    oldest: int | None
    """When its oldest message came; None: it is empty."""


class Store(Protocol):
    """What an instance keeps of conversations: endpoints, groups, queues and the transmission queue."""

    def claim(self, wanted: ClaimRequest, now: int) -> ClaimedBatch:
        """What is wanted and free, for the caller alone until it commits or releases the token of the batch."""
        ...

    def commit(self, changes: ChangeSet) -> None:
        """All of the changes, durably unless `Changes.is_soon`; the claim ends. Raises `Conflict`: none of them, and
        the claim ends too."""
        ...

    def harden(self) -> None:
        """What was committed is durable from here on. Raises `Conflict`, and so does every claim then: some of it may
        be lost, what its user has in memory may tell of that, and he begins anew, with another store."""
        ...

    def release(self, token: int) -> None:
        """End a claim; nothing has happened. One that has ended already may be released again."""
        ...

    def forget_claims(self) -> None:
        """Whoever held them is gone: all claims end, and nothing of them has happened."""
        ...

    def next_due(self) -> int | None:
        """The first moment at which something is due in a conversation; None: nothing ever will be. It may be one of a
        conversation that others hold."""
        ...

    def depth(self, queue: QueueKey) -> QueueDepth:
        """Kept with every commit, not counted."""
        ...
